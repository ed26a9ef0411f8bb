import type { CompletionCheck } from '../../config/agent-definition.ts';
import { openItems } from '../../workflows/domain/prd.ts';
import { readIfThere } from './durable-file.ts';
import { lastResult, type Tags } from './model-text.ts';

/** Whether an agent is done now, and the result that its words or its status file give. */
export interface Completion {
  complete: boolean;
  result?: string;
}

/** Evaluates a completion check. Paths are whole; `said` is the last valid tag in the model's own text. */
export async function checkCompletion(
  check: CompletionCheck,
  said: string | undefined,
  tags: Pick<Tags, 'resultTag' | 'validResults'>,
): Promise<Completion> {
  const result = said === undefined ? {} : { result: said };
  switch (check.kind) {
    case 'result-tag':
      return { complete: said !== undefined, ...result };
    case 'file-exists':
      return { complete: Boolean(await readIfThere(check.path)), ...result };
    case 'status-file':
      return fromStatusFile(await readIfThere(check.path), tags);
  }
}

// The file speaks for such an agent, whatever it said: a tag in it wins, else its open items decide.
function fromStatusFile(
  text: string | undefined,
  tags: Pick<Tags, 'resultTag' | 'validResults'>,
): Completion {
  if (text === undefined) return { complete: false };
  const open = openItems(text).length > 0;
  return { complete: !open, result: lastResult(text, tags) ?? (open ? 'FAIL' : 'PASS') };
}
