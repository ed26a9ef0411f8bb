import type { Client } from '@temporalio/client';
import type { SweepSettings } from '../workflows/domain/sweep.ts';
import { capturedSettings } from './captured-settings.ts';
import type { Log } from './command.ts';
import type { Prepared } from './preflight.ts';
import { withExplicitFlags, type SweepFlags } from './sweep-settings.ts';

/**
 * What a task that is begun again runs with: what it was started with before, changed where this command
 * says otherwise. A run that the server has forgotten gives nothing.
 */
export async function earlierSettings(
  client: Client,
  { project, settings: wanted }: Prepared,
  { task, epoch, flags, log }: { task: string; epoch: number; flags: SweepFlags; log: Log },
): Promise<SweepSettings> {
  const captured = await capturedSettings(client, project.id, { task, epoch });
  if (!captured) return wanted;
  const { pipeline, script, ...more } = captured;
  const { WIGGUM_PLAN_MODE: _plan, ...variables } = wanted.environment;
  const earlier: SweepSettings = {
    ...more,
    maxWorkers: wanted.maxWorkers,
    ...(pipeline !== undefined && { pipeline }),
    ...(script !== undefined && { script }),
    environment: { ...captured.environment, ...variables },
  };
  const settings = withExplicitFlags(earlier, flags, wanted);
  if (settings.pipeline !== wanted.pipeline)
    log.info(`${task} keeps the pipeline that it had: ${settings.pipeline ?? 'the usual one'}`);
  return settings;
}
