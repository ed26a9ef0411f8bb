import type { Usage } from '../../workflows/domain/usage.ts';
import type { AgentEvent, Backend, StreamEnd } from './backend.ts';
import type { Line } from './lines.ts';
import type { ModelText } from './model-text.ts';

const LAST_TEXT_CHARACTERS = 200;

/** What a heartbeat tells of a running agent. */
export interface Progress {
  events: number;
  turns: number;
  costUsd: number;
  inputTokens: number;
  outputTokens: number;
  lastText: string;
  lastTool?: string;
  /** Why the agent waits, while it retries its model. */
  waitsFor?: string;
}

/** Follows an agent's stream and keeps only what does not grow with it. */
export class TurnStream {
  readonly streamEnd: StreamEnd = {};
  /** When the last event came, on the clock of `performance.now()`. */
  lastEventAt = performance.now();
  private events = 0;
  private lastMessage = '';
  private lastText = '';
  private lastTool: string | undefined;
  private waitsFor: string | undefined;
  private readonly counted = { turns: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };
  /** Use that no end event has counted yet. */
  private open = { turns: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };
  private readonly backend: Pick<Backend, 'parse'>;
  private readonly modelText: ModelText;
  /** What this session had cost before this run, for backends that tell totals only. */
  private readonly costBefore: number;

  constructor(backend: Pick<Backend, 'parse'>, modelText: ModelText, costBefore = 0) {
    this.backend = backend;
    this.modelText = modelText;
    this.costBefore = costBefore;
  }

  /** Takes one line of the agent's output. */
  take(line: Line): void {
    if (line.kind === 'dropped') return;
    const events = this.backend.parse(line.text);
    if (events.length === 0) return;
    this.events += 1;
    this.lastEventAt = performance.now();
    this.waitsFor = undefined;
    for (const event of events) this.apply(event);
  }

  get progress(): Progress {
    const { turns, costUsd, inputTokens, outputTokens } = this.usage(0);
    return {
      events: this.events,
      turns,
      costUsd,
      inputTokens,
      outputTokens,
      lastText: this.lastText,
      ...(this.lastTool === undefined ? {} : { lastTool: this.lastTool }),
      ...(this.waitsFor === undefined ? {} : { waitsFor: this.waitsFor }),
    };
  }

  usage(seconds: number): Usage {
    const { counted, open } = this;
    return {
      turns: counted.turns + open.turns,
      inputTokens: counted.inputTokens + open.inputTokens,
      outputTokens: counted.outputTokens + open.outputTokens,
      costUsd: counted.costUsd + open.costUsd,
      seconds,
      models: {},
    };
  }

  private apply(event: AgentEvent): void {
    switch (event.kind) {
      case 'message':
        if (event.id === this.lastMessage) return;
        this.lastMessage = event.id;
        this.open.turns += 1;
        return;
      case 'text':
        this.modelText.add(event.text);
        this.lastText = event.text.trim().slice(0, LAST_TEXT_CHARACTERS);
        return;
      case 'tool':
        this.lastTool = event.name;
        return;
      case 'retry':
        this.waitsFor = event.reason;
        return;
      case 'usage':
        this.open.inputTokens += event.inputTokens;
        this.open.outputTokens += event.outputTokens;
        this.open.costUsd += event.costUsd;
        return;
      case 'limit':
        this.streamEnd.limit = event;
        return;
      case 'fault':
        this.streamEnd.fault = event;
        return;
      case 'end':
        this.close(event);
        return;
      case 'session':
      case 'other':
        return;
    }
  }

  // The end event counts everything since the one before it, better than we could.
  private close(event: Extract<AgentEvent, { kind: 'end' }>): void {
    this.streamEnd.end = event;
    this.counted.turns += event.turns;
    this.counted.inputTokens += event.inputTokens;
    this.counted.outputTokens += event.outputTokens;
    this.counted.costUsd = this.costAfter(event);
    this.open = { turns: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };
  }

  private costAfter({ costUsd, sessionCostUsd }: Extract<AgentEvent, { kind: 'end' }>): number {
    if (costUsd !== undefined) return this.counted.costUsd + costUsd;
    if (sessionCostUsd === undefined) return this.counted.costUsd + this.open.costUsd;
    return Math.max(0, sessionCostUsd - this.costBefore);
  }
}
