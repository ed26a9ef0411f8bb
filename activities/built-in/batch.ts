import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { z } from 'zod';
import { readPlainFile } from '../../config/plain-file.ts';
import type { RunPlace } from '../../workflows/domain/agent.ts';
import { writeDurably } from '../durable-file.ts';
import { withFileLock } from '../file-lock.ts';
import { isThere } from '../git/task-repository.ts';
import type { Coordination } from './batch-order.ts';

/** Tasks whose pull requests conflict with each other, merged one after the other; or why there is none. */
export type Batch =
  | { kind: 'none' }
  | { kind: 'unreadable'; reason: string }
  | { kind: 'batch'; id: string; coordination: Coordination };

/** The batch that a task belongs to, as it stands now. */
export async function readBatch(place: RunPlace): Promise<Batch> {
  const context = join(place.workerDir, 'batch-context.json');
  if (!(await isThere(context))) return { kind: 'none' };
  const named = contextSchema.safeParse(await readJson(context));
  // Who cannot be read as a member must not be taken for a free task: it would merge out of turn.
  if (!named.success) return { kind: 'unreadable', reason: `${context} cannot be read` };
  const id = named.data.batch_id;
  const file = coordinationFile(place, id);
  const found = coordinationSchema.safeParse(await readJson(file));
  if (!found.success) return { kind: 'unreadable', reason: `${file} is missing or cannot be read` };
  return { kind: 'batch', id, coordination: found.data };
}

/** Changes what the members of a batch know of it, one at a time: no entry is lost to another one's. */
export async function changeBatch(
  place: RunPlace,
  change: (coordination: Coordination) => Coordination,
): Promise<Batch> {
  const before = await readBatch(place);
  if (before.kind !== 'batch') return before;
  const file = coordinationFile(place, before.id);
  return withFileLock(file, 'BATCH_BUSY', async () => {
    const batch = await readBatch(place);
    if (batch.kind !== 'batch' || batch.id !== before.id) return batch;
    const coordination = change(batch.coordination);
    if (isDeepStrictEqual(coordination, batch.coordination)) return batch;
    const written = { ...coordination, updated_at: new Date().toISOString() };
    await writeDurably(file, `${JSON.stringify(written, null, 2)}\n`);
    return { ...batch, coordination };
  });
}

function coordinationFile({ ralphDir }: RunPlace, id: string): string {
  return join(ralphDir, 'batches', id, 'coordination.json');
}

// An agent can write this file: the name must not lead out of the folder of batches.
const contextSchema = z.object({ batch_id: z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/) });

const coordinationSchema = z.looseObject({
  status: z.enum(['executing', 'complete', 'failed']),
  current_position: z.int().nonnegative(),
  order: z.array(z.string()),
  completed: z.array(z.string()),
  failed: z.string().nullish(),
}) satisfies z.ZodType<Coordination>;

const MAX_BYTES = 1 << 20;

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse((await readPlainFile(file, MAX_BYTES)) ?? '');
  } catch {
    return undefined;
  }
}
