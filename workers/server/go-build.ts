import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { GO_VERSION } from './pinned.ts';
import type { Environment } from '../../config/state-dir.ts';

const BUILD_MS = 20 * 60_000;

/** Builds the last version that `go install` accepts, and hands the file over before it is removed. */
export async function buildWithGo<Kept>({
  environment,
  keep,
}: {
  environment: Environment;
  keep: (file: string) => Promise<Kept>;
}): Promise<Kept> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'wiggum-go-'));
  try {
    const build = await execa(
      'go',
      ['install', `github.com/temporalio/cli/cmd/temporal@v${GO_VERSION}`],
      {
        // Without cgo the program needs nothing of the machine that it was built on.
        env: { ...environment, GOBIN: folder, CGO_ENABLED: '0' },
        extendEnv: false,
        reject: false,
        timeout: BUILD_MS,
        stdin: 'ignore',
      },
    );
    if (build.failed) throw new Error(build.stderr.trim().split('\n').at(-1) || build.shortMessage);
    return await keep(path.join(folder, 'temporal'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
