import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

let installed = false;

/**
 * Sets up the SDK once per process: its own words go to a file, because the screen belongs to the
 * board, and signals are ours to handle.
 */
export function installRuntime(ralphDir: string): void {
  if (installed) return;
  installed = true;
  const file = path.join(ralphDir, 'logs', 'sdk.log');
  mkdirSync(path.dirname(file), { recursive: true });
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, timestampNanos, message, meta }) => {
      const ts = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
      try {
        appendFileSync(file, `${JSON.stringify({ ts, level, message, ...printable(meta) })}\n`);
      } catch {
        // A full disk or a folder that somebody removed must not end the host.
      }
    }),
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
    },
  });
}

/** Errors and big integers do not survive JSON by themselves. */
function printable(meta: Record<string, unknown> | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(meta ?? {}).map(([name, value]) => [
      name,
      value instanceof Error ? (value.stack ?? value.message) : String(value),
    ]),
  );
}
