import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..', '..');

/** Where the process of an activity is killed: around one of its git commands, or before it reports. */
export type DeathPoint = { before: string } | { after: string } | { when: 'before the report' };

/** Performs an activity of the local forge in a process of its own that is killed with -9 on the way. */
export async function performAndDie(
  file: string,
  name: string,
  input: unknown,
  at: DeathPoint,
): Promise<void> {
  const bin = await mkdtemp(path.join(os.tmpdir(), 'wiggum-bin-'));
  try {
    if (!('when' in at)) await writeWrapper(bin, at);
    const args = [
      '--import',
      path.join(root, 'test/helpers/typescript.mjs'),
      path.join(root, 'test/fixtures/forge/perform.mjs'),
      file,
      name,
      JSON.stringify(input),
      ...('when' in at ? ['--die'] : []),
    ];
    const ended = await run(process.execPath, args, {
      cwd: root,
      env: { ...process.env, PATH: `${bin}:${process.env['PATH']}`, NODE_OPTIONS: '' },
    }).then(
      ({ stdout }) => stdout,
      (cause: { signal?: string; stderr?: string }) => cause,
    );
    if (typeof ended === 'string' || ended.signal !== 'SIGKILL')
      throw new Error(
        `the process was not killed at ${JSON.stringify(at)}: ${JSON.stringify(ended)}`,
      );
  } finally {
    await rm(bin, { recursive: true, force: true });
  }
}

// A git that kills whoever called it, just before or just after a command of his.
async function writeWrapper(bin: string, at: { before: string } | { after: string }) {
  const { stdout } = await run('sh', ['-c', 'command -v git']);
  const matches = (text: string) => `case "$*" in *'${text}'*) kill -9 $PPID; exit 1; esac`;
  await mkdir(bin, { recursive: true });
  const lines = [
    '#!/bin/sh',
    ...('before' in at ? [matches(at.before)] : []),
    `"${stdout.trim()}" "$@"`,
    'code=$?',
    ...('after' in at ? [matches(at.after)] : []),
    'exit $code',
  ];
  await writeFile(path.join(bin, 'git'), `${lines.join('\n')}\n`);
  await chmod(path.join(bin, 'git'), 0o755);
}
