import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageRoot } from '../../../config/package-root.ts';
import type { AgentTurn } from '../../../workflows/domain/agent.ts';
import { withAgents, type AgentWorld } from '../../helpers/with-agents.ts';

const HOST = {
  LANG: 'C.UTF-8',
  HTTPS_PROXY: 'http://proxy',
  GITHUB_TOKEN: 'secret',
  TEMPORAL_API_KEY: 'secret',
  NODE_OPTIONS: '--disable-warning=none',
  AWS_SECRET_ACCESS_KEY: 'secret',
  WIGGUM_STATE_DIR: '/state',
  WIGGUM_PARENT_RESULT: 'of somebody else',
};

const known = (world: AgentWorld): Partial<AgentTurn> => ({
  readonly: true,
  limits: { maxTurns: 30, timeoutSeconds: 60, maxIterations: 3 },
  parent: {
    stepId: 'execution',
    runId: 'execution-1700000050',
    sessionId: '33333333-2222-4333-8444-555555555555',
    result: 'FIX',
    report: path.join(world.place.workerDir, 'reports', 'r.md'),
    outputDir: path.join(world.place.workerDir, 'output', 'test.loop'),
  },
  nextStepId: 'docs',
  outputs: { report_file: 'reports/r.md', 'odd-key': 'a\0b', many: 'one\ntwo' },
  pullRequestUrl: 'https://example.com/pr/7',
  checkpoint: 'c0ffee',
  environment: { WIGGUM_PLAN_FILE: '/plans/of-the-command.md', WIGGUM_COLOUR: 'red' },
});

const expected = ({ place, host }: AgentWorld) => ({
  WIGGUM_TASK_ID: 'AB-1',
  WIGGUM_STEP_ID: 'audit',
  WIGGUM_STEP_READONLY: 'true',
  WIGGUM_STEP_TIMEOUT: '60',
  WIGGUM_CURRENT_AGENT_TYPE: 'test.once',
  WIGGUM_WORKER_DIR: place.workerDir,
  WIGGUM_PLAN_FILE: '/plans/of-the-command.md',
  WIGGUM_PARENT_STEP_ID: 'execution',
  WIGGUM_PARENT_RUN_ID: 'execution-1700000050',
  WIGGUM_PARENT_SESSION_ID: '33333333-2222-4333-8444-555555555555',
  WIGGUM_PARENT_RESULT: 'FIX',
  WIGGUM_PARENT_REPORT: path.join(place.workerDir, 'reports', 'r.md'),
  WIGGUM_PARENT_OUTPUT_DIR: path.join(place.workerDir, 'output', 'test.loop'),
  WIGGUM_NEXT_STEP_ID: 'docs',
  WIGGUM_OUTPUT_REPORT_FILE: 'reports/r.md',
  WIGGUM_OUTPUT_ODD_KEY: 'ab',
  WIGGUM_OUTPUT_MANY: 'one\ntwo',
  WIGGUM_HOME: host.environment['WIGGUM_HOME'],
  RALPH_RUN_ID: 'audit-1700000100',
  RALPH_DIR: place.ralphDir,
  PROJECT_DIR: place.projectDir,
  PIPELINE_PLAN_FILE: '/plans/of-the-command.md',
  PIPELINE_RESUME_INSTRUCTIONS: path.join(place.workerDir, 'resume_instructions.md'),
  AGENT_CONFIG_MAX_ITERATIONS: '3',
  AGENT_CONFIG_MAX_TURNS: '30',
  GIT_COMMIT_BRANCH: 'task/AB-1-1700000000',
  GIT_PR_URL: 'https://example.com/pr/7',
  GIT_SAFETY_CHECKPOINT_SHA: 'c0ffee',
  PATH: host.environment['PATH'],
  HOME: host.environment['HOME'],
  LANG: 'C.UTF-8',
  HTTPS_PROXY: 'http://proxy',
  // Marks the processes of the attempt.
  WIGGUM_ATTEMPT: expect.stringMatching(/^[0-9a-f-]{36}$/),
});

const ENTRY = `require('fs').writeFileSync('environment.json', JSON.stringify(process.env))`;

const printed = async (world: AgentWorld) =>
  JSON.parse(await world.read('workspace/environment.json')) as Record<string, string>;

async function withHost(use: (world: AgentWorld) => Promise<void>): Promise<void> {
  await withAgents(async (world) => {
    Object.assign(world.host.environment, HOST);
    await use(world);
  });
}

describe('the environment of an agent', () => {
  it('tells a scripted agent where it stands, and nothing else (#188, #78)', async () => {
    await withHost(async (world) => {
      await writeFile(path.join(world.place.workerDir, 'resume_instructions.md'), 'go on');
      await writeFile(path.join(world.place.workspace, 'print.cjs'), ENTRY);
      const script = await world.script(
        `agents: { audit: [[{ run: "'${process.execPath}' print.cjs" }]] }`,
      );
      await world.run(world.turn({ ...known(world), script }));
      // A shell adds these itself.
      const { PWD, OLDPWD, SHLVL, _, ...environment } = await printed(world);
      expect([PWD, OLDPWD, SHLVL, _]).toHaveLength(4);
      expect(environment).toEqual(expected(world));
    });
  });

  it('gives the claude program its credential beside that, and nothing else (#188)', async () => {
    await withHost(async (world) => {
      await writeFile(path.join(world.place.workerDir, 'resume_instructions.md'), 'go on');
      const program = path.join(world.place.projectDir, 'prints-environment.cjs');
      await writeFile(program, `#!${process.execPath}\n${ENTRY}`);
      await chmod(program, 0o755);
      Object.assign(world.host.environment, { CLAUDE: program, ANTHROPIC_API_KEY: 'key' });
      await world.run(world.turn({ ...known(world), backend: 'claude' }));
      const environment = Object.entries(await printed(world)).filter(
        ([name]) => !/^(CLAUDE_CODE_|DISABLE_|API_TIMEOUT_MS)/.test(name),
      );
      expect(Object.fromEntries(environment)).toEqual({
        ...expected(world),
        ANTHROPIC_API_KEY: 'key',
        CLAUDE_CONFIG_DIR: world.host.environment['CLAUDE_CONFIG_DIR'],
      });
    });
  });

  it('leaves out what a first step has not, and names our own installation (#188)', async () => {
    await withHost(async (world) => {
      Object.assign(world.host.environment, { WIGGUM_HOME: '' });
      await writeFile(path.join(world.place.workspace, 'print.cjs'), ENTRY);
      const script = await world.script(
        `agents: { audit: [[{ run: "'${process.execPath}' print.cjs" }]] }`,
      );
      await world.run(world.turn({ script }));
      const environment = await printed(world);
      const names = Object.keys(environment).filter((name) =>
        /^(WIGGUM_(PARENT|NEXT|OUTPUT)|GIT_|PIPELINE_)/.test(name),
      );
      expect(names.sort()).toEqual(['GIT_COMMIT_BRANCH', 'PIPELINE_PLAN_FILE']);
      expect(environment).toMatchObject({
        WIGGUM_HOME: packageRoot(),
        WIGGUM_STEP_READONLY: 'false',
        WIGGUM_PLAN_FILE: path.join(world.place.ralphDir, 'plans', 'AB-1.md'),
      });
    });
  });

  it('is in no file of the attempt (#188)', async () => {
    await withHost(async (world) => {
      Object.assign(world.host.environment, { HTTPS_PROXY: 'http://user:word@proxy' });
      const turn = world.turn(known(world));
      const { log } = await world.run(turn);
      expect(await readFile(log, 'utf8')).not.toContain('user:word');
    });
  });
});
