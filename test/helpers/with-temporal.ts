import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import type { ResolvedConnection } from '../../workers/server/connection.ts';
import { prepareNamespace } from '../../workers/server/prepare-namespace.ts';

/** A namespace of its own on the server that all integration tests share. */
export interface TestTemporal {
  client: Client;
  /** What the parts of the program take: hosts, watches, commands. */
  connection: ResolvedConnection;
  address: string;
  namespace: string;
  /** The bundle of the workflows, made once for all tests. */
  bundlePath: string;
  /** Variables that lead a child process to this namespace. */
  environment: { TEMPORAL_ADDRESS: string; TEMPORAL_NAMESPACE: string };
}

/** Opens a namespace, lets a test use it, and closes the connection whatever happens. */
export async function withTemporal(use: (temporal: TestTemporal) => Promise<void>): Promise<void> {
  const { close, ...temporal } = await openTemporal();
  try {
    await use(temporal);
  } finally {
    await close();
  }
}

/** Opens a namespace that the caller closes. */
export async function openTemporal(): Promise<TestTemporal & { close: () => Promise<void> }> {
  const address = given('WIGGUM_TEST_ADDRESS');
  const bundlePath = given('WIGGUM_TEST_BUNDLE');
  const namespace = `test-${randomUUID()}`;
  const connection = await Connection.connect({ address });
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await prepareNamespace(connection, namespace);
  return {
    client: new Client({ connection, namespace }),
    connection: { address, namespace, embedded: false, connectOptions: { address } },
    address,
    namespace,
    bundlePath,
    environment: { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace },
    close: () => connection.close(),
  };
}

function given(name: 'WIGGUM_TEST_ADDRESS' | 'WIGGUM_TEST_BUNDLE'): string {
  const value = process.env[name];
  if (value) return value;
  throw new Error(
    process.env[`${name}_FAILURE`] ?? `${name} is not set: run this in the project "integration"`,
  );
}
