import type { RunPlace } from '../../workflows/domain/agent.ts';
import { own } from '../../workflows/domain/steps.ts';
import { logActivity } from '../agent/activity-log.ts';
import { allowedEnvironment } from '../agent/environment.ts';
import { runKept, timeForAll } from '../checks/kept-command.ts';
import type { HostDependencies } from '../dependencies.ts';
import { enterWorkspace } from '../git/task-repository.ts';

export interface HookOrder {
  place: RunPlace;
  runId: string;
  step: string;
  when: 'pre' | 'post';
  /** Each the name of a registered hook and what it gets beside its own arguments. */
  calls: readonly string[];
  /** Programs with their arguments, by name. */
  hooks: Readonly<Record<string, readonly string[]>>;
}

/** For each hook; all together have no longer than the activity. */
const TIMEOUT_MS = 600_000;

/**
 * Runs the hooks of a step in the workspace, in order: registered ones only, and never by a shell. One
 * that fails is a warning, whatever it is that went wrong with it.
 */
export async function runHooks(
  order: HookOrder,
  host: HostDependencies,
): Promise<{ warnings: string[] }> {
  const { place, runId, step, when } = order;
  const until = performance.now() + timeForAll();
  await enterWorkspace(place);
  const warnings: string[] = [];
  for (const [index, call] of order.calls.entries()) {
    const fault = await faultOf(order, index, until - performance.now(), host);
    if (fault === undefined) continue;
    warnings.push(`hook \`${call}\` (${when}) of ${step}: ${fault}`);
    await logActivity(
      place,
      'hook.failed',
      { step_id: step, run_id: runId, when, hook: call, message: fault },
      `${runId}:${when}-hook-${index + 1}`,
    );
  }
  return { warnings };
}

async function faultOf(
  { place, runId, step, when, calls, hooks }: HookOrder,
  index: number,
  timeLeftMs: number,
  host: HostDependencies,
): Promise<string | undefined> {
  const call = calls[index] ?? '';
  const [name = '', ...given] = call.split(/\s+/).filter(Boolean);
  const [program, ...fixed] = own(hooks, name) ?? [];
  if (program === undefined) return 'it is not registered in .ralph/config.json (hooks.commands)';
  const { exitCode, log } = await runKept(
    {
      place,
      key: `hooks/${runId}/${when}/${index + 1}`,
      program,
      args: [...fixed, ...given],
      title: call,
      logName: `hook-${runId}-${when}-${index + 1}`,
      timeoutMs: Math.min(TIMEOUT_MS, timeLeftMs),
      environment: {
        ...allowedEnvironment(host.environment),
        PIPELINE_WORKER_DIR: place.workerDir,
        PIPELINE_PROJECT_DIR: place.projectDir,
        PIPELINE_WORKSPACE: place.workspace,
        PIPELINE_STEP_ID: step,
      },
    },
    host,
  );
  return exitCode === 0 ? undefined : `exit ${exitCode}; see ${log}`;
}
