import type { AgentTurn } from '../../workflows/domain/agent.ts';
import type { AgentWorld } from '../helpers/with-agents.ts';

/** What the model behind an agent does when it is asked; the last move of a turn says something or fails. */
export type Move =
  | { kind: 'say'; text: string }
  /** Has a command run in the workspace. */
  | { kind: 'run'; command: string }
  /** Calls for a tool that it may not use. */
  | { kind: 'denied'; tool: 'Write' | 'Bash' }
  /** Works on until the program has had enough turns. */
  | { kind: 'never-ends' }
  | { kind: 'busy'; status: number; message: string; retryAfter?: number }
  | { kind: 'silent' }
  | { kind: 'used-up'; resetsAt: string }
  | { kind: 'not-logged-in' };

/** What each answer of the played model uses, in every backend. */
export const EACH = { inputTokens: 100, outputTokens: 50, costUsd: 0.0014 };

/** A backend with a model that plays what a test says. */
export interface Stage {
  world: AgentWorld;
  /** A turn of the backend under contract. */
  turn: (changes?: Partial<AgentTurn>) => AgentTurn;
  /** Sets what the model does in this turn. */
  play: (turn: AgentTurn, moves: Move[]) => Promise<void>;
  /** All that the model knows by now: what it was told, what it said, and what came of its commands. */
  conversation: () => Promise<string>;
  /** Sets a guard that lets no command run. */
  guardCommands: () => Promise<void>;
  /** Where the backend keeps a session. */
  sessionFile: (turn: AgentTurn) => Promise<string>;
}

/** Sets up a stage, lets a test use it, and takes it down. */
export type WithStage = (use: (stage: Stage) => Promise<void>) => Promise<void>;
