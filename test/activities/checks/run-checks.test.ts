import { access, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { identityOf } from '../../../activities/process-identity.ts';
import { runChecks, type Checked, type CheckOrder } from '../../../activities/checks/run-checks.ts';
import { createWorkspace } from '../../../activities/git/workspace.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { aHost } from '../../helpers/a-task.ts';
import { inActivity, type TestActivity } from '../../helpers/in-activity.ts';
import { until } from '../../helpers/until.ts';
import { withRepository, type TestProject } from '../../helpers/with-repository.ts';

describe('runChecks', () => {
  it('runs the commands in order in the workspace, until one fails', async () => {
    await inWorkspace(async ({ check, place }) => {
      expect(await check('pwd > where.txt', 'test -f where.txt && test -f README.md')).toEqual({
        ok: true,
      });
      const where = await readFile(path.join(place.workspace, 'where.txt'), 'utf8');
      expect(where.trim()).toBe(place.workspace);
      await rm(path.join(place.workspace, 'where.txt'));
    });
  });

  it('reports the command that failed, its exit code and its log (#120)', async () => {
    await inWorkspace(async ({ check, place }) => {
      const checked = await check('true', 'echo out; echo err >&2; exit 7', 'touch never');
      expect(checked).toEqual({
        ok: false,
        failed: 'echo out; echo err >&2; exit 7',
        exitCode: 7,
        log: expect.stringMatching(/logs\/checks-before-pull-request-[0-9a-f]{8}\.log$/) as unknown,
      });
      const log = checked.ok ? '' : await readFile(checked.log, 'utf8');
      expect(log).toBe('$ echo out; echo err >&2; exit 7\nout\nerr\n');
      await expect(access(path.join(place.workspace, 'never'))).rejects.toThrow();
    });
  });

  it('gives a check the plain variables and no secrets', async () => {
    await inWorkspace(async ({ check }) => {
      expect(await check('test -n "$PATH" && test -z "$GITHUB_TOKEN"')).toEqual({ ok: true });
    });
  });

  it('does not repeat on a retry what has ended', async () => {
    await inWorkspace(async ({ check, place }) => {
      const commands = ['echo once >> count.txt', 'exit 3'];
      const first = await check(...commands);
      expect(await check(...commands)).toEqual(first);
      expect(await readFile(path.join(place.workspace, 'count.txt'), 'utf8')).toBe('once\n');
    });
  });

  it('ends a check and all it started when cancelled, and reports a cancellation', async () => {
    await inWorkspace(async ({ begin, place }) => {
      const child = `sh -c 'trap "" TERM; echo $$ > child.pid; while :; do sleep 0.1; done' &`;
      const activity = begin(`${child} wait`);
      const pidFile = path.join(place.workspace, 'child.pid');
      await until('the child is there', async () => (await readText(pidFile)).endsWith('\n'));
      await until('a heartbeat', () => activity.beats.length > 0);
      activity.cancel({ cancelRequested: true });
      await expect(activity.result).rejects.toThrow('CANCELLED');
      const pid = Number(await readFile(pidFile, 'utf8'));
      expect(await identityOf(pid)).toBeUndefined();
    });
  });

  it('ends what a check leaves running behind it', async () => {
    await inWorkspace(async ({ check, place }) => {
      expect(await check('sleep 300 & echo $! > left.pid')).toEqual({ ok: true });
      const pid = (await readFile(path.join(place.workspace, 'left.pid'), 'utf8')).trim();
      expect(await identityOf(Number(pid))).toBeUndefined();
    });
  });

  it('says so when the workspace is gone', async () => {
    await inWorkspace(async ({ check, place }) => {
      await rm(place.workspace, { recursive: true });
      await expect(check('true')).rejects.toMatchObject({ code: 'WORKSPACE_GONE' });
    });
  });
});

async function inWorkspace(
  use: (world: {
    project: TestProject;
    place: RunPlace;
    begin: (...commands: string[]) => TestActivity<Checked>;
    check: (...commands: string[]) => Promise<Checked>;
  }) => Promise<void>,
): Promise<void> {
  await withRepository(async (project) => {
    const place = project.place();
    await createWorkspace(place);
    const begin = (...commands: string[]) => {
      const order: CheckOrder = { place, commands, purpose: 'before-pull-request' };
      return inActivity(() => runChecks(order, aHost(project)));
    };
    await use({ project, place, begin, check: (...commands) => begin(...commands).result });
  });
}

function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
