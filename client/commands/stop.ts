import { z } from 'zod';
import { ExitCode } from '../../workflows/domain/errors.ts';
import { defineCommand } from '../command.ts';
import { endHost } from '../hosting.ts';
import { initialisedProject } from '../initialised-project.ts';

/** Ends the host and nothing else: tasks stay open and go on with the next run. */
export const stop = defineCommand({
  name: 'stop',
  arguments: '[what]',
  flags: [['--json', 'print the result as JSON']],
  details:
    '`wiggum stop` and `wiggum stop orchestrator` mean the same. Markers stay;\n`wiggum run` goes on. Exits 1 when nothing was running.',
  options: z.object({
    what: z
      .literal('orchestrator', {
        error: 'only `orchestrator` can stand here; `wiggum worker stop ID` ends one task',
      })
      .optional(),
    json: z.boolean().default(false),
  }),
  exitCodes: { NOT_INITIALISED: ExitCode.configuration },

  async run({ json }, { cwd, stdout, log }) {
    const { ralphDir } = await initialisedProject(cwd);
    if (!json) log.info('looking for the host of this project…');
    const ended = await endHost(ralphDir);
    if (json) stdout.write(`${JSON.stringify({ stopped: ended ?? null })}\n`);
    else
      stdout.write(
        ended
          ? `Process ${ended.pid} has ended. Tasks stay open; \`wiggum run\` goes on with them.\n`
          : 'Nothing to stop: no host of this project is running.\n',
      );
    return ended ? ExitCode.ok : ExitCode.error;
  },
});
