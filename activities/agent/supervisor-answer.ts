import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile } from '../../config/create-file.ts';
import {
  DECISIONS,
  type AgentTurn,
  type SupervisorDecision,
} from '../../workflows/domain/agent.ts';
import { findBlock, lastResult } from './model-text.ts';

export interface SupervisorAnswer {
  decision: SupervisorDecision;
  review: string;
}

/** Guidance goes through histories and into every prompt that follows. */
const GUIDANCE_CHARACTERS = 16_000;

/** A supervisor who could not be heard changes nothing. */
export const UNHEARD: SupervisorAnswer = {
  decision: { kind: 'CONTINUE', guidance: '' },
  review: '',
};

/**
 * Reads what a supervisor said, in its own words alone: the last valid decision counts, and none
 * means CONTINUE. What its review or guidance quotes is no decision.
 */
export function readAnswer(said: string): SupervisorAnswer {
  const review = findBlock(said, 'review');
  const guidance = findBlock(said, 'guidance');
  const quoted = [review, guidance].filter((block) => block !== undefined);
  const outside = quoted.reduce(
    (text, { from, to }) => text.slice(0, from) + ' '.repeat(to - from) + text.slice(to),
    said,
  );
  const kind = DECISIONS.find(
    (each) => each === lastResult(outside, { resultTag: 'decision', validResults: DECISIONS }),
  );
  return {
    decision: {
      kind: kind ?? 'CONTINUE',
      guidance: withoutEdges(guidance?.inside ?? '').slice(0, GUIDANCE_CHARACTERS),
    },
    review: withoutEdges(review?.inside ?? ''),
  };
}

/** Keeps a supervisor's words beside the run; what is there already stays as it is. */
export async function keepAnswer(turn: AgentTurn, answer: SupervisorAnswer): Promise<void> {
  const { decision, review } = answer;
  const folder = supervisorsFolder(turn);
  await mkdir(folder, { recursive: true });
  const keep = (what: string, text: string) =>
    createFile(join(folder, `${turn.runId}-${turn.iteration + 1}-${what}`), `${text}\n`);
  await keep('decision.txt', decision.kind);
  if (review) await keep('review.md', review);
  if (decision.guidance) await keep('guidance.md', decision.guidance);
}

/** Where supervisors of a task run leave what they said. */
export function supervisorsFolder({ place }: AgentTurn): string {
  return join(place.workerDir, 'supervisors');
}

// Blank lines around a block belong to its tags; all else is said word for word.
function withoutEdges(inside: string): string {
  return inside.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd();
}
