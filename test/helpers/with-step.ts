import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { createWorkspace } from '../../activities/git/workspace.ts';
import { beginStep, type StepBegun } from '../../activities/step/begin-step.ts';
import { endStep, type StepEnd } from '../../activities/step/end-step.ts';
import type { AgentPlan, RunPlace } from '../../workflows/domain/agent.ts';
import { NO_USAGE } from '../../workflows/domain/usage.ts';
import { anAgentPlan } from './a-step-record.ts';
import { withRepository, type TestProject } from './with-repository.ts';

/** A step `audit` of a task run with a workspace. */
export interface StepWorld {
  agent: AgentPlan;
  project: TestProject;
  place: RunPlace;
  git: (...args: string[]) => Promise<string>;
  write: (files: Record<string, string>) => Promise<void>;
  begin: (readonly?: boolean) => Promise<StepBegun>;
  end: (changes?: Partial<StepEnd>, run?: Partial<StepEnd['run']>) => ReturnType<typeof endStep>;
  /** The newest result. */
  record: () => Promise<Record<string, unknown>>;
  events: () => Promise<string[]>;
}

/** Makes the task run, lets a test go through the step, and removes everything. */
export async function withStep(use: (world: StepWorld) => Promise<void>): Promise<void> {
  await withRepository(async (project) => {
    const place = project.place();
    await createWorkspace(place);
    const runId = 'audit-1700000100';
    const agent = anAgentPlan({ timeoutSeconds: 60 });
    await use({
      agent,
      project,
      place,
      git: (...args) => project.git(args, place.workspace),
      write: (files) => project.write(files, place.workspace),
      begin: (readonly = false) =>
        beginStep({ place, runId, step: 'audit', agent: agent.type, readonly }),
      end: (changes = {}, run = {}) =>
        endStep({
          place,
          runId,
          epoch: 1700000100,
          step: 'audit',
          agent,
          readonly: false,
          commitAfter: false,
          startedAt: '2026-01-01T00:00:00.000Z',
          resultMappings: {},
          run: {
            result: 'PASS',
            why: 'result',
            iterations: 1,
            sessionId: 'sid',
            usage: { ...NO_USAGE, costUsd: 0.5, turns: 3 },
            runId,
            lastIteration: 0,
            ...run,
          },
          ...changes,
        }),
      record: async () => {
        const folder = path.join(place.workerDir, 'results');
        const name = (await readdir(folder)).sort().at(-1) ?? '';
        return JSON.parse(await readFile(path.join(folder, name), 'utf8')) as Record<
          string,
          unknown
        >;
      },
      events: async () =>
        (await readFile(path.join(place.workerDir, 'activity.jsonl'), 'utf8'))
          .trimEnd()
          .split('\n')
          .map((line) => (JSON.parse(line) as { event: string }).event),
    });
  });
}
