import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { turnFolder } from '../../../activities/agent/lease.ts';
import { createWorkspace } from '../../../activities/git/workspace.ts';
import { runHooks, type HookOrder } from '../../../activities/step/run-hooks.ts';
import type { RunPlace } from '../../../workflows/domain/agent.ts';
import { aHost } from '../../helpers/a-task.ts';
import { inActivity } from '../../helpers/in-activity.ts';
import { withRepository } from '../../helpers/with-repository.ts';

describe('runHooks', () => {
  it('runs registered programs in the workspace, in order, with their arguments (#58)', () =>
    withHooks(async ({ call, read }) => {
      await call({ note: ['sh', '-c', 'echo "$PWD|$*" >> notes.txt', 'sh', 'fixed'] }, [
        'note one  two',
        'note three',
      ]);
      const notes = await read('notes.txt');
      expect(notes).toMatch(/workspace\|fixed one two\n.*workspace\|fixed three\n$/);
    }));

  it('gives what is written behind the name to no shell (#58)', () =>
    withHooks(async ({ call, read, place }) => {
      const { warnings } = await call({ say: ['printf', '%s\n'] }, [
        'say $(touch planted) ; touch planted | `touch planted` $HOME',
      ]);
      expect(warnings).toEqual([]);
      const log = await readFile(path.join(place.workerDir, 'logs/hook-audit-1-pre-1.log'), 'utf8');
      expect(log.split('\n').slice(1, 4)).toEqual(['$(touch', 'planted)', ';']);
      await expect(read('planted')).rejects.toThrow('ENOENT');
    }));

  it('gives them the places of the step, and no secret (#58)', () =>
    withHooks(async ({ call, read, place }) => {
      await call({ show: ['sh', '-c', 'env > env.txt'] }, ['show']);
      const env = (await read('env.txt')).split('\n');
      expect(env).toEqual(
        expect.arrayContaining([
          `PIPELINE_WORKER_DIR=${place.workerDir}`,
          `PIPELINE_PROJECT_DIR=${place.projectDir}`,
          `PIPELINE_WORKSPACE=${place.workspace}`,
          'PIPELINE_STEP_ID=audit',
        ]),
      );
      expect(env.join('\n')).not.toContain('secret');
    }));

  it.each<[string, string[] | undefined, RegExp]>([
    ['fails', ['sh', '-c', 'exit 7'], /exit 7; see .*hook-audit-1-pre-1\.log$/],
    ['is ended by a signal', ['sh', '-c', 'kill -9 $$'], /exit 128; see/],
    ['is no program', ['no-such-program-here'], /exit 127; see/],
    ['may not be run', ['./README.md'], /exit 127; see/],
    ['is not registered', undefined, /not registered in \.ralph\/config\.json/],
  ])('only warns of a hook that %s, and goes on with the next (#58)', (_title, argv, fault) =>
    withHooks(async ({ call, read, events }) => {
      const hooks = { ...(argv && { odd: argv }), note: ['touch', 'noted'] };
      const { warnings } = await call(hooks, ['odd now', 'note']);
      expect(warnings).toEqual([expect.stringMatching(/^hook `odd now` \(pre\) of audit: /)]);
      expect(warnings[0]).toMatch(fault);
      expect(await read('noted')).toBe('');
      expect(await events()).toEqual([
        expect.objectContaining({ event: 'hook.failed', step_id: 'audit', hook: 'odd now' }),
      ]);
    }),
  );

  it.each(['constructor', '__proto__', 'toString'])('takes %s for no hook (#58)', (name) =>
    withHooks(async ({ call }) => {
      expect((await call({}, [name])).warnings).toHaveLength(1);
    }),
  );

  it('does not run again on a retry what has ended, and says it once (#58)', () =>
    withHooks(async ({ call, read, events }) => {
      const hooks = { count: ['sh', '-c', 'echo x >> count.txt; exit 1'] };
      const first = await call(hooks, ['count']);
      expect(await call(hooks, ['count'])).toEqual(first);
      expect(await read('count.txt')).toBe('x\n');
      expect(await events()).toHaveLength(1);
    }));

  it("takes its end from the keeper's record when ours cannot be read (#210)", () =>
    withHooks(async ({ call, read, place }) => {
      const hooks = { count: ['sh', '-c', 'echo x >> count.txt; exit 1'] };
      const first = await call(hooks, ['count']);
      await damageEnds(place);
      expect(await call(hooks, ['count'])).toEqual(first);
      expect(await read('count.txt')).toBe('x\n');
    }));

  it('ends them all before the activity itself is given up (#58)', () =>
    withHooks(async ({ call }) => {
      const spare = 5 * 60_000;
      const hooks = { rest: ['sleep', '20'] };
      const { warnings } = await call(hooks, ['rest', 'rest'], {}, spare + 1_000);
      expect(warnings).toEqual([
        expect.stringContaining('exit 124'),
        expect.stringContaining('exit 124'),
      ]);
    }));

  it('fails at once when the workspace has vanished (#65)', () =>
    withHooks(async ({ call, place }) => {
      await expect(
        call({}, [], { place: { ...place, workspace: `${place.workspace}-gone` } }),
      ).rejects.toMatchObject({ code: 'WORKSPACE_GONE' });
    }));
});

interface Hooks {
  place: RunPlace;
  call: (
    hooks: HookOrder['hooks'],
    calls: string[],
    more?: Partial<HookOrder>,
    activityMs?: number,
  ) => ReturnType<typeof runHooks>;
  read: (file: string) => Promise<string>;
  events: () => Promise<Record<string, unknown>[]>;
}

async function withHooks(use: (hooks: Hooks) => Promise<void>): Promise<void> {
  await withRepository(async (project) => {
    const place = project.place();
    await createWorkspace(place);
    await chmod(path.join(place.workspace, 'README.md'), 0o644);
    const order = { place, runId: 'audit-1', step: 'audit', when: 'pre' } as const;
    await use({
      place,
      call: (hooks, calls, more, activityMs) => {
        const act = () => runHooks({ ...order, hooks, calls, ...more }, aHost(project));
        return inActivity(act, 1, activityMs).result;
      },
      read: (file) => readFile(path.join(place.workspace, file), 'utf8'),
      events: async () =>
        (await readFile(path.join(place.workerDir, 'activity.jsonl'), 'utf8'))
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as Record<string, unknown>),
    });
  });
}

async function damageEnds({ workerDir }: RunPlace): Promise<void> {
  await writeFile(path.join(turnFolder(workerDir, 'hooks/audit-1/pre/1'), 'finished.json'), '{"ex');
}
