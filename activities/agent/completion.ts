import type { CompletionCheck } from '../../config/agent-definition.ts';
import { plainFileSize, readPlainFile } from '../../config/plain-file.ts';
import { openItems } from '../../workflows/domain/prd.ts';
import { lastResult, type Tags } from './model-text.ts';

/** Whether an agent is done now, and the result that its words or its status file give. */
export interface Completion {
  complete: boolean;
  result?: string;
}

export interface CompletionContext extends Pick<Tags, 'resultTag' | 'validResults'> {
  /** Nothing follows: what is still open counts as failed. */
  final: boolean;
}

/** Evaluates a completion check. Paths are whole; `said` is the last valid tag in the model's own text. */
export async function checkCompletion(
  check: CompletionCheck,
  said: string | undefined,
  context: CompletionContext,
): Promise<Completion> {
  switch (check.kind) {
    case 'result-tag':
      return completion(said !== undefined, said);
    case 'file-exists':
      return completion(Boolean(await plainFileSize(check.path)), said);
    case 'status-file':
      return fromStatusFile(await readPlainFile(check.path), said, context);
  }
}

// The file speaks for such an agent, whatever it said: a tag in it wins, else its open items decide.
// While work is left in a loop only a giving up is a result.
function fromStatusFile(
  text: string | undefined,
  said: string | undefined,
  { final, ...tags }: CompletionContext,
): Completion {
  if (text === undefined) return { complete: false };
  const complete = openItems(text).length === 0;
  const written = lastResult(ownTags(text), tags);
  if (written !== undefined || complete) return completion(complete, written ?? 'PASS');
  return completion(false, final || said === 'FAIL' ? 'FAIL' : undefined);
}

// The board's words stand in such a file too, above the checklist or in its items: only a tag on a
// line of its own, below them, is the agent's.
function ownTags(text: string): string {
  return text
    .slice(text.lastIndexOf(CHECKLIST) + 1)
    .split('\n')
    .filter((line) => line.trim().startsWith('<'))
    .join('\n');
}

const CHECKLIST = '## Checklist';

function completion(complete: boolean, result: string | undefined): Completion {
  return { complete, ...(result === undefined ? {} : { result }) };
}
