import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { TurnContext } from '../../../../activities/agent/backend.ts';
import {
  resumeCommand,
  sessionExists,
  startCommand,
} from '../../../../activities/agent/claude/arguments.ts';
import { withAgents, type AgentWorld } from '../../../helpers/with-agents.ts';

/** A context whose PATH holds a program called `claude`. */
async function contextOf(
  world: AgentWorld,
  environment: NodeJS.ProcessEnv = {},
): Promise<TurnContext> {
  const bin = path.join(world.place.projectDir, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(path.join(bin, 'claude'), '#!/bin/sh\n');
  await chmod(path.join(bin, 'claude'), 0o755);
  return {
    turn: world.turn({ backend: 'claude' }),
    folder: world.place.workerDir,
    promptFile: 'prompt.md',
    systemFile: 'system.md',
    completion: { kind: 'result-tag' },
    tags: { resultTag: 'result', reportTag: 'report' },
    environment: { ...world.host.environment, PATH: bin, ...environment },
  };
}

const after = (args: string[], flag: string) => args[args.indexOf(flag) + 1];

describe('the command line of claude', () => {
  it('begins a session under our id with a role from a file', async () => {
    await withAgents(async (world) => {
      const context = await contextOf(world);
      const { program, args } = await startCommand(context);
      expect(program).toBe(path.join(world.place.projectDir, 'bin', 'claude'));
      expect(after(args, '--session-id')).toBe(context.turn.sessionId);
      expect(after(args, '--append-system-prompt-file')).toBe('system.md');
      expect(after(args, '--output-format')).toBe('stream-json');
      expect(after(args, '--max-turns')).toBe('30');
      expect(args).toEqual(
        expect.arrayContaining(['--print', '--verbose', '--include-partial-messages']),
      );
    });
  });

  it('continues a session without a role, which it would ignore', async () => {
    await withAgents(async (world) => {
      const { args } = await resumeCommand(await contextOf(world));
      expect(after(args, '--resume')).toBe(world.turn().sessionId);
      expect(args).not.toContain('--session-id');
      expect(args).not.toContain('--append-system-prompt-file');
    });
  });

  it('allows edits in the workspace, the worker folder and the plans, and no tool by name but Bash', async () => {
    await withAgents(async (world) => {
      const { args } = await startCommand(await contextOf(world));
      expect(after(args, '--permission-mode')).toBe('acceptEdits');
      expect(args.filter((_arg, at) => args[at - 1] === '--allowedTools')).toEqual(['Bash']);
      const folders = args.slice(args.indexOf('--add-dir') + 1, args.indexOf('--setting-sources'));
      expect(folders).toEqual([world.place.workerDir, path.join(world.place.ralphDir, 'plans')]);
      expect(after(args, '--setting-sources')).toBe('user');
    });
  });

  it('lets a supervisor read, and nothing else (#217)', async () => {
    await withAgents(async (world) => {
      const context = await contextOf(world);
      const turn = { ...context.turn, purpose: 'supervise' as const };
      const { args } = await startCommand({ ...context, turn });
      expect(after(args, '--permission-mode')).toBe('dontAsk');
      expect(after(args, '--allowedTools')).toBe('Read,Grep,Glob');
    });
  });

  it('keeps the prompt off the command line', async () => {
    await withAgents(async (world) => {
      const { args } = await startCommand(await contextOf(world));
      expect(args.join(' ')).not.toContain('Do AB-1');
    });
  });

  it('takes the program that CLAUDE names, and says when there is none', async () => {
    await withAgents(async (world) => {
      const named = await contextOf(world, { CLAUDE: '/bin/sh' });
      expect((await startCommand(named)).program).toBe('/bin/sh');
      const missing = await contextOf(world, { CLAUDE: 'no-such-claude' });
      await expect(startCommand(missing)).rejects.toMatchObject({
        code: 'BACKEND_MISSING',
        where: 'no-such-claude',
      });
      const folder = await contextOf(world, { CLAUDE: world.place.workspace });
      await expect(startCommand(folder)).rejects.toMatchObject({ code: 'BACKEND_MISSING' });
    });
  });
});

describe('the environment of claude', () => {
  it('has the settings of model and gateway, and no secret of anybody else', async () => {
    await withAgents(async (world) => {
      const context = await contextOf(world, {
        ANTHROPIC_API_KEY: 'key',
        ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
        CLAUDE_CODE_MAX_RETRIES: '2',
        CLAUDE_CODE_SESSION_ID: 'of a session around us',
        CLAUDECODE: '1',
        GITHUB_TOKEN: 'secret',
        AWS_SECRET_ACCESS_KEY: 'secret',
        SSH_AUTH_SOCK: '/tmp/agent',
        WIGGUM_STATE_DIR: '/state',
        LANG: 'C.UTF-8',
      });
      const { environment } = await startCommand(context);
      expect(environment).toMatchObject({
        ANTHROPIC_API_KEY: 'key',
        ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
        CLAUDE_CONFIG_DIR: context.environment['CLAUDE_CONFIG_DIR'],
        CLAUDE_CODE_MAX_RETRIES: '2',
        CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
        DISABLE_AUTOUPDATER: '1',
        LANG: 'C.UTF-8',
      });
      for (const name of [
        'GITHUB_TOKEN',
        'AWS_SECRET_ACCESS_KEY',
        'SSH_AUTH_SOCK',
        'WIGGUM_STATE_DIR',
        'CLAUDE_CODE_SESSION_ID',
        'CLAUDECODE',
      ])
        expect(environment).not.toHaveProperty(name);
    });
  });
});

describe('a session of claude', () => {
  const file = (context: TurnContext, config: string) =>
    path.join(config, 'projects', '-some-folder', `${context.turn.sessionId}.jsonl`);

  const write = async (name: string, text: string) => {
    await mkdir(path.dirname(name), { recursive: true });
    await writeFile(name, text);
  };

  it('is there when its file has content, whatever folder it began in', async () => {
    await withAgents(async (world) => {
      const context = await contextOf(world);
      expect(await sessionExists(context)).toBe(false);
      await write(file(context, context.environment['CLAUDE_CONFIG_DIR'] ?? ''), '{}\n');
      expect(await sessionExists(context)).toBe(true);
    });
  });

  it('is looked for in the home folder when nothing else is set', async () => {
    await withAgents(async (world) => {
      const context = await contextOf(world, { CLAUDE_CONFIG_DIR: '' });
      await write(file(context, path.join(context.environment['HOME'] ?? '', '.claude')), '{}\n');
      expect(await sessionExists(context)).toBe(true);
    });
  });

  it('with an empty file can begin again: the file is taken away', async () => {
    await withAgents(async (world) => {
      const context = await contextOf(world);
      const empty = file(context, context.environment['CLAUDE_CONFIG_DIR'] ?? '');
      await write(empty, '');
      expect(await sessionExists(context)).toBe(false);
      await expect(stat(empty)).rejects.toThrow('ENOENT');
    });
  });
});
