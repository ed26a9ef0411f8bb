import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError, type Connection } from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract.ts';
import { WiggumError } from '../../workflows/domain/errors.ts';

const RETENTION_SECONDS = 720 * 3_600;
const VISIBLE_WITHIN_MS = 20_000;
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;

type Types = Record<string, number>;

/** Makes sure that a namespace keeps closed runs for 30 days and knows our search attributes. */
export async function prepareNamespace(connection: Connection, namespace: string): Promise<void> {
  await keepLongEnough(connection, namespace);
  const missing = await missingAttributes(connection, namespace);
  if (Object.keys(missing).length === 0) return;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: missing,
    });
  } catch (cause) {
    // Another host was quicker.
    if (!isGrpcServiceError(cause) || Number(cause.code) !== ALREADY_EXISTS) throw cause;
  }
  await untilVisible(connection, namespace);
}

/** A team may keep its runs longer than we ask for: that is never shortened. */
async function keepLongEnough(connection: Connection, namespace: string): Promise<void> {
  const { config } = await connection.workflowService
    .describeNamespace({ namespace })
    .catch((cause: unknown) => {
      if (isGrpcServiceError(cause) && Number(cause.code) === NOT_FOUND)
        throw new WiggumError(
          'CONFIG_INVALID',
          `The server at ${connection.options.address} has no namespace "${namespace}".`,
          { where: 'TEMPORAL_NAMESPACE', cause },
        );
      throw cause;
    });
  if (Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) >= RETENTION_SECONDS) return;
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: { seconds: RETENTION_SECONDS as never } },
  });
}

async function missingAttributes(connection: Connection, namespace: string): Promise<Types> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing: Types = {};
  for (const [name, type] of Object.entries(SEARCH_ATTRIBUTES)) {
    const wanted = encodeSearchAttributeIndexedValueType(type) as number;
    const present = customAttributes[name];
    if (present === undefined || present === null) missing[name] = wanted;
    else if (Number(present) !== wanted)
      throw new WiggumError(
        'SERVER_FAILED',
        `The search attribute ${name} exists in namespace "${namespace}" with another type than ${type}.`,
        { where: connection.options.address },
      );
  }
  return missing;
}

/** A clustered server keeps the list in a cache for some seconds. */
async function untilVisible(connection: Connection, namespace: string): Promise<void> {
  const deadline = Date.now() + VISIBLE_WITHIN_MS;
  for (;;) {
    const missing = Object.keys(await missingAttributes(connection, namespace));
    if (missing.length === 0) return;
    if (Date.now() > deadline)
      throw new WiggumError(
        'SERVER_FAILED',
        `The search attributes ${missing.join(', ')} were added but do not appear.`,
        { where: connection.options.address },
      );
    await sleep(200);
  }
}
