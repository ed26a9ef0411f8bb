import { WiggumError } from '../workflows/domain/errors.ts';
import { readConfigFiles, type ConfigFile, type ConfigValues } from './config-file.ts';
import { configLevels, DEFAULTS, isObject } from './config-levels.ts';
import { inForce, type Level } from './setting.ts';
import type { Environment } from './state-dir.ts';

/** Backends that a run can name. */
export const BACKENDS = ['claude', 'script'] as const;

/** The settings in force: `.ralph/config.json` over the file of WIGGUM_HOME over what is built in. */
export type ProjectConfig = ConfigValues &
  typeof DEFAULTS & {
    /** What they were merged from, the strongest first. */
    files: readonly ConfigFile[];
  };

/** Reads the settings of a project; missing files mean the defaults, a damaged one is named. */
export async function loadProjectConfig(
  ralphDir: string,
  environment: Environment,
): Promise<ProjectConfig> {
  return mergeConfig(await readConfigFiles(ralphDir, environment));
}

/** Puts files over each other key by key at any depth; lists are replaced (checklist 100). */
export function mergeConfig(files: readonly ConfigFile[]): ProjectConfig {
  const weakestFirst = [DEFAULTS, ...files.map(({ values }) => values).reverse()];
  // Each file has the form by itself, so what is put together of them key by key has it too.
  const merged = weakestFirst.reduce<unknown>(over, {}) as ConfigValues & typeof DEFAULTS;
  return { ...merged, files };
}

/** What a setting of `config.json` is now, and who says so. */
export function settingLevels(
  key: string,
  { environment, config }: { environment: Environment; config: ProjectConfig },
): Level[] {
  return configLevels(key, { environment, files: config.files });
}

/** Decides the backend: environment, then project, then the file of WIGGUM_HOME, then `claude`. */
export function resolveBackend(input: { environment: Environment; config: ProjectConfig }): string {
  return knownBackend(String(inForce(settingLevels('runtime.backend', input))).trim());
}

/** Refuses a backend that nobody implements. */
export function knownBackend(name: string): string {
  if ((BACKENDS as readonly string[]).includes(name)) return name;
  throw new WiggumError(
    'BACKEND_UNKNOWN',
    `There is no backend "${name}"; known are ${BACKENDS.join(', ')}.`,
  );
}

/** What one task may cost, in dollars: the pipeline's own limit, then variable, then settings (checklist 56). */
export function costLimitLevels(input: {
  environment: Environment;
  config: ProjectConfig;
  pipeline?: { costLimitUsd?: number };
  /** File of the pipeline. */
  source?: string;
}): Level<number>[] {
  const own = input.pipeline?.costLimitUsd;
  return [
    ...(own === undefined
      ? []
      : [{ source: input.source ?? 'pipeline', key: 'cost_limit', value: own }]),
    ...(settingLevels('cost_limit', input) as Level<number>[]),
  ];
}

function over(below: unknown, above: unknown): unknown {
  if (!isObject(below) || !isObject(above)) return above;
  const keys = [...new Set([...Object.keys(below), ...Object.keys(above)])];
  return Object.fromEntries(
    keys.map((key) => [
      key,
      !Object.hasOwn(above, key)
        ? below[key]
        : Object.hasOwn(below, key)
          ? over(below[key], above[key])
          : above[key],
    ]),
  );
}
