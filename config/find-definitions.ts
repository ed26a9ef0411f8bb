import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { AGENT_TYPE, typesToTry } from './agent-names.ts';
import { BUILT_IN_AGENTS } from './built-in-agents.ts';
import { globalFolders } from './global-folder.ts';
import { packageRoot } from './package-root.ts';
import { readText } from './read-text.ts';
import type { Environment } from './state-dir.ts';

/** Where definitions are looked for: `.ralph`, then the folder that WIGGUM_HOME names, then the shipped ones. */
export interface DefinitionPlaces {
  ralphDir: string;
  environment: Environment;
}

export interface FoundFile {
  file: string;
  text: string;
}

/** A name by which a pipeline can be asked for. */
export const PIPELINE_NAME = /^[A-Za-z0-9][\w.-]*$/;

/** Kinds of agent files; only markdown is run. */
export const CODE_AGENTS = ['.sh', '.ts', '.js', '.mjs'];

/** Folders with agents, `<category>/<name>.md` in each; the first that has one wins (checklist 66). */
export function agentFolders({ ralphDir, environment }: DefinitionPlaces): string[] {
  return [
    path.join(ralphDir, 'agents'),
    ...globalFolders(environment).map((home) => path.join(home, 'lib', 'agents')),
    path.join(packageRoot(), 'config', 'agents'),
  ];
}

/** Folders with pipelines, `<name>.json` in each. */
function pipelineFolders({ ralphDir, environment }: DefinitionPlaces): string[] {
  return [
    path.join(ralphDir, 'pipelines'),
    ...globalFolders(environment).map((home) => path.join(home, 'config', 'pipelines')),
    path.join(packageRoot(), 'config', 'pipelines'),
  ];
}

/** The file of an agent, under the name it was asked for or the one it has now. */
export async function findAgentFile(
  type: string,
  places: DefinitionPlaces,
): Promise<(FoundFile & { type: string }) | undefined> {
  for (const name of typesToTry(type)) {
    if (!AGENT_TYPE.test(name)) continue;
    for (const folder of agentFolders(places)) {
      const found = await firstFile(path.join(folder, ...name.split('.')), ['.md', ...CODE_AGENTS]);
      if (found) return { ...found, type: name };
    }
  }
  return undefined;
}

/** The pipeline of a task: the one that was named, the task's, the project's, the default (checklist 59). */
export async function findPipelineFile(
  wanted: { taskId: string; pipeline?: string },
  places: DefinitionPlaces,
): Promise<FoundFile | undefined> {
  const named = (name: string, folders: string[]) =>
    folders.map((folder) => path.join(folder, name));
  const folders = pipelineFolders(places);
  const candidates =
    wanted.pipeline === undefined
      ? [
          ...named(wanted.taskId, folders.slice(0, 1)),
          path.join(places.ralphDir, 'pipeline'),
          ...named('default', folders),
        ]
      : PIPELINE_NAME.test(wanted.pipeline)
        ? named(wanted.pipeline, folders)
        : [];
  for (const candidate of candidates) {
    const found = await firstFile(candidate, ['.json']);
    if (found) return found;
  }
  return undefined;
}

/** All files of pipelines, the project's first. */
export async function pipelineFiles(places: DefinitionPlaces): Promise<string[]> {
  const folders = pipelineFolders(places);
  const files = (await Promise.all(folders.map(listFiles))).flat();
  return files.filter(
    (file) => path.extname(file) === '.json' && folders.includes(path.dirname(file)),
  );
}

/** Types of all agents that could be named. */
export async function agentTypes(places: DefinitionPlaces): Promise<string[]> {
  const types = Object.keys(BUILT_IN_AGENTS);
  for (const folder of agentFolders(places))
    for (const file of await listFiles(folder)) {
      const { dir, name, ext } = path.parse(path.relative(folder, file));
      if (ext === '.md' || CODE_AGENTS.includes(ext)) types.push(`${dir}.${name}`);
    }
  return [...new Set(types.filter((type) => AGENT_TYPE.test(type)))].sort();
}

/** All files below a folder; a folder that is not there has none. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(
    (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return [];
      throw cause;
    },
  );
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/** The text of a definition; undefined when there is no such file. */
export async function readDefinition(file: string): Promise<FoundFile | undefined> {
  const text = await readText(file);
  return text === undefined ? undefined : { file, text };
}

async function firstFile(stem: string, endings: string[]): Promise<FoundFile | undefined> {
  for (const ending of endings) {
    const found = await readDefinition(`${stem}${ending}`);
    if (found) return found;
  }
  return undefined;
}
