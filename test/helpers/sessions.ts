import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { World } from './with-world.ts';

/** What was said to an agent once, as the first line of its log tells it. */
export interface Session {
  run: string;
  purpose: string;
  iteration: number;
  agent: string;
  session_id: string;
  prompt: string;
  timestamp: string;
}

/** What was said to the agents of a task, in the order of time. */
export async function sessionsOf(world: World, id: string): Promise<Session[]> {
  const logs = path.join(await workerOf(world, id), 'logs');
  const sessions: Session[] = [];
  const runs = (await readdir(logs, { withFileTypes: true })).filter((entry) =>
    entry.isDirectory(),
  );
  for (const { name: run } of runs)
    for (const name of await readdir(path.join(logs, run))) {
      const [line = ''] = (await readFile(path.join(logs, run, name), 'utf8')).split('\n');
      sessions.push({ ...(JSON.parse(line) as Omit<Session, 'run'>), run });
    }
  return sessions.sort((a, b) => a.timestamp.localeCompare(b.timestamp));
}

/** The folder of a task's only run. */
export async function workerOf({ project }: World, id: string): Promise<string> {
  const folder = path.join(project.ralphDir, 'workers');
  const names = (await readdir(folder)).filter((name) => name.startsWith(`worker-${id}-`));
  if (names.length !== 1) throw new Error(`${id} has ${names.length} worker folders`);
  return path.join(folder, names[0] ?? '');
}
