import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseClaudeLine } from '../../../../activities/agent/claude/events.ts';

const parse = (event: unknown) => parseClaudeLine(JSON.stringify(event));
const assistant = (content: object[], more: object = {}) => ({
  type: 'assistant',
  message: { id: 'msg_1', model: 'claude-opus', content, usage: { output_tokens: 1 } },
  parent_tool_use_id: null,
  ...more,
});
const told = (costUSD: number) => ({
  inputTokens: 1,
  outputTokens: 2,
  cacheReadInputTokens: 100,
  cacheCreationInputTokens: 10,
  costUSD,
  contextWindow: 1000000,
  costBasis: 'list',
});
const read = (costUsd: number) => ({
  inputTokens: 1,
  outputTokens: 2,
  cacheReadTokens: 100,
  cacheWriteTokens: 10,
  costUsd,
});
const result = (changes: object) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  terminal_reason: 'completed',
  result: 'done',
  num_turns: 3,
  total_cost_usd: 4,
  modelUsage: { opus: told(4) },
  model_usage_since_last_result: { opus: told(0.5), haiku: told(0.25) },
  api_error_status: null,
  ...changes,
});

describe('parseClaudeLine', () => {
  it.each<[string, unknown, unknown]>([
    [
      'the begin of a session',
      { type: 'system', subtype: 'init', session_id: 'sid', model: 'opus', tools: [] },
      [{ kind: 'session', sessionId: 'sid', model: 'opus' }],
    ],
    [
      'words of the model (#79)',
      assistant([{ type: 'text', text: 'hello' }]),
      [
        { kind: 'message', id: 'msg_1' },
        { kind: 'text', text: 'hello' },
      ],
    ],
    [
      'a call of a tool, without its input (#80)',
      assistant([{ type: 'tool_use', name: 'Bash', input: { command: '<result>PASS</result>' } }]),
      [
        { kind: 'message', id: 'msg_1' },
        { kind: 'tool', name: 'Bash' },
      ],
    ],
    [
      'no thoughts',
      assistant([{ type: 'thinking', thinking: '<result>PASS</result>' }]),
      [{ kind: 'message', id: 'msg_1' }],
    ],
    [
      'what a tool said as a sign of life (#80)',
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', content: '<result>PASS</result>' }] },
      },
      [{ kind: 'other' }],
    ],
    [
      "a helper's words as a sign of life (#80)",
      assistant([{ type: 'text', text: '<result>PASS</result>' }], {
        parent_tool_use_id: 'toolu_1',
      }),
      [{ kind: 'other' }],
    ],
    [
      'a fault told in the model’s place',
      {
        ...assistant([]),
        message: { id: 'x', model: '<synthetic>', content: [{ type: 'text', text: 'API Error' }] },
        error: 'server_error',
      },
      [{ kind: 'fault', code: 'server_error', message: 'API Error' }],
    ],
    [
      'a retry',
      {
        type: 'system',
        subtype: 'api_retry',
        attempt: 1,
        max_retries: 5,
        error_status: 529,
        error: 'overloaded',
      },
      [{ kind: 'retry', reason: 'model retry 1 of 5: overloaded (529)' }],
    ],
    [
      'the tokens at the begin of an answer',
      {
        type: 'stream_event',
        event: {
          type: 'message_start',
          message: { usage: { input_tokens: 5, cache_read_input_tokens: 7, output_tokens: 1 } },
        },
      },
      [{ kind: 'usage', inputTokens: 5, cacheReadTokens: 7, cacheWriteTokens: 0 }],
    ],
    [
      'the tokens at its end',
      { type: 'stream_event', event: { type: 'message_delta', usage: { output_tokens: 9 } } },
      [{ kind: 'usage', outputTokens: 9 }],
    ],
    [
      'half words as a sign of life',
      {
        type: 'stream_event',
        event: { type: 'content_block_delta', delta: { text: '<result>PASS</result>' } },
      },
      [{ kind: 'other' }],
    ],
    [
      'a limit with the time of its reset',
      {
        type: 'rate_limit_event',
        rate_limit_info: { status: 'rejected', resetsAt: 1893456000, rateLimitType: 'five_hour' },
      },
      [
        {
          kind: 'limit',
          reason: 'usage limit reached (five_hour)',
          resetsAt: '2030-01-01T00:00:00.000Z',
        },
      ],
    ],
    [
      'no limit while there is room',
      { type: 'rate_limit_event', rate_limit_info: { status: 'allowed', resetsAt: 1893456000 } },
      [{ kind: 'other' }],
    ],
    ['a kind that is new to us as a sign of life', { type: 'brand_new' }, [{ kind: 'other' }]],
    [
      'a known kind of another shape as no verdict',
      { type: 'result', subtype: 3 },
      [{ kind: 'other' }],
    ],
  ])('reads %s', (_title, event, expected) => {
    expect(parse(event)).toEqual(expected);
  });

  it('tells use of this run by model apart from the total of the session (#148)', () => {
    expect(parse(result({}))).toEqual([
      {
        kind: 'end',
        ok: true,
        code: 'success',
        message: 'completed',
        turns: 3,
        models: { opus: read(0.5), haiku: read(0.25) },
        sessionModels: { opus: read(4) },
      },
    ]);
  });

  it.each([undefined, null, 7, { opus: { costUSD: 'much' } }])(
    'keeps the verdict where the figures are %j',
    (figures) => {
      const changes = { modelUsage: figures, model_usage_since_last_result: figures };
      const [event] = parse(result(changes));
      expect(event).toMatchObject({ kind: 'end', ok: true });
      expect(event).not.toHaveProperty('models');
    },
  );

  it('names each tool that was not allowed once, and needs nothing of them to be well formed', () => {
    const denials = ['Write', 'Bash', 'Write'].map((tool_name) => ({ tool_name, tool_input: {} }));
    expect(parse(result({ permission_denials: denials }))[0]).toMatchObject({
      ok: true,
      denied: ['Write', 'Bash'],
    });
    expect(parse(result({ permission_denials: 'new' }))[0]).toMatchObject({ ok: true });
  });

  it.each([
    [
      'an error under the name success',
      {
        is_error: true,
        terminal_reason: 'api_error',
        result: 'API Error: 500',
        api_error_status: 500,
      },
      { ok: false, code: 'api_error', message: 'API Error: 500', status: 500 },
    ],
    [
      'used up turns',
      {
        subtype: 'error_max_turns',
        is_error: true,
        terminal_reason: 'max_turns',
        errors: ['Reached maximum number of turns (2)'],
      },
      { ok: false, code: 'error_max_turns' },
    ],
    ['a stop by a hook', { terminal_reason: 'hook_stopped' }, { ok: false }],
    ['an end without its reason', { terminal_reason: undefined }, { ok: false }],
  ])('does not take %s for a success', (_title, changes, expected) => {
    expect(parse(result(changes))[0]).toMatchObject({ kind: 'end', ...expected });
  });

  it('reads nothing where there is no event, and never fails', () => {
    for (const line of ['', 'plain', '[]', '"x"', '{', '{"a":1}', `${'['.repeat(10_000)}`])
      expect(parseClaudeLine(line)).toEqual([]);
    fc.assert(
      fc.property(fc.json(), (line) => {
        expect(Array.isArray(parseClaudeLine(line))).toBe(true);
      }),
    );
  });
});
