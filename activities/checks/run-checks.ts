import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { allowedEnvironment } from '../agent/environment.ts';
import type { HostDependencies } from '../dependencies.ts';
import { enterWorkspace } from '../git/task-repository.ts';
import { runKept, timeForAll, type CommandEnd } from './kept-command.ts';

export interface CheckOrder {
  place: RunPlace;
  /** Command lines for the shell, in order; the first that fails ends the checks. */
  commands: readonly string[];
  purpose: 'before-pull-request' | 'after-rebase';
}

export type Checked = { ok: true } | { ok: false; failed: string; exitCode: number; log: string };

/** Runs the project's own checks in the workspace, one after the other. */
export async function runChecks(order: CheckOrder, host: HostDependencies): Promise<Checked> {
  const until = performance.now() + timeForAll();
  await enterWorkspace(order.place);
  for (const [index, command] of order.commands.entries()) {
    const { exitCode, log } = await runCheck(order, index, until - performance.now(), host);
    if (exitCode !== 0) return { ok: false, failed: command, exitCode, log };
  }
  return { ok: true };
}

function runCheck(
  { place, commands, purpose }: CheckOrder,
  index: number,
  timeoutMs: number,
  host: HostDependencies,
): Promise<CommandEnd> {
  const { workflowExecution, activityId } = Context.current().info;
  const key = `checks/${purpose}/${workflowExecution?.runId ?? ''}/${activityId}/${index + 1}`;
  const command = commands[index] ?? '';
  const short = createHash('sha256').update(key).digest('hex').slice(0, 8);
  return runKept(
    {
      place,
      key,
      program: '/bin/sh',
      args: ['-c', command],
      title: command,
      logName: `checks-${purpose}-${short}`,
      timeoutMs,
      environment: allowedEnvironment(host.environment),
    },
    host,
  );
}
