import type { CompletionCheck } from '../../config/agent-definition.ts';
import type { AgentTurn } from '../../workflows/domain/agent.ts';
import type { Models, ModelUsage } from '../../workflows/domain/usage.ts';

/** What a backend needs to know to run one turn. */
export interface TurnContext {
  turn: AgentTurn;
  /** The attempt's own folder. */
  folder: string;
  /** What is said to the agent, on its standard input. */
  promptFile: string;
  /** Role of the agent; only a new session takes one. */
  systemFile?: string;
  /** How one knows that the agent is done; paths are whole. */
  completion: CompletionCheck;
  tags: { resultTag: string; reportTag: string };
  /** Environment of this process; a backend passes on what it names. */
  environment: Readonly<NodeJS.ProcessEnv>;
}

export interface Command {
  program: string;
  args: string[];
  environment: Record<string, string>;
}

/** What one line of an agent's stream means to us. */
export type AgentEvent =
  /** `model` is the one that uses have which name no other. */
  | { kind: 'session'; sessionId: string; model?: string }
  /** One answer of the model; lines of the same answer share the id. */
  | { kind: 'message'; id: string }
  | { kind: 'text'; text: string }
  | { kind: 'tool'; name: string }
  | { kind: 'retry'; reason: string }
  /** Use since the last event of this kind; without its cost, the end has to tell the price. */
  | ({ kind: 'usage'; model?: string } & Partial<ModelUsage>)
  | { kind: 'limit'; resetsAt?: string; reason: string }
  /** The backend's own name for what went wrong, told before the end. */
  | { kind: 'fault'; code: string; message: string }
  | EndEvent
  /** A sign of life without further meaning to us. */
  | { kind: 'other' };

export interface EndEvent {
  kind: 'end';
  ok: boolean;
  /** The backend's own word for this end. */
  code: string;
  message: string;
  /** HTTP status of the fault, when there is one. */
  status?: number;
  turns: number;
  /** Use since the end before this one; undefined when the events have told it all. */
  models?: Models;
  /** Use of the whole session, through all of its runs, as far as the backend knows it. */
  sessionModels?: Models;
  /** Tools that the agent called and was not allowed to use. */
  denied?: string[];
}

/** What is left of a stream when it has ended. */
export interface StreamEnd {
  end?: EndEvent;
  limit?: Extract<AgentEvent, { kind: 'limit' }>;
  fault?: Extract<AgentEvent, { kind: 'fault' }>;
}

export interface Exit {
  exitCode: number | null;
  signal: string | null;
  /** Last part of the standard error stream. */
  stderr: string;
}

/** The kinds of outcome that a backend can tell from stream and exit. */
export type Verdict =
  | { kind: 'ok' }
  | { kind: 'max-turns' }
  | { kind: 'agent-failed'; reason: string }
  | { kind: 'limit'; resetsAt?: string; reason: string }
  | { kind: 'transient' | 'session-lost'; reason: string }
  | { kind: 'auth'; reason: string }
  | { kind: 'config'; reason: string };

/** One kind of agent program. */
export interface Backend {
  name: string;
  /** Command that creates the turn's session. */
  start(context: TurnContext): Promise<Command>;
  /** Command that says the prompt to the session that is there. */
  resume(context: TurnContext): Promise<Command>;
  sessionExists(context: Pick<TurnContext, 'turn' | 'environment'>): Promise<boolean>;
  /** Reads one line; a line that is not one of the backend's gives nothing. */
  parse(line: string): AgentEvent[];
  classify(stream: StreamEnd, exit: Exit): Verdict;
}
