import { WiggumError } from '../workflows/domain/errors.ts';
import { isOn } from '../workflows/domain/steps.ts';
import type { ConfigFile } from './config-file.ts';
import { BUILT_IN, ENVIRONMENT, type Level } from './setting.ts';
import type { Environment } from './state-dir.ts';

/** What holds where no file says anything. */
export const DEFAULTS = {
  checks: [] as string[],
  runtime: { backend: 'claude' },
  git: { author_name: 'Chief Wiggum', author_email: 'wiggum@localhost' },
  workers: { max_workers: 4 },
  hooks: { commands: {} as Record<string, string[]> },
  plan_mode: false,
};

/** Who can say something about a setting of `config.json`. */
export interface ConfigSources {
  environment: Environment;
  /** The strongest first. */
  files: readonly ConfigFile[];
}

/** All that is said of one key, the strongest first: variable, project, installation, built in. */
export function configLevels(key: string, { environment, files }: ConfigSources): Level[] {
  const layers = [
    ...files.map(({ file, values }) => ({ source: file, values })),
    { source: BUILT_IN, values: DEFAULTS },
  ];
  return [
    ...variableLevel(key, environment),
    ...layers.flatMap(({ source, values }) => {
      const value = valueAt(values, key.split('.'));
      return value === undefined ? [] : [{ source, key, value }];
    }),
  ];
}

/** Every key that has a value somewhere, down to texts, numbers and lists. */
export function configKeys({ environment, files }: ConfigSources): string[] {
  const layers = [DEFAULTS, ...files.map(({ values }) => values)];
  const fromVariables = Object.entries(VARIABLES)
    .filter(([, { name }]) => environment[name]?.trim())
    .map(([key]) => key);
  return [...new Set([...layers.flatMap((values) => leavesOf(values)), ...fromVariables])].sort();
}

/** Whether anything of ours looks at a key. */
export function isReadKey(key: string): boolean {
  return CONFIG_KEYS.includes(key) || key.startsWith('hooks.commands.') || PROMPT_KEY.test(key);
}

/** Keys that are read, though nobody may have set them. */
export const CONFIG_KEYS = [
  'checks',
  'cost_limit',
  'git.author_email',
  'git.author_name',
  'git.default_branch',
  'hooks.commands',
  'plan_mode',
  'runtime.backend',
  'runtime.script',
  'workers.max_workers',
];

type Variable = { name: string; read: (text: string, name: string) => unknown };

const VARIABLES: Readonly<Record<string, Variable>> = {
  cost_limit: { name: 'WIGGUM_WORKER_COST_LIMIT', read: readDollars },
  plan_mode: { name: 'WIGGUM_PLAN_MODE', read: isOn },
  'runtime.backend': { name: 'WIGGUM_RUNTIME_BACKEND', read: (text) => text },
  'workers.max_workers': { name: 'WIGGUM_MAX_WORKERS', read: readWorkers },
};
const PROMPT_KEY = /^runtime\.backends\..+\.prompts\.((?:pre|post)_(?:system|user))$/;

/** A variable that is set to nothing says nothing. */
function variableLevel(key: string, environment: Environment): Level[] {
  const prompt = PROMPT_KEY.exec(key)?.[1];
  const variable: Variable | undefined = prompt
    ? { name: `WIGGUM_PROMPT_${prompt.toUpperCase()}`, read: (text) => text }
    : Object.hasOwn(VARIABLES, key)
      ? VARIABLES[key]
      : undefined;
  const found = variable && environment[variable.name];
  if (!variable || !found?.trim()) return [];
  const { name, read } = variable;
  return [{ source: ENVIRONMENT, key: name, value: read(found, name) }];
}

function readWorkers(text: string, where: string): number {
  if (/^[1-9]\d{0,3}$/.test(text.trim())) return Number(text);
  throw new WiggumError('CONFIG_INVALID', `"${text}" is not a whole number from 1 to 9999.`, {
    where,
  });
}

function readDollars(text: string, where: string): number {
  if (/^\d+(\.\d+)?$/.test(text.trim())) return Number(text);
  throw new WiggumError('CONFIG_INVALID', `"${text}" is not an amount in dollars, like 2.50.`, {
    where,
  });
}

/** Keys of files may hold dots themselves: `agents`, `engineering.code-review`, `max_turns`. */
function valueAt(value: unknown, words: readonly string[]): unknown {
  if (words.length === 0) return value;
  if (!isObject(value)) return undefined;
  for (let length = 1; length <= words.length; length += 1) {
    const key = words.slice(0, length).join('.');
    if (!Object.hasOwn(value, key)) continue;
    const found = valueAt(value[key], words.slice(length));
    if (found !== undefined) return found;
  }
  return undefined;
}

function leavesOf(value: unknown, path: readonly string[] = []): string[] {
  if (!isObject(value)) return [path.join('.')];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

/** A value of JSON with keys. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
