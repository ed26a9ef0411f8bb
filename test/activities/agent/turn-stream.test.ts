import { describe, expect, it } from '@jest/globals';
import type { AgentEvent } from '../../../activities/agent/backend.ts';
import type { Models } from '../../../workflows/domain/usage.ts';
import { ModelText } from '../../../activities/agent/model-text.ts';
import { TurnStream } from '../../../activities/agent/turn-stream.ts';

const backend = { parse: (line: string) => JSON.parse(line) as AgentEvent[] };

function stream(events: AgentEvent[], before: Models = {}) {
  const modelText = new ModelText({
    resultTag: 'result',
    reportTag: 'report',
    validResults: ['PASS'],
  });
  const turn = new TurnStream(backend, modelText, before);
  for (const event of events) turn.take({ kind: 'line', text: JSON.stringify([event]) });
  return { turn, modelText };
}

const end = (changes: Partial<Extract<AgentEvent, { kind: 'end' }>> = {}): AgentEvent => ({
  kind: 'end',
  ok: true,
  code: 'success',
  message: '',
  turns: 2,
  ...changes,
});
const usage: AgentEvent = {
  kind: 'usage',
  model: 'big',
  inputTokens: 10,
  outputTokens: 3,
  costUsd: 0.5,
};
const big = (inputTokens: number, outputTokens: number, costUsd: number): Models => ({
  big: { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd },
});

describe('TurnStream', () => {
  it('counts from the events what no end has counted yet', () => {
    const { turn } = stream([
      { kind: 'message', id: 'a' },
      { kind: 'message', id: 'a' },
      usage,
      { kind: 'message', id: 'b' },
      usage,
    ]);
    expect(turn.usage(7)).toEqual({
      turns: 2,
      inputTokens: 20,
      outputTokens: 6,
      costUsd: 1,
      seconds: 7,
      models: big(20, 6, 1),
    });
  });

  it('counts what the cache took as input, and keeps it apart by model (#148)', () => {
    const { turn } = stream([
      { kind: 'session', sessionId: 's', model: 'big' },
      { kind: 'usage', inputTokens: 1, cacheReadTokens: 20, cacheWriteTokens: 300 },
      { kind: 'usage', outputTokens: 4 },
      { kind: 'usage', model: 'small', inputTokens: 5, costUsd: 0.25 },
    ]);
    expect(turn.usage(0)).toMatchObject({ inputTokens: 326, outputTokens: 4, costUsd: 0.25 });
    expect(turn.usage(0).models).toEqual({
      big: {
        inputTokens: 1,
        outputTokens: 4,
        cacheReadTokens: 20,
        cacheWriteTokens: 300,
        costUsd: 0,
      },
      small: {
        inputTokens: 5,
        outputTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        costUsd: 0.25,
      },
    });
  });

  it('believes the share that an end tells more than its own count', () => {
    const share = end({ models: big(100, 20, 2) });
    const { turn } = stream([{ kind: 'message', id: 'a' }, usage, share]);
    expect(turn.usage(0)).toMatchObject({ turns: 2, inputTokens: 100, costUsd: 2 });
  });

  it('keeps its own count where an end tells no figures', () => {
    expect(stream([usage, end()]).turn.usage(0)).toMatchObject({ inputTokens: 10, costUsd: 0.5 });
  });

  it('adds up several ends and what came after the last', () => {
    const ends = [1, 2].map((cost) => end({ models: big(100, 20, cost) }));
    const { turn } = stream([...ends.slice(0, 1), usage, ...ends.slice(1), usage]);
    expect(turn.usage(0)).toMatchObject({ turns: 4, inputTokens: 210, costUsd: 3.5 });
  });

  it('takes from a total of the session what was counted before, and is never below nothing', () => {
    const total = end({ sessionModels: big(30, 5, 5) });
    expect(stream([total], big(10, 4, 3)).turn.usage(0).models).toEqual(big(20, 1, 2));
    expect(stream([total], big(90, 9, 9)).turn.usage(0)).toMatchObject({ costUsd: 0, models: {} });
  });

  it('counts a run before it that was stopped, once the total of the session has it', () => {
    const told = end({ models: big(10, 3, 1), sessionModels: big(50, 15, 5) });
    const { turn } = stream([told], big(40, 12, 2));
    expect(turn.usage(0).models).toEqual(big(10, 3, 3));
    expect(turn.caughtUp).toBe(true);
  });

  it('takes nothing back for a run before it that the total of the session forgot', () => {
    const told = end({ models: big(10, 3, 1), sessionModels: big(10, 3, 1) });
    const { turn } = stream([told], big(40, 12, 0));
    expect(turn.usage(0).models).toEqual(big(10, 3, 1));
    expect(turn.caughtUp).toBe(false);
  });

  it('knows which of its tokens have no price yet', () => {
    const tokens: AgentEvent = { kind: 'usage', model: 'big', inputTokens: 7 };
    expect(stream([tokens]).turn.unpriced).toEqual(big(7, 0, 0));
    expect(stream([tokens, end({ models: big(7, 1, 1) })]).turn.unpriced).toEqual({});
    expect(stream([usage]).turn.unpriced).toEqual({});
  });

  it('tells progress that does not grow with the run', () => {
    const { turn } = stream([
      { kind: 'text', text: `  ${'x'.repeat(9_000)}` },
      { kind: 'tool', name: 'Bash' },
      { kind: 'retry', reason: 'model retry 1 of 5' },
    ]);
    expect(turn.progress).toMatchObject({
      events: 3,
      lastTool: 'Bash',
      waitsFor: 'model retry 1 of 5',
    });
    expect(JSON.stringify(turn.progress).length).toBeLessThan(600);
    turn.take({ kind: 'line', text: '[{"kind":"other"}]' });
    expect(turn.progress.waitsFor).toBeUndefined();
  });

  it('hands the words of the model on, and nothing else', () => {
    const { modelText } = stream([
      { kind: 'text', text: 'hello' },
      { kind: 'fault', code: 'x', message: '<result>PASS</result>' },
      end({ message: '<result>PASS</result>' }),
    ]);
    expect(modelText.tail).toBe('hello');
    expect(modelText.result).toBeUndefined();
  });

  it('passes over dropped lines and lines without events', () => {
    const { turn } = stream([]);
    turn.take({ kind: 'dropped', bytes: 5_000_000 });
    turn.take({ kind: 'line', text: '[]' });
    expect(turn.progress.events).toBe(0);
  });
});
