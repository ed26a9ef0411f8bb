import {
  addModels,
  atLeast,
  beyond,
  modelFigures,
  totalOf,
  type Models,
  type Usage,
} from '../../workflows/domain/usage.ts';
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

interface Use {
  turns: number;
  models: Models;
}

/** Follows an agent's stream and keeps only what does not grow with it. */
export class TurnStream {
  readonly streamEnd: StreamEnd = {};
  /** When the last event came, on the clock of `performance.now()`. */
  lastEventAt = performance.now();
  /** Whether the session's total told money that nobody had counted: runs that were cut off are in it. */
  caughtUp = false;
  private events = 0;
  private lastMessage = '';
  private lastText = '';
  private lastTool: string | undefined;
  private waitsFor: string | undefined;
  private model = 'unknown';
  private counted: Use = { turns: 0, models: {} };
  /** Use that no end event has counted yet. */
  private open: Use = { turns: 0, models: {} };
  private tellsPrices = false;
  private readonly backend: Pick<Backend, 'parse'>;
  private readonly modelText: ModelText;
  /** What was counted for this session before this run. */
  private readonly before: Models;

  constructor(backend: Pick<Backend, 'parse'>, modelText: ModelText, before: Models = {}) {
    this.backend = backend;
    this.modelText = modelText;
    this.before = before;
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
      ...totalOf(addModels(counted.models, open.models)),
      turns: counted.turns + open.turns,
      seconds,
    };
  }

  /** Tokens of a run that was cut off before it told their price. */
  get unpriced(): Models {
    return this.tellsPrices ? {} : this.open.models;
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
        this.use(event);
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
        this.model = event.model ?? this.model;
        return;
      case 'other':
        return;
    }
  }

  private use({ kind: _kind, model, ...figures }: Extract<AgentEvent, { kind: 'usage' }>): void {
    this.tellsPrices ||= figures.costUsd !== undefined;
    const used = modelFigures(model ?? this.model, figures);
    this.open.models = addModels(this.open.models, used);
  }

  // The share that an end tells is this run's own. The session's total has more when a run before this
  // one was stopped in good order without an end: nobody else will count that. It has less when a run
  // was killed: we keep its tokens, as far as its stream told them, and the program forgets them.
  private close(event: Extract<AgentEvent, { kind: 'end' }>): void {
    this.streamEnd.end = event;
    const share = addModels(this.counted.models, event.models ?? this.open.models);
    const total = beyond(event.sessionModels ?? {}, this.before);
    this.caughtUp ||= totalOf(beyond(total, share)).costUsd > 0;
    this.counted = { turns: this.counted.turns + event.turns, models: atLeast(share, total) };
    this.open = { turns: 0, models: {} };
  }
}
