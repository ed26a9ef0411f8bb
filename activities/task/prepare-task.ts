import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { planOf } from '../../config/agent-plan.ts';
import type { AgentDefinition } from '../../config/agent-definition.ts';
import { createFile } from '../../config/create-file.ts';
import { FAILURE_FILE } from '../../config/failure-file.ts';
import { loadRun } from '../../config/load-definitions.ts';
import { costLimitLevels, loadProjectConfig } from '../../config/project-config.ts';
import { inForce } from '../../config/setting.ts';
import type { Environment } from '../../config/state-dir.ts';
import type { AgentPlan, RunPlace } from '../../workflows/domain/agent.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { renderPrd } from '../../workflows/domain/prd.ts';
import {
  enabledVariables,
  unitKey,
  unitsOf,
  type Pipeline,
  type Step,
} from '../../workflows/domain/steps.ts';
import type { PreparedTask } from '../../workflows/domain/task.ts';
import type { TaskInput } from '../../workflows/domain/task-input.ts';
import { logActivity } from '../agent/activity-log.ts';
import { readIfThere, writeDurably } from '../durable-file.ts';
import { readTask } from '../board/read-board.ts';
import type { HostDependencies } from '../dependencies.ts';
import { createWorkspace } from '../git/workspace.ts';
import { notWritable } from '../not-writable.ts';
import { countEnds } from './record-task.ts';
import { placeOf } from './run-place.ts';

/** Folders of a task run that are there from the start (checklist 184); others come with their use. */
const FOLDERS = [
  'live_sessions',
  'logs',
  'results',
  'reports',
  'summaries',
  'checkpoints',
  'output',
];

/** Makes everything a task run needs before its first step; a retry or restart adopts what is there. */
export async function prepareTask(input: TaskInput, host: HostDependencies): Promise<PreparedTask> {
  const place = placeOf(input);
  const { ralphDir, settings, taskId } = input;
  const environment = { ...host.environment, ...settings.environment };
  const config = await loadProjectConfig(ralphDir, environment);
  // First what can be wrong in the project's files: nothing is made for a task that cannot run.
  const { pipeline, source, agents } = await loadRun(
    { taskId, ...(settings.pipeline && { pipeline: settings.pipeline }) },
    { ralphDir, environment },
  );
  // Variables of ours count as the starting command had them: the same on every host (checklist 98).
  const started = { environment: settings.environment, config };
  const costLimitUsd = inForce(costLimitLevels({ ...started, pipeline }));
  const units = unitsOf(pipeline);
  const plans = Object.fromEntries(
    units.map(({ path: at, step }): [string, AgentPlan] => [
      unitKey(at),
      planOf(agentOf(agents, step), step, { ...started, pipeline: source }),
    ]),
  );
  await makeFolders(place);
  await writePrd(place);
  const workspace = await createWorkspace(
    place,
    config.git.default_branch ? { target: config.git.default_branch } : {},
  );
  await rm(path.join(place.workerDir, FAILURE_FILE), { force: true }); // of a run that goes on now
  await writePipelineRecord(place, pipeline, source);
  await logActivity(
    place,
    'task.started',
    { pipeline: pipeline.name, branch: workspace.branch },
    `task:started-${await countEnds(place)}`,
  );
  return {
    place,
    ...workspace,
    pipeline: { ...pipeline, ...(costLimitUsd !== undefined && { costLimitUsd }) },
    plans,
    enabled: enabledVariables(pipeline, { ...foreign(host.environment), ...settings.environment }),
    checks: config.checks,
    hooks: config.hooks.commands,
  };
}

/** Variables that are not ours; a pipeline may switch its steps by any. */
function foreign(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('WIGGUM_')),
  );
}

function agentOf(agents: Readonly<Record<string, AgentDefinition>>, step: Step): AgentDefinition {
  const definition = agents[step.agent];
  if (definition) return definition;
  throw new WiggumError('AGENT_MISSING', `step ${step.id}: there is no agent ${step.agent}`);
}

async function makeFolders({ workerDir }: RunPlace): Promise<void> {
  try {
    for (const name of FOLDERS) await mkdir(path.join(workerDir, name), { recursive: true });
  } catch (cause) {
    throw notWritable(cause, 'the worker folder', workerDir);
  }
}

/** Written once: agents tick its items, and a retry must not take that back. */
async function writePrd(place: RunPlace): Promise<void> {
  const file = path.join(place.workerDir, 'prd.md');
  if ((await readIfThere(file)) !== undefined) return;
  const task = await readTask({ ralphDir: place.ralphDir, id: place.taskId });
  await createFile(file, renderPrd(task)); // not when somebody was faster
}

/** For people and for the original's tools: which pipeline this run goes through. */
async function writePipelineRecord(
  { workerDir }: RunPlace,
  pipeline: Pipeline,
  source: string,
): Promise<void> {
  const record = {
    pipeline: { name: pipeline.name, source },
    steps: Object.fromEntries(
      unitsOf(pipeline).map(({ path: at, step }) => [
        unitKey(at),
        { agent: step.agent, config: step.config },
      ]),
    ),
  };
  await writeDurably(
    path.join(workerDir, 'pipeline-config.json'),
    `${JSON.stringify(record, null, 2)}\n`,
  );
}
