import { expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { prepareNamespace } from '../../workers/server/prepare-namespace.ts';
import { withTemporal } from '../helpers/with-temporal.ts';

function withNamespace(
  use: (connection: Connection, namespace: string) => Promise<void>,
): Promise<void> {
  return withTemporal(async ({ address, namespace }) => {
    const connection = await Connection.connect({ address });
    try {
      await use(connection, namespace);
    } finally {
      await connection.close();
    }
  });
}

const YEAR_SECONDS = 365 * 86_400;
const INT = 3;

it('prepares a namespace again without changing it, also twice at once', () =>
  withNamespace(async (connection, namespace) => {
    const look = async () => ({
      ...(await connection.workflowService.describeNamespace({ namespace })).config,
      ...(await connection.operatorService.listSearchAttributes({ namespace })).customAttributes,
    });
    const before = await look();
    await Promise.all([
      prepareNamespace(connection, namespace),
      prepareNamespace(connection, namespace),
    ]);
    expect(await look()).toEqual(before);
  }));

it('never shortens how long a team keeps its runs', () =>
  withNamespace(async (connection, namespace) => {
    await connection.workflowService.updateNamespace({
      namespace,
      config: { workflowExecutionRetentionTtl: { seconds: YEAR_SECONDS as never } },
    });
    await prepareNamespace(connection, namespace);
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(YEAR_SECONDS);
  }));

it('names a search attribute that exists with another type', () =>
  withNamespace(async (connection) => {
    const namespace = `odd-${Date.now()}`;
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: { WiggumState: INT },
    });
    await expect(prepareNamespace(connection, namespace)).rejects.toThrow(
      'WiggumState exists in namespace',
    );
  }));

it('names a namespace that is not there', () =>
  withNamespace(async (connection) => {
    await expect(prepareNamespace(connection, 'nowhere')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('has no namespace "nowhere"'),
    });
  }));
