import { resolve } from 'node:path';
import { WiggumError } from '../workflows/domain/errors.ts';
import { settingLevels, type ProjectConfig } from './project-config.ts';
import { readText } from './read-text.ts';
import type { Environment } from './state-dir.ts';

/** Text that stands before and after an agent's prompts; empty where nobody wants any. */
export interface PromptWrappers {
  preSystem: string;
  postSystem: string;
  preUser: string;
  postUser: string;
}

interface WrapperSources {
  environment: Environment;
  config: ProjectConfig;
  backend: string;
  /** Where the path of `@file` begins. */
  projectDir: string;
}

/** Finds what surrounds the prompts of work sessions: WIGGUM_PROMPT_…, then the backend's settings (checklist 104). */
export async function promptWrappers(sources: WrapperSources): Promise<PromptWrappers> {
  const [preSystem, postSystem, preUser, postUser] = await Promise.all([
    wrapper('pre_system', sources),
    wrapper('post_system', sources),
    wrapper('pre_user', sources),
    wrapper('post_user', sources),
  ]);
  return { preSystem, postSystem, preUser, postUser };
}

async function wrapper(name: string, sources: WrapperSources): Promise<string> {
  const [level] = settingLevels(`runtime.backends.${sources.backend}.prompts.${name}`, sources);
  if (!level) return '';
  const text = String(level.value);
  if (!text.startsWith('@')) return text;
  const file = resolve(sources.projectDir, text.slice(1));
  const found = await readText(file);
  if (found !== undefined) return found;
  throw new WiggumError(
    'CONFIG_INVALID',
    `${level.source}: ${level.key}: there is no file "${text.slice(1)}"`,
    { where: file },
  );
}
