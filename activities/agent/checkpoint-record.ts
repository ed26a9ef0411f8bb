import { mkdir, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { readPlainFile } from '../../config/plain-file.ts';
import type { AgentOutcome, AgentTurn, RunPlace } from '../../workflows/domain/agent.ts';
import { doneItems, openItems } from '../../workflows/domain/prd.ts';
import { writeDurably } from '../durable-file.ts';
import { changedFiles } from '../git/changed-files.ts';
import { boundedItems, itemsUnder } from './summary-sections.ts';
import type { TurnStory } from './turn-story.ts';

const PROSE_CHARACTERS = 8_000;
const MAX_FILES = 1_000;

const checkpointSchema = z.object({
  version: z.literal('1.0'),
  iteration: z.number(),
  session_id: z.string(),
  timestamp: z.string(),
  status: z.enum(['in_progress', 'completed', 'interrupted', 'failed']),
  worker_id: z.string(),
  task_id: z.string(),
  step_id: z.string(),
  run_id: z.string(),
  files_modified: z.array(z.string()),
  completed_tasks: z.array(z.string()),
  next_steps: z.array(z.string()),
  prose_summary: z.string(),
  plan_file: z.string().optional(),
  output_file: z.string().optional(),
  supervisor_decision: z.string().optional(),
  supervisor_guidance: z.string().optional(),
});

/** Where an iteration stood when it ended or was cut off: `checkpoints/<run_id>/checkpoint-<n>.json`. */
export type Checkpoint = z.infer<typeof checkpointSchema>;

type Story = Pick<TurnStory, 'turn' | 'modelText' | 'files'>;

/** Keeps how an iteration stands after one of its turns. */
export async function checkpointTurn(story: Story, outcome: AgentOutcome): Promise<void> {
  const { turn } = story;
  if (turn.purpose === 'work')
    return write(turn, await fromWork(story, outcome.sessionId, statusOf(outcome)));
  const before = (await readCheckpoint(turn.place, turn.runId, turn.iteration)) ?? {
    ...(await fromWork(story, outcome.sessionId, 'in_progress')),
    prose_summary: '',
  };
  await write(turn, { ...before, ...refinement(story, outcome) });
}

/** Keeps what there is of a work turn whose attempt was cut off; the next one may be long in coming. */
export async function checkpointInterruption(story: TurnStory): Promise<void> {
  const { turn, attempts } = story;
  if (turn.purpose !== 'work') return;
  const sessionId = attempts.at(-1)?.sessionId ?? turn.sessionId;
  await write(turn, await fromWork(story, sessionId, 'interrupted'));
}

/** The newest checkpoint of an earlier run of the same step, unless that run had come to its end. */
export async function lastCheckpoint(turn: AgentTurn): Promise<string | undefined> {
  const folder = join(turn.place.workerDir, 'checkpoints');
  const runs = (await namesIn(folder)).filter((run) => run !== turn.runId);
  let newest: { file: string; checkpoint: Checkpoint } | undefined;
  for (const run of runs)
    for (const name of await namesIn(join(folder, run))) {
      const file = join(folder, run, name);
      const checkpoint = /^checkpoint-\d+\.json$/.test(name) ? await read(file) : undefined;
      if (checkpoint?.step_id !== turn.stepId || checkpoint.run_id !== run) continue;
      if (!newest || isNewer(checkpoint, newest.checkpoint)) newest = { file, checkpoint };
    }
  return newest?.checkpoint.status === 'completed' ? undefined : newest?.file;
}

/** Reads the checkpoint of an iteration; undefined when there is none that can be read. */
export function readCheckpoint(
  place: RunPlace,
  runId: string,
  iteration: number,
): Promise<Checkpoint | undefined> {
  return read(checkpointFile(place, runId, iteration));
}

/** The last checkpoint of a run; its last iteration may have come to nothing. */
export async function checkpointOfRun(
  place: RunPlace,
  runId: string,
  lastIteration: number,
): Promise<Checkpoint | undefined> {
  for (let iteration = lastIteration; iteration >= 0; iteration -= 1) {
    const found = await readCheckpoint(place, runId, iteration);
    if (found) return found;
  }
  return undefined;
}

async function fromWork(
  { turn, modelText, files }: Story,
  sessionId: string,
  status: Checkpoint['status'],
): Promise<Checkpoint> {
  const { place } = turn;
  // Before there is a summary, the requirements tell what is done.
  const prd = (await readPlainFile(join(place.workerDir, 'prd.md'))) ?? '';
  return {
    version: '1.0',
    iteration: turn.iteration,
    session_id: sessionId,
    timestamp: new Date().toISOString(),
    status,
    worker_id: basename(place.workerDir),
    task_id: place.taskId,
    step_id: turn.stepId,
    run_id: turn.runId,
    files_modified: await filesModified(place),
    completed_tasks: boundedItems(doneItems(prd)),
    next_steps: boundedItems(openItems(prd)),
    prose_summary: modelText.tail.slice(-PROSE_CHARACTERS).trim(),
    plan_file: files.plan,
    ...(files.output && { output_file: files.output }),
  };
}

function refinement({ turn, modelText }: Story, outcome: AgentOutcome): Partial<Checkpoint> {
  const timestamp = new Date().toISOString();
  switch (turn.purpose) {
    case 'summary':
      return { timestamp, ...fromSummary(modelText.tail) };
    case 'ask-result':
      return outcome.result === undefined ? {} : { timestamp, status: statusOf(outcome) };
    case 'supervise':
      return outcome.decision
        ? {
            timestamp,
            supervisor_decision: outcome.decision.kind,
            supervisor_guidance: outcome.decision.guidance,
          }
        : {};
    case 'work':
      return {};
  }
}

function fromSummary(said: string): Partial<Checkpoint> {
  const completed = itemsUnder(said, 'Completed');
  const next = itemsUnder(said, 'Next Steps');
  return {
    ...(completed.length > 0 && { completed_tasks: completed }),
    ...(next.length > 0 && { next_steps: next }),
    ...(said.trim() && { prose_summary: said.trim().slice(0, PROSE_CHARACTERS) }),
  };
}

function statusOf({ kind, result, complete }: AgentOutcome): Checkpoint['status'] {
  switch (kind) {
    case 'ok':
    case 'max-turns':
      if (result === 'FAIL') return 'failed';
      return complete ? 'completed' : 'in_progress';
    case 'agent-failed':
    case 'stalled':
    case 'timeout':
    case 'config':
      return 'failed';
    case 'limit':
    case 'transient':
    case 'session-lost':
    case 'auth':
      return 'interrupted';
  }
}

// A workspace that git cannot read is a fault that the end of the step tells; the rest is worth keeping.
async function filesModified(place: RunPlace): Promise<string[]> {
  return (await changedFiles(place).catch(() => [])).slice(0, MAX_FILES);
}

function isNewer(one: Checkpoint, other: Checkpoint): boolean {
  return one.timestamp > other.timestamp;
}

async function write(turn: AgentTurn, checkpoint: Checkpoint): Promise<void> {
  const file = checkpointFile(turn.place, turn.runId, turn.iteration);
  await mkdir(dirname(file), { recursive: true });
  await writeDurably(file, `${JSON.stringify(checkpoint, null, 2)}\n`);
}

async function read(file: string): Promise<Checkpoint | undefined> {
  const text = await readPlainFile(file);
  try {
    return text === undefined ? undefined : checkpointSchema.parse(JSON.parse(text));
  } catch {
    return undefined; // cut, corrupt or somebody else's: it says nothing
  }
}

function checkpointFile({ workerDir }: RunPlace, runId: string, iteration: number): string {
  return join(workerDir, 'checkpoints', runId, `checkpoint-${iteration}.json`);
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
