import { existsSync } from 'node:fs';
import { Connection } from '@temporalio/client';
import { loadClientConnectConfig, type ClientConnectConfig } from '@temporalio/envconfig';
import { WiggumError } from '../../workflows/domain/errors.ts';
import { ensureServer } from './dev-server.ts';
import type { Log } from './log.ts';
import type { ConnectOptions } from './probe.ts';
import type { Environment } from '../../config/state-dir.ts';

/** The server that a command works with, and how to reach it. */
export interface ResolvedConnection {
  address: string;
  namespace: string;
  uiUrl?: string;
  /** Whether it is this user's own server, which we start and watch. */
  embedded: boolean;
  /** For `Connection.connect` and `NativeConnection.connect`. */
  connectOptions: ConnectOptions;
}

const ANSWER_MS = 5_000;

/** Takes the server that the environment or a profile names, else this user's own. */
export async function resolveConnection({
  environment,
  log,
}: {
  environment: Environment;
  log: Log;
}): Promise<ResolvedConnection> {
  const named = namedServer(environment);
  if (named) {
    await mustAnswer(named.connectOptions);
    return named;
  }
  const info = await ensureServer({ environment, log });
  return {
    address: info.address,
    namespace: info.namespace,
    uiUrl: info.uiUrl,
    embedded: true,
    connectOptions: { address: info.address },
  };
}

/** Reads which server was chosen; undefined means our own. */
export function namedServer(environment: Environment): ResolvedConnection | undefined {
  const { connectionOptions, namespace } = readProfile(environment);
  const { address, tls, apiKey, metadata } = connectionOptions;
  if (!address) return undefined;
  return {
    address,
    namespace: namespace ?? 'default',
    embedded: false,
    connectOptions: {
      address,
      ...(tls === undefined ? {} : { tls }),
      ...(typeof apiKey === 'string' ? { apiKey } : {}),
      ...(metadata ? { metadata: metadata as Record<string, string> } : {}),
    },
  };
}

function readProfile(environment: Environment): ClientConnectConfig {
  const { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: profile } = environment;
  // The library passes over a file that is not there, also over one that somebody named.
  if (file && !existsSync(file))
    throw new WiggumError('CONFIG_INVALID', `TEMPORAL_CONFIG_FILE names ${file}: not there.`, {
      where: file,
    });
  const overrideEnvVars = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => !!entry[1]),
  );
  try {
    return loadClientConnectConfig({ overrideEnvVars });
  } catch (cause) {
    // So it trips over a file without any profile, which is what the CLI leaves of the last one.
    if (cause instanceof TypeError && !profile)
      return loadClientConnectConfig({ overrideEnvVars, disableFile: true });
    throw new WiggumError(
      'CONFIG_INVALID',
      `The Temporal profile cannot be read: ${(cause as Error).message}`,
      { where: file ?? 'temporal.toml', cause },
    );
  }
}

async function mustAnswer(connectOptions: ConnectOptions): Promise<void> {
  try {
    const connection = await Connection.connect({ ...connectOptions, connectTimeout: ANSWER_MS });
    await connection.close();
  } catch (cause) {
    throw new WiggumError(
      'SERVER_UNREACHABLE',
      `The Temporal server at ${connectOptions.address} does not answer: ${(cause as Error).message}`,
      { where: connectOptions.address, cause },
    );
  }
}
