import { z } from 'zod';
import { ExitCode } from '../../workflows/domain/errors.ts';
import { defineCommand } from '../command.ts';
import type { ServerStatus } from '../../workers/server/dev-server.ts';

/** Looks after the embedded server; a server named by the environment is only looked at. */
export const server = defineCommand({
  name: 'server',
  arguments: '[action]',
  flags: [['--json', 'print the result as JSON']],
  details:
    'Actions: status (default), start, stop. Stopping keeps all data; the\nnext command starts it again.',
  options: z.object({
    action: z.enum(['status', 'start', 'stop']).default('status'),
    json: z.boolean().default(false),
  }),

  async run({ action, json }, { environment, stdout, log }) {
    const { namedServer, resolveConnection } = await import('../../workers/server/connection.ts');
    const { serverStatus, stopServer } = await import('../../workers/server/dev-server.ts');
    const print = (value: object, text: string) =>
      stdout.write(json ? `${JSON.stringify(value)}\n` : `${text}\n`);

    const named = namedServer(environment);
    if (named) {
      const { address, namespace } = named;
      if (action === 'stop') {
        print(
          { kind: 'foreign', address },
          `The server at ${address} was chosen by TEMPORAL_ADDRESS or a profile; it is not ours to stop.`,
        );
        return ExitCode.error;
      }
      await resolveConnection({ environment, log: log.info });
      print(
        { kind: 'running', embedded: false, address, namespace },
        `${address} answers (namespace ${namespace}); chosen by TEMPORAL_ADDRESS or a profile.`,
      );
      return ExitCode.ok;
    }

    switch (action) {
      case 'start': {
        await resolveConnection({ environment, log: log.info });
        const status = await serverStatus({ environment });
        print({ embedded: true, ...status }, describe(status));
        return ExitCode.ok;
      }
      case 'status': {
        const status = await serverStatus({ environment });
        print({ embedded: true, ...status }, describe(status));
        return status.kind === 'running' ? ExitCode.ok : ExitCode.error;
      }
      case 'stop': {
        const how = await stopServer({ environment, log: log.info });
        print(
          { kind: how },
          how === 'stopped'
            ? 'The Temporal server has ended. Its data stay; the next command starts it again.'
            : 'Nothing to stop: the Temporal server is not running.',
        );
        return how === 'stopped' ? ExitCode.ok : ExitCode.error;
      }
    }
  },
});

function describe(status: ServerStatus): string {
  switch (status.kind) {
    case 'running':
      return [
        `running at ${status.info.address} (process ${status.info.pid}, Temporal ${status.info.version})`,
        `pages  ${status.info.uiUrl}`,
        `data   ${status.info.dataDir}`,
        `log    ${status.info.logFile}`,
      ].join('\n');
    case 'not-answering':
      return `process ${status.info.pid} lives but does not answer: ${status.reason}\nlog    ${status.info.logFile}`;
    case 'stopped':
      return status.asked
        ? 'stopped; the next command that needs it starts it'
        : `died; the next command that needs it starts it again\nlog    ${status.info.logFile}`;
    case 'never-started':
      return 'never started; the first `wiggum run` starts it';
  }
}
