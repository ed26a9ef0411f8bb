import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { createAgentActivities, createHostActivities } from '../../activities/index.ts';
import { createWorkspace } from '../../activities/git/workspace.ts';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { NO_USAGE } from '../../workflows/domain/usage.ts';
import { anAgentPlan } from '../helpers/a-step-record.ts';
import { aHost, aTaskInput } from '../helpers/a-task.ts';
import { inActivity } from '../helpers/in-activity.ts';
import { withAgents } from '../helpers/with-agents.ts';
import { withRepository, type TestProject } from '../helpers/with-repository.ts';

const run = promisify(execFile);
const RUN_ID = 'audit-1700000100';

describe('an activity in a spoilt worker folder', () => {
  it.each([
    ['a file', 'results', 'echo x > results'],
    ['a file', 'reports', 'echo x > reports'],
    ['a file', 'summaries', 'echo x > summaries'],
    ['a folder', 'gate_result', 'mkdir -p gate_result/x'],
    ['a link', 'results', 'ln -s results results'],
    ['a link', 'results', 'ln -s nowhere results'],
    ['something else', 'results', 'mkfifo results'],
  ])('ends a step for good, and names %s in the place of %s', async (kind, name, command) => {
    await withSpoilt(command, async ({ place, endStep }) => {
      const file = path.join(place.workerDir, name);
      await expect(endStep()).rejects.toMatchObject({
        type: 'WORKER_FOLDER_SPOILT',
        nonRetryable: true,
        message: expect.stringMatching(
          new RegExp(`${kind} in the way.*wiggum worker start TASK-001.*\\(${file}\\)$`),
        ),
      });
    });
  });

  it.each(['mkfifo records.jsonl', 'mkdir activity.jsonl'])(
    'ends a step as ever after `%s`',
    async (command) => {
      await withSpoilt(command, async ({ endStep }) => {
        expect(await endStep()).toMatchObject({ result: 'PASS' });
      });
    },
  );

  it.each(['checkpoints', 'logs', 'leases', 'output'])(
    'ends a turn for good when %s is a file',
    async (name) => {
      await withAgents(async ({ place, host, turn, script }) => {
        const { runAgent } = createAgentActivities(host);
        const file = path.join(place.workerDir, name);
        await writeFile(file, 'x');
        const passing = turn({ script: await script('agents:\n  audit:\n    - - result: PASS\n') });
        await expect(inActivity(() => runAgent(passing)).result).rejects.toMatchObject({
          type: 'WORKER_FOLDER_SPOILT',
          nonRetryable: true,
          message: expect.stringContaining(`(${file})`),
        });
      });
    },
  );

  it.each([
    ['failure.md', 'mkdir failure.md'],
    ['the folder itself', 'rm -rf ../$(basename "$PWD"); echo x > "$PWD"'],
  ])('gives up the reason file of a task at once when %s is in the way', async (_what, command) => {
    await withSpoilt(command, async ({ project, host }) => {
      await expect(
        host.writeFailure({ ...aTaskInput(project), reason: 'x', steps: [] }),
      ).rejects.toMatchObject({ type: 'NOT_WRITABLE', nonRetryable: true });
    });
  });

  it.each(['echo x > results', 'mkdir gate_result'])(
    'gives up the record of a task at once after `%s`',
    async (command) => {
      await withSpoilt(command, async ({ place, host }) => {
        const startedAt = '2026-01-01T00:00:00.000Z';
        await expect(
          host.recordTask({
            place,
            startedAt,
            result: 'FAIL',
            outputs: { branch: 'b' },
            steps: [],
          }),
        ).rejects.toMatchObject({ type: 'NOT_WRITABLE', nonRetryable: true });
      });
    },
  );

  it('leaves faults elsewhere as they are: they may heal', async () => {
    await withSpoilt('rm -rf ../../logs; echo x > ../../logs', async ({ place, endStep }) => {
      expect(await readFile(path.join(place.ralphDir, 'logs'), 'utf8')).toBe('x\n');
      await expect(endStep()).rejects.toMatchObject({ code: 'EEXIST' });
    });
  });
});

interface Spoilt {
  project: TestProject;
  place: RunPlace;
  host: ReturnType<typeof createHostActivities>;
  endStep: () => Promise<{ result: string }>;
}

/** A task run in whose worker folder an agent has run a command. */
async function withSpoilt(command: string, use: (spoilt: Spoilt) => Promise<void>): Promise<void> {
  await withRepository(async (project) => {
    const place = project.place();
    await createWorkspace(place);
    await run('/bin/sh', ['-c', command], { cwd: place.workerDir });
    const host = createHostActivities(aHost(project));
    const endStep = () =>
      host.endStep({
        place,
        runId: RUN_ID,
        epoch: 1700000100,
        step: 'audit',
        agent: anAgentPlan(),
        readonly: false,
        commitAfter: false,
        startedAt: '2026-01-01T00:00:00.000Z',
        resultMappings: {},
        run: {
          result: 'PASS',
          why: 'result',
          iterations: 1,
          sessionId: 'sid',
          usage: NO_USAGE,
          runId: RUN_ID,
          lastIteration: 0,
        },
      });
    await use({ project, place, host, endStep });
  });
}
