import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DEFAULTS } from '../../config/config-levels.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { git, type Repository } from './git.ts';
import type { ProjectRepository } from './project-repository.ts';

/** What differs between file systems and projects; all else in a configuration of ours is fixed. */
export interface Pinned {
  objectFormat: 'sha1' | 'sha256';
  fileMode: boolean;
  ignoreCase: boolean;
  precomposeUnicode: boolean;
}

/**
 * Makes a bare repository that borrows the project's objects. It is made beside its place and moved
 * there whole, so that a death in the middle leaves nothing that looks finished.
 */
export async function makeBorrowingRepository(
  gitDir: string,
  project: ProjectRepository,
  finish: (unfinished: string, pinned: Pinned) => Promise<void>,
): Promise<void> {
  const unfinished = `${gitDir}.unfinished-${randomBytes(4).toString('hex')}`;
  const repository: Repository = { kind: 'ours', gitDir: unfinished };
  try {
    await mkdir(unfinished, { recursive: true });
    await git(repository, [
      'init',
      '--quiet',
      '--bare',
      '--template=',
      `--object-format=${project.objectFormat}`,
      '--initial-branch=none',
    ]);
    const pinned = await measure(repository, project);
    await writeFile(path.join(unfinished, 'config'), pinnedConfig(pinned));
    await mkdir(path.join(unfinished, 'info'), { recursive: true });
    await writeFile(path.join(unfinished, 'objects/info/alternates'), `${project.objects}\n`);
    if (project.shallowFile) await copyFile(project.shallowFile, path.join(unfinished, 'shallow'));
    if (project.excludeFile)
      await copyFile(project.excludeFile, path.join(unfinished, 'info/exclude'));
    await finish(unfinished, pinned);
    await rename(unfinished, gitDir);
  } catch (cause) {
    const lostRace = ['ENOTEMPTY', 'EEXIST'].includes(
      String((cause as NodeJS.ErrnoException).code),
    );
    // Another attempt was faster: its repository is as good as ours, and the caller looks again.
    if (!lostRace) throw cause;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/**
 * Puts the configuration of a repository of ours back to what it must be. Agents can write it, and
 * filters, drivers and helpers in it would run in our name.
 */
export async function pinConfig(gitDir: string, pinned: Pinned): Promise<void> {
  const file = path.join(gitDir, 'config');
  const wanted = pinnedConfig(pinned);
  const found = await readFile(file, 'utf8').catch(() => undefined);
  if (found !== wanted) {
    await rm(file, { recursive: true, force: true });
    await writeFile(file, wanted);
  }
  // Attributes here outrank those of the tree and could bind files to a driver.
  await rm(path.join(gitDir, 'info/attributes'), { recursive: true, force: true });
}

function pinnedConfig({ objectFormat, fileMode, ignoreCase, precomposeUnicode }: Pinned): string {
  return [
    '[core]',
    `\trepositoryFormatVersion = ${objectFormat === 'sha256' ? 1 : 0}`,
    '\tbare = true',
    `\tfileMode = ${fileMode}`,
    `\tignoreCase = ${ignoreCase}`,
    `\tprecomposeUnicode = ${precomposeUnicode}`,
    '\tlogAllRefUpdates = true',
    ...(objectFormat === 'sha256' ? ['[extensions]', '\tobjectFormat = sha256'] : []),
    // A collector would throw away what only a retry still needs.
    '[gc]',
    '\tauto = 0',
    '[merge]',
    '\tconflictStyle = diff3',
    '[user]',
    `\tname = ${AUTHOR.name}`,
    `\temail = ${AUTHOR.email}`,
    '',
  ].join('\n');
}

/** Author and committer of what we commit, unless the project's configuration names another. */
export const AUTHOR = {
  name: DEFAULTS.git.author_name,
  email: DEFAULTS.git.author_email,
};

async function measure(repository: Repository, project: ProjectRepository): Promise<Pinned> {
  const listed = await git(repository, ['config', '--local', '--list']);
  const isOn = (key: string) => listed.split('\n').includes(`${key}=true`);
  if (!listed.includes('core.bare=true'))
    throw new WiggumError('GIT_FAILED', 'git init made a repository that is not bare', {
      where: project.root,
    });
  return {
    objectFormat: project.objectFormat,
    fileMode: isOn('core.filemode'),
    ignoreCase: isOn('core.ignorecase'),
    precomposeUnicode: isOn('core.precomposeunicode'),
  };
}
