import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { WiggumError } from '../workflows/domain/errors.ts';
import { globalFolders } from './global-folder.ts';
import type { Environment } from './state-dir.ts';

/** Backends that a run can name. */
export const BACKENDS = ['claude', 'script'] as const;

const count = z.int().positive();
// Unknown keys pass: files written for the original program carry many that we do not read.
const Config = z.looseObject({
  checks: z.array(z.string().min(1)).default([]),
  runtime: z
    .looseObject({ backend: z.string().optional(), script: z.string().min(1).optional() })
    .default({}),
  git: z
    .looseObject({
      author_name: z.string().min(1).optional(),
      author_email: z.string().min(1).optional(),
      default_branch: z.string().min(1).optional(),
    })
    .default({}),
  workers: z.looseObject({ max_workers: count.optional() }).default({}),
  agents: z
    .record(
      z.string(),
      z.looseObject({
        max_iterations: count.optional(),
        max_turns: count.optional(),
        timeout_seconds: count.optional(),
      }),
    )
    .default({}),
  plan_mode: z.boolean().optional(),
});

/** `.ralph/config.json`, as far as we read it. */
export type ProjectConfig = z.infer<typeof Config>;

/** Reads the project's settings; a missing file means all defaults, a damaged one is named. */
export async function loadProjectConfig(ralphDir: string): Promise<ProjectConfig> {
  return (await readConfig(join(ralphDir, 'config.json'))) ?? Config.parse({});
}

/** Decides the backend: environment, then project, then the file of WIGGUM_HOME, then `claude`. */
export async function resolveBackend(input: {
  environment: Environment;
  config: ProjectConfig;
}): Promise<string> {
  const { environment, config } = input;
  const wanted =
    environment['WIGGUM_RUNTIME_BACKEND'] ||
    config.runtime.backend ||
    (await globalBackend(environment)) ||
    'claude';
  return knownBackend(wanted);
}

/** Refuses a backend that nobody implements. */
export function knownBackend(name: string): string {
  if ((BACKENDS as readonly string[]).includes(name)) return name;
  throw new WiggumError(
    'BACKEND_UNKNOWN',
    `There is no backend "${name}"; known are ${BACKENDS.join(', ')}.`,
  );
}

async function globalBackend(environment: Environment): Promise<string | undefined> {
  const [home] = globalFolders(environment);
  return home && (await readConfig(join(home, 'config', 'config.json')))?.runtime.backend;
}

async function readConfig(file: string): Promise<ProjectConfig | undefined> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
    throw invalid(file, `it cannot be read: ${cause.message}`, cause);
  });
  if (text === undefined) return undefined;
  if (text.trim() === '') throw invalid(file, 'it is empty; the smallest right content is {}');
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw invalid(file, `it is not JSON: ${(cause as Error).message}`, cause);
  }
  const parsed = Config.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    (issue) => `\n  ${issue.path.join('.') || '(whole file)'}: ${issue.message}`,
  );
  throw invalid(file, faults.join(''), parsed.error);
}

function invalid(file: string, fault: string, cause?: unknown): WiggumError {
  return new WiggumError('CONFIG_INVALID', `The settings cannot be used: ${fault}`, {
    where: file,
    cause,
  });
}
