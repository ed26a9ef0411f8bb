import { Client, Connection, type ConnectionOptions } from '@temporalio/client';

const CONNECT_MS = 5_000;

/** Opens a client to a server; fails within seconds when nobody answers. */
export async function connectClient({
  connectOptions,
  namespace,
}: {
  connectOptions: ConnectionOptions;
  namespace: string;
}): Promise<Client> {
  const connection = await Connection.connect({ ...connectOptions, connectTimeout: CONNECT_MS });
  return new Client({ connection, namespace });
}
