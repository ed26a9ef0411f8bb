import { z } from 'zod';
import { WORKER_PATHS } from '../../config/worker-files.ts';
import { ExitCode, WiggumError } from '../../workflows/domain/errors.ts';
import { defineCommand } from '../command.ts';
import { inspectActivity } from '../inspect/activity.ts';
import { inspectAgents } from '../inspect/agents.ts';
import { inspectPath } from '../inspect/path.ts';
import { inspectPipeline } from '../inspect/pipeline.ts';
import { inspectWorker } from '../inspect/worker.ts';

const SUBJECTS = ['pipeline', 'agents', 'worker', 'activity', 'path'] as const;

/** Looks into things without changing or starting any. */
export const inspect = defineCommand({
  name: 'inspect',
  arguments: '<subject> [name] [kind] [of]',
  flags: [
    ['--task <id>', 'the pipeline as this task would take it (pipeline)'],
    ['--mermaid', 'draw it as a Mermaid flowchart (pipeline)'],
    ['--json', 'print the same as JSON'],
  ],
  details: [
    'Subjects:',
    '  pipeline [NAME]     its steps, where each result leads, its loops and limits',
    '  agents [TYPE]       all agents with their limits; with TYPE all of one',
    '  worker TASK         where a task run stands: step, result, cost, events, files',
    '  activity [TASK]     the last 20 events of the project, or of a task',
    `  path TASK KIND [OF] path of the newest ${WORKER_PATHS.slice(0, 3).join(', ')},`,
    `                      ${WORKER_PATHS.slice(3).join(', ')}; OF is an agent or a step`,
    'A part of the id of a task or worker is enough. Exits 1 when there is no such',
    'path, 3 when the pipeline or agent has faults, which are listed.',
  ].join('\n'),
  options: z.object({
    subject: z.enum(SUBJECTS),
    name: z.string().min(1).optional(),
    kind: z.string().optional(),
    of: z.string().min(1).optional(),
    task: z.string().min(1).optional(),
    mermaid: z.boolean().default(false),
    json: z.boolean().default(false),
  }),
  exitCodes: { NOT_INITIALISED: ExitCode.configuration, BOARD_MISSING: ExitCode.configuration },

  async run({ subject, name, kind, of, task, mermaid, json }, context) {
    if (kind !== undefined && subject !== 'path')
      throw new WiggumError('USAGE', `inspect ${subject} takes one name and nothing behind it.`);
    if (subject !== 'pipeline' && (mermaid || task !== undefined))
      throw new WiggumError('USAGE', '--mermaid and --task belong to inspect pipeline.');
    switch (subject) {
      case 'pipeline':
        return inspectPipeline(
          { name, task, form: mermaid ? 'mermaid' : json ? 'json' : 'text' },
          context,
        );
      case 'agents':
        return inspectAgents({ type: name, json }, context);
      case 'worker':
        return inspectWorker({ task: needed(name, subject), json }, context);
      case 'activity':
        return inspectActivity({ task: name, json }, context);
      case 'path':
        return inspectPath(
          { task: needed(name, subject), kind: neededKind(kind), of, json },
          context,
        );
    }
  },
});

function needed(task: string | undefined, subject: string): string {
  if (task !== undefined) return task;
  throw new WiggumError('USAGE', `inspect ${subject} needs the id of a task, as in AB-12.`);
}

function neededKind(kind: string | undefined): string {
  if (kind !== undefined) return kind;
  throw new WiggumError('USAGE', `inspect path needs a kind: ${WORKER_PATHS.join(', ')}.`);
}
