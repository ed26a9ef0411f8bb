import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  costLimitLevels,
  knownBackend,
  resolveBackend,
  settingLevels,
  type ProjectConfig,
} from '../config/project-config.ts';
import { limitOfVariable, refuseWrongLimits } from '../config/agent-plan.ts';
import { promptWrappers } from '../config/prompt-wrappers.ts';
import { parseScript } from '../config/script-file.ts';
import { inForce } from '../config/setting.ts';
import type { Environment } from '../config/state-dir.ts';
import { WiggumError } from '../workflows/domain/errors.ts';
import { isOn } from '../workflows/domain/steps.ts';
import { differingSettings, type SweepSettings } from '../workflows/domain/sweep.ts';

/** Flags of `run` and `worker` that shape a sweep; undefined was not given. */
export interface SweepFlags {
  maxWorkers?: number | undefined;
  autoMerge?: boolean | undefined;
  pipeline?: string | undefined;
  backend?: string | undefined;
  script?: string | undefined;
  /** Have a plan made before the work. */
  plan?: boolean | undefined;
}

const PLAN = 'WIGGUM_PLAN_MODE';
// Places and talkativeness of one machine: no matter of a task, and not for its history.
const MACHINE_ONLY =
  /^WIGGUM_(STATE_DIR|CACHE_DIR|TEMPORAL_\w+|LOG_\w+|HOME|MAX_WORKERS|RUNTIME_BACKEND|TEST_\w+)$/;
const SECRET = /TOKEN|SECRET|PASSWORD|CREDENTIAL|API_?KEY/;

/** Decides what a sweep runs with: flags, then environment, then the project's file (checklist 8). */
export async function resolveSettings(input: {
  flags: SweepFlags;
  environment: Environment;
  config: ProjectConfig;
  cwd: string;
  projectDir: string;
}): Promise<SweepSettings> {
  const { flags, environment, config, cwd, projectDir } = input;
  const backend = backendOf(input);
  await mustBeUsable(input, backend);
  const pipeline = flags.pipeline ?? (environment['WIGGUM_PIPELINE'] || undefined);
  const script =
    backend !== 'script'
      ? undefined
      : flags.script !== undefined
        ? resolve(cwd, flags.script)
        : config.runtime.script && resolve(projectDir, config.runtime.script);
  if (backend === 'script') await mustBeScenario(script);
  return {
    maxWorkers: flags.maxWorkers ?? Number(inForce(settingLevels('workers.max_workers', input))),
    autoMerge: flags.autoMerge ?? false,
    backend,
    ...(pipeline === undefined ? {} : { pipeline }),
    ...(script === undefined ? {} : { script }),
    environment: {
      ...shareable(environment),
      // Also when it is off: the variable of a host must not switch it on for a run of others.
      [PLAN]: String(flags.plan ?? inForce(settingLevels('plan_mode', input))),
    },
  };
}

/** The settings of a running sweep, changed only where a flag was really given. */
export function withExplicitFlags(
  running: SweepSettings,
  flags: SweepFlags,
  wanted: SweepSettings,
): SweepSettings {
  const pick = <Key extends keyof SweepSettings & keyof SweepFlags>(key: Key) =>
    flags[key] === undefined ? {} : { [key]: wanted[key] };
  return {
    ...running,
    ...pick('maxWorkers'),
    ...pick('autoMerge'),
    ...pick('pipeline'),
    ...pick('script'),
    // `--script` chooses its backend by itself.
    ...(flags.backend === undefined && flags.script === undefined
      ? {}
      : { backend: wanted.backend }),
    ...(flags.plan && { environment: { ...running.environment, [PLAN]: 'true' } }),
  };
}

/** What two sweeps do not agree on, in the words of the flags. */
export function differingFlags(running: SweepSettings, wanted: SweepSettings): string[] {
  const plan = ({ environment }: SweepSettings) =>
    isOn(environment[PLAN]) ? '--plan' : 'no --plan';
  return [
    ...differingSettings(running, wanted),
    ...(plan(running) === plan(wanted)
      ? []
      : [`it has ${plan(running)}, you ask for ${plan(wanted)}`]),
  ];
}

function backendOf({ flags, environment, config }: Parameters<typeof resolveSettings>[0]) {
  if (flags.backend !== undefined) return knownBackend(flags.backend);
  if (flags.script !== undefined) return 'script';
  return resolveBackend({ environment, config });
}

/** Settings that would stop every task at its first step are refused here, once. */
async function mustBeUsable(
  { environment, config, projectDir }: Parameters<typeof resolveSettings>[0],
  backend: string,
): Promise<void> {
  refuseWrongLimits(environment);
  costLimitLevels({ environment, config });
  await promptWrappers({ environment, config, backend, projectDir });
}

/** A scenario that cannot be used would fail every task; all of its faults are told here. */
async function mustBeScenario(script: string | undefined): Promise<void> {
  if (script === undefined)
    throw new WiggumError(
      'SCRIPT_INVALID',
      'The script backend needs a scenario: give --script FILE, or set runtime.script in .ralph/config.json.',
    );
  const text = await readFile(script, 'utf8').catch((cause: unknown) => {
    throw new WiggumError('SCRIPT_INVALID', 'There is no readable scenario file at this place.', {
      where: script,
      cause,
    });
  });
  const { problems } = parseScript(text);
  if (problems.length === 0) return;
  const lines = problems.map(({ where, message }) => `\n  ${where}: ${message}`);
  throw new WiggumError('SCRIPT_INVALID', `The scenario cannot be used:${lines.join('')}`, {
    where: script,
  });
}

function shareable(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined &&
        entry[0].startsWith('WIGGUM_') &&
        // An agent may be called like a place: the limits of test-coverage are no matter of tests.
        (limitOfVariable(entry[0]) !== undefined ||
          !(MACHINE_ONLY.test(entry[0]) || SECRET.test(entry[0]))),
    ),
  );
}
