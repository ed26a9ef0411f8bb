import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { runAgent } from '../../activities/agent/run-agent.ts';
import type { HostDependencies } from '../../activities/dependencies.ts';
import { beginStep } from '../../activities/step/begin-step.ts';
import { endStep, type StepEnded } from '../../activities/step/end-step.ts';
import { prepareTask } from '../../activities/task/prepare-task.ts';
import type { AgentTurn, ParentContext, RunPlace } from '../../workflows/domain/agent.ts';
import { findUnit } from '../../workflows/domain/steps.ts';
import type { PreparedTask } from '../../workflows/domain/task.ts';
import { aBoard } from './a-board.ts';
import { aHost, aTaskInput } from './a-task.ts';
import { inActivity } from './in-activity.ts';
import { withRepository, type TestProject } from './with-repository.ts';

/** A task run whose steps a test goes through by hand, each with the real activities and a real agent process. */
export interface PipelineRun {
  project: TestProject;
  place: RunPlace;
  host: HostDependencies;
  /** As the task is prepared when this is in the environment of the starting command. */
  prepare: (environment?: Record<string, string>) => Promise<PreparedTask>;
  /** Goes through one step (`audit`) or handler (`audit/audit-fix`); each action is a line of YAML. */
  visit: (at: string, actions: string[], more?: Partial<AgentTurn>) => Promise<Visit>;
  /** A file of the workspace, or of the worker folder when it begins with `../`. */
  read: (file: string) => Promise<string>;
}

export interface Visit {
  ended: StepEnded;
  /** What later steps may know of this one. */
  context: ParentContext;
}

/** Makes a task run with the pipeline below, lets a test go through it, and removes it. */
export async function withPipelineRun(use: (run: PipelineRun) => Promise<void>): Promise<void> {
  await withRepository(async (project) => {
    await project.write({
      '.ralph/kanban.md': aBoard().withTask('TASK-001').text(),
      '.ralph/pipeline.json': JSON.stringify(PIPELINE),
      ...Object.fromEntries(
        Object.entries(AGENTS).map(([name, head]) => [
          `.ralph/agents/test/${name}.md`,
          agent(name, head),
        ]),
      ),
    });
    const host = aHost(project);
    const prepare = (environment: Record<string, string> = {}) =>
      prepareTask(aTaskInput(project, { settings: { environment } }), host);
    const prepared = await prepare();
    const { place } = prepared;
    let epoch = 1700000100;
    await use({
      project,
      place,
      host,
      prepare,
      read: (file) => readFile(path.resolve(place.workspace, file), 'utf8'),
      visit: (at, actions, more = {}) => {
        epoch += 1;
        return visitStep({ project, prepared, host }, { at, actions, epoch, more });
      },
    });
  });
}

async function visitStep(
  {
    project,
    prepared,
    host,
  }: { project: TestProject; prepared: PreparedTask; host: HostDependencies },
  {
    at,
    actions,
    epoch,
    more,
  }: { at: string; actions: string[]; epoch: number; more: Partial<AgentTurn> },
): Promise<Visit> {
  const { place, pipeline, branch } = prepared;
  const unit = findUnit(pipeline, at.split('/'));
  const plan = prepared.plans[at];
  if (!unit || !plan) throw new Error(`there is no ${at}`);
  const script = path.join(project.dir, '..', `scenario-${epoch}.yaml`);
  const lines = actions.map((action, index) => `    ${index === 0 ? '- -' : '  -'} ${action}`);
  await project.write({ [script]: ['agents:', `  ${unit.id}:`, ...lines, ''].join('\n') }, '/');
  const runId = `${unit.id}-${epoch}`;
  const readonly = unit.readonly || plan.readonly;
  const begun = await beginStep({ place, runId, step: unit.id, agent: plan.type, readonly });
  const turn: AgentTurn = {
    place,
    key: `${runId}/0-work-0/life`,
    stepId: unit.id,
    runId,
    agent: plan.type,
    purpose: 'work',
    iteration: 0,
    visit: 1,
    sessionId: `11111111-2222-4333-8444-${String(epoch).padStart(12, '0')}`,
    continues: false,
    limits: { maxTurns: plan.maxTurns, timeoutSeconds: 60, maxIterations: plan.maxIterations },
    validResults: plan.validResults,
    readonly,
    restarts: 0,
    outputs: {},
    branch,
    ...(begun.checkpoint && { checkpoint: begun.checkpoint }),
    environment: {},
    backend: 'script',
    script,
    ...more,
  };
  const outcome = await inActivity(() => runAgent(turn, host)).result;
  if (outcome.kind !== 'ok') throw new Error(`${at}: ${JSON.stringify(outcome)}`);
  const ended = await endStep({
    place,
    runId,
    epoch,
    step: unit.id,
    agent: plan,
    readonly,
    commitAfter: unit.commitAfter,
    startedAt: begun.startedAt,
    resultMappings: pipeline.resultMappings,
    run: {
      result: outcome.result ?? 'UNKNOWN',
      why: 'result',
      iterations: 1,
      sessionId: outcome.sessionId,
      ...(outcome.report && { report: outcome.report }),
      usage: outcome.usage,
      runId,
      lastIteration: 0,
    },
  });
  return {
    ended,
    context: {
      stepId: unit.id,
      runId,
      sessionId: outcome.sessionId,
      result: ended.result,
      ...(ended.report && { report: ended.report }),
      outputDir: ended.outputDir,
    },
  };
}

const PIPELINE = {
  name: 'passing',
  steps: [
    { id: 'planning', agent: 'test.worker', max: 2, enabled_by: 'WIGGUM_PLAN_MODE' },
    { id: 'execution', agent: 'test.worker', max: 2, commit_after: true },
    {
      id: 'audit',
      agent: 'test.auditor',
      max: 3,
      readonly: true,
      on_result: { FIX: { id: 'audit-fix', agent: 'test.fixer', max: 2, commit_after: true } },
    },
    { id: 'last', agent: 'test.worker', max: 2 },
  ],
};

const AGENTS: Record<string, string[]> = {
  worker: ['mode: ralph_loop', 'outputs: [session_id, finding]'],
  auditor: ['mode: once', 'outputs: [report_file]'],
  fixer: [
    'mode: once',
    'outputs: [plan_file, output_file]',
    'output_path: fixes/{{parent.step_id}}-{{next.step_id}}-{{prev_iteration}}.md',
  ],
};

const agent = (name: string, head: string[]) =>
  [
    '---',
    `type: test.${name}`,
    'description: An agent of a test',
    'required_paths: [workspace]',
    'valid_results: [PASS, FIX, FAIL]',
    ...head,
    '---',
    '<WIGGUM_SYSTEM_PROMPT>',
    'You are {{step_id}}.',
    '</WIGGUM_SYSTEM_PROMPT>',
    '',
    '<WIGGUM_USER_PROMPT>',
    'Do {{task_id}}.',
    '</WIGGUM_USER_PROMPT>',
    '',
    '<WIGGUM_CONTINUATION_PROMPT>',
    'Go on.',
    '</WIGGUM_CONTINUATION_PROMPT>',
    '',
  ].join('\n');
