import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { BOARD_TEMPLATE } from '../../config/board-template.ts';
import { findProject, openProject } from '../../config/project.ts';
import { ExitCode, WiggumError } from '../../workflows/domain/errors.ts';
import { defineCommand } from '../command.ts';

const FOLDERS = [
  'workers',
  'results',
  'logs',
  'orchestrator',
  'plans',
  'pipelines',
  'agents',
] as const;

const FILES: Readonly<Record<string, string>> = {
  '.gitignore': [
    '# What you write (settings, pipelines, agents) is committed; the state of one machine is not.',
    '*',
    ...['.gitignore', 'config.json', 'pipeline.json'].map((name) => `!${name}`),
    ...['agents', 'pipelines'].flatMap((name) => [`!${name}/`, `!${name}/**`]),
    '',
  ].join('\n'),
  'kanban.md': BOARD_TEMPLATE,
  'changelog.md': '# Changelog\n\nWhat tasks brought, newest first.\n',
  'config.json': `${JSON.stringify({ checks: [], runtime: {}, workers: { max_workers: 4 } }, null, 2)}\n`,
};

/** Adds what is missing and touches nothing that is there: a second run changes nothing. */
export const init = defineCommand({
  name: 'init',
  arguments: '',
  flags: [['--json', 'print what was created as JSON']],
  options: z.object({ json: z.boolean().default(false) }),

  async run({ json }, { cwd, environment, stdout }) {
    const { projectDir, ralphDir } = await findProject(cwd);
    const created = await createMissing(ralphDir).catch((cause: NodeJS.ErrnoException) => {
      throw new WiggumError('NOT_WRITABLE', `.ralph cannot be written: ${cause.message}`, {
        where: ralphDir,
        cause,
      });
    });
    const { project, notices } = await openProject(projectDir, environment);
    const names = created.map((path) => relative(projectDir, path));
    if (json) {
      stdout.write(
        `${JSON.stringify({ project: project.id, ralphDir, created: names, notices })}\n`,
      );
      return ExitCode.ok;
    }
    const lines =
      names.length === 0
        ? ['.ralph is set up already; nothing was changed.']
        : [
            ...names.map((name) => `created ${name}`),
            '',
            'Next: describe your tasks in .ralph/kanban.md (the template explains how), then `wiggum run`.',
          ];
    stdout.write(`${[...notices, ...lines].join('\n')}\n`);
    return ExitCode.ok;
  },
});

async function createMissing(ralphDir: string): Promise<string[]> {
  const created: string[] = [];
  for (const name of FOLDERS) {
    const folder = join(ralphDir, name);
    if (await isThere(folder)) continue;
    await mkdir(folder, { recursive: true });
    created.push(folder);
  }
  for (const [name, text] of Object.entries(FILES)) {
    const file = join(ralphDir, name);
    try {
      // `wx`: a file that somebody made a moment ago stays as it is.
      await writeFile(file, text, { flag: 'wx' });
      created.push(file);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    }
  }
  return created;
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
