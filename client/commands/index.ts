import type { Command, LoadedCommand } from '../command.ts';

/** One line of the help, and where the command is; loaded only when it is called. */
export interface RegistryEntry {
  group: 'Every day' | 'Tasks' | 'Board' | 'Machine';
  summary: string;
  load(): Promise<LoadedCommand>;
}

const entry = <Options>(
  group: RegistryEntry['group'],
  summary: string,
  load: () => Promise<Command<Options>>,
): RegistryEntry => ({
  group,
  summary,
  // The options reach `run` only after the command's own schema made them.
  load: async () => ({ ...((await load()) as Command<unknown>), summary }),
});

/** Every command by its name. */
export const COMMANDS: Readonly<Record<string, RegistryEntry>> = {
  init: entry(
    'Every day',
    'Set up .ralph with a template board',
    async () => (await import('./init.ts')).init,
  ),
  run: entry(
    'Every day',
    'Work off the board until nothing is left to do',
    async () => (await import('./run.ts')).run,
  ),
  status: entry(
    'Every day',
    'Show where each task stands and what it waits for',
    async () => (await import('./status.ts')).status,
  ),
  stop: entry(
    'Every day',
    'Stop the running host; tasks stay open',
    async () => (await import('./stop.ts')).stop,
  ),
  worker: entry(
    'Tasks',
    'Start, stop, restart or steer one task',
    async () => (await import('./worker.ts')).worker,
  ),
  logs: entry(
    'Tasks',
    'Read what the agent of a task says and does',
    async () => (await import('./logs.ts')).logs,
  ),
  pr: entry(
    'Tasks',
    'List, view and merge pull requests',
    async () => (await import('./pr.ts')).pr,
  ),
  inspect: entry(
    'Tasks',
    'Look into a pipeline, the agents, a task run, its events or files',
    async () => (await import('./inspect.ts')).inspect,
  ),
  validate: entry(
    'Board',
    'Check board, pipelines and agents; sort or tidy the board',
    async () => (await import('./validate.ts')).validate,
  ),
  config: entry(
    'Machine',
    'Show settings, and where each value comes from',
    async () => (await import('./config.ts')).config,
  ),
  doctor: entry(
    'Machine',
    'Check this machine and project, with advice',
    async () => (await import('./doctor.ts')).doctor,
  ),
  server: entry(
    'Machine',
    'Show, start or stop the Temporal server',
    async () => (await import('./server.ts')).server,
  ),
  demo: entry(
    'Machine',
    'Watch a sample board being worked off, without a model',
    async () => (await import('./demo.ts')).demo,
  ),
};
