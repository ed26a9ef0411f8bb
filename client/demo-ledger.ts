import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const Entry = z.looseObject({
  event: z.enum(['start', 'resume', 'step', 'end']),
  pid: z.number(),
  session: z.string(),
  key: z.string(),
  task: z.string(),
  step: z.string(),
  number: z.number().optional(),
  action: z.string().optional(),
});

/** One thing that an agent did, as it wrote it down itself. */
export type LedgerEntry = z.infer<typeof Entry>;

/** Reads what the agents have done so far; a line that is still being written is left for later. */
export async function readLedger(file: string): Promise<LedgerEntry[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => Entry.parse(JSON.parse(line)));
}

export interface Verdict {
  ok: boolean;
  text: string;
}

/** Judges a crash by the ledger: one conversation, went on where it stood, nothing done twice. */
export function judgeCrash(entries: readonly LedgerEntry[], interrupted: LedgerEntry): Verdict[] {
  // Two tasks that begin in the same second may name their turns alike.
  const turn = entries.filter(
    ({ key, task }) => key === interrupted.key && task === interrupted.task,
  );
  const sessions = new Set(turn.map(({ session }) => session));
  const starts = turn.filter(({ event }) => event === 'start').length;
  const resumes = turn.filter(({ event }) => event === 'resume').length;
  const done = turn.flatMap(({ event, number }) => (event === 'step' ? [number ?? -1] : []));
  const repeated = [...new Set(done.filter((number, at) => done.indexOf(number) !== at))];
  return [
    {
      ok: sessions.size === 1,
      text: `one conversation: session ${[...sessions].map((id) => id.slice(0, 8)).join(', ')}`,
    },
    {
      ok: starts === 1 && resumes === 1,
      text: `started ${starts} time, resumed ${resumes} time, in another process (${pids(turn)})`,
    },
    {
      ok: repeated.every((number) => number === interrupted.number),
      text:
        repeated.length === 0
          ? `${done.length} actions, none of them twice`
          : `${new Set(done).size} actions; only the one that was cut off was begun again (${interrupted.action})`,
    },
  ];
}

function pids(entries: readonly LedgerEntry[]): string {
  return [...new Set(entries.map(({ pid }) => pid))].join(' → ');
}
