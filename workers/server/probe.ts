import { Connection, type ConnectionOptions } from '@temporalio/client';

/** How to reach a server; understood by clients and workers alike. */
export type ConnectOptions = Pick<ConnectionOptions, 'tls'> & {
  address: string;
  apiKey?: string;
  metadata?: Record<string, string>;
};

export interface Probe {
  /** Whether the server takes work now. */
  answers: (withinMs?: number) => Promise<boolean>;
  /** The last failure, for a message. */
  reason: () => string;
  close: () => Promise<void>;
}

const ANSWER_MS = 2_000;
const SERVING = 1;
const SERVICE = 'temporal.api.workflowservice.v1.WorkflowService';

/** Opens a line to a server over which it is asked, again and again, whether it serves. */
export function openProbe(options: ConnectOptions): Probe {
  const connection = Connection.lazy({
    ...options,
    interceptors: [],
    // The default waits up to two minutes before it tries a lost server again.
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 500 },
  });
  let reason = 'not asked yet';
  return {
    async answers(withinMs = ANSWER_MS) {
      try {
        const { status } = await connection.withDeadline(Date.now() + withinMs, () =>
          connection.healthService.check({ service: SERVICE }),
        );
        reason = `health status ${status}`;
        return Number(status) === SERVING;
      } catch (cause) {
        reason = (cause as Error).message;
        return false;
      }
    },
    reason: () => reason,
    close: () => connection.close(),
  };
}
