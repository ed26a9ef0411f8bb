import { WiggumError } from '../../workflows/domain/errors.ts';
import { findTemporal } from './find-program.ts';
import { cacheDir } from './cache-dir.ts';

// A program of its own, for the set-up: the found program goes to stdout, what happens to stderr.
try {
  const found = await findTemporal({
    environment: process.env,
    cacheDir: cacheDir(process.env),
    log: (sentence) => process.stderr.write(`${sentence}\n`),
  });
  process.stdout.write(`${JSON.stringify(found)}\n`);
} catch (cause) {
  const known = cause instanceof WiggumError;
  process.stderr.write(known ? `${cause.message}\n${cause.hint}\n` : `${String(cause)}\n`);
  process.exitCode = known ? cause.exitCode : 1;
}
