import { Client, Connection } from '@temporalio/client';
import type { ResolvedConnection } from './hosting.ts';

const CONNECT_MS = 5_000;

/** Opens a client to a server; fails within seconds when nobody answers. */
export async function connectClient({
  connectOptions,
  namespace,
}: ResolvedConnection): Promise<Client> {
  const connection = await Connection.connect({ ...connectOptions, connectTimeout: CONNECT_MS });
  return new Client({ connection, namespace });
}
