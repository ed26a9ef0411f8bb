import { describe, expect, it } from '@jest/globals';
import type { AgentEvent } from '../../../activities/agent/backend.ts';
import { ModelText } from '../../../activities/agent/model-text.ts';
import { TurnStream } from '../../../activities/agent/turn-stream.ts';

const backend = { parse: (line: string) => JSON.parse(line) as AgentEvent[] };

function stream(events: AgentEvent[], costBefore = 0) {
  const modelText = new ModelText({
    resultTag: 'result',
    reportTag: 'report',
    validResults: ['PASS'],
  });
  const turn = new TurnStream(backend, modelText, costBefore);
  for (const event of events) turn.take({ kind: 'line', text: JSON.stringify([event]) });
  return { turn, modelText };
}

const end = (changes: Partial<Extract<AgentEvent, { kind: 'end' }>> = {}): AgentEvent => ({
  kind: 'end',
  ok: true,
  code: 'success',
  message: '',
  turns: 2,
  inputTokens: 100,
  outputTokens: 20,
  ...changes,
});
const usage: AgentEvent = { kind: 'usage', inputTokens: 10, outputTokens: 3, costUsd: 0.5 };

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
    });
  });

  it('believes the end event more than its own count', () => {
    const { turn } = stream([{ kind: 'message', id: 'a' }, usage, end({ costUsd: 2 })]);
    expect(turn.usage(0)).toMatchObject({ turns: 2, inputTokens: 100, costUsd: 2 });
  });

  it('adds up several ends and what came after the last', () => {
    const { turn } = stream([end({ costUsd: 1 }), usage, end({ costUsd: 2 }), usage]);
    expect(turn.usage(0)).toMatchObject({ turns: 4, inputTokens: 210, costUsd: 3.5 });
  });

  it('takes from a total of the session what was spent before', () => {
    expect(stream([end({ sessionCostUsd: 5 })], 3).turn.usage(0).costUsd).toBe(2);
    expect(stream([end({ sessionCostUsd: 1 })], 3).turn.usage(0).costUsd).toBe(0);
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
