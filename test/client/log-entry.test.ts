import { describe, expect, it } from '@jest/globals';
import { readLogLine, type LogEntry } from '../../client/log-entry.ts';
import { entryLines } from '../../client/render/log-entry.ts';

const line = (event: object) => JSON.stringify(event);
const lines = (entry: LogEntry) => entryLines(entry, { colour: false });

describe('a line of the scripted agent', () => {
  it.each<[string, object, LogEntry[]]>([
    ['words', { type: 'text', text: 'hello', turn: 1 }, [{ kind: 'text', text: 'hello' }]],
    [
      'a tool',
      { type: 'tool', name: 'Write', turn: 2, path: 'a.txt' },
      [{ kind: 'tool', name: 'Write', detail: 'a.txt' }],
    ],
    [
      'a command and its end',
      { type: 'tool', name: 'Bash', turn: 3, command: 'npm test', exit: 1, output: 'red' },
      [
        { kind: 'tool', name: 'Bash', detail: 'npm test' },
        { kind: 'tool-result', ok: false, text: 'exit 1\nred' },
      ],
    ],
    [
      'a limit',
      { type: 'limit', resets_at: 'noon' },
      [{ kind: 'note', text: 'usage limit reached, until noon' }],
    ],
    [
      'the end',
      { type: 'end', ok: true, code: 'completed', message: '', turns: 3, cost_usd: 0.4 },
      [{ kind: 'end', ok: true, text: 'completed', turns: 3, costUsd: 0.4 }],
    ],
    ['the start of its session', { type: 'session', session_id: 'x' }, []],
    ['its use of tokens', { type: 'usage', input_tokens: 1, output_tokens: 1, cost_usd: 0 }, []],
  ])('tells %s', (_title, event, expected) => {
    expect(readLogLine(line(event))).toEqual(expected);
  });
});

describe('a line of claude', () => {
  const assistant = (content: object[]) => ({
    type: 'assistant',
    message: { id: 'm', model: 'x', content },
  });

  it.each<[string, object, LogEntry[]]>([
    ['words', assistant([{ type: 'text', text: 'hello' }]), [{ kind: 'text', text: 'hello' }]],
    [
      'a tool',
      assistant([{ type: 'tool_use', name: 'Read', input: { file_path: '/a' } }]),
      [{ kind: 'tool', name: 'Read', detail: '/a' }],
    ],
    [
      'a tool with other input',
      assistant([{ type: 'tool_use', name: 'Odd', input: { n: 1 } }]),
      [{ kind: 'tool', name: 'Odd', detail: '{"n":1}' }],
    ],
    ['thoughts, which are not shown', assistant([{ type: 'thinking', thinking: 'hm' }]), []],
    [
      'what a tool brought',
      {
        type: 'user',
        message: {
          content: [
            { type: 'tool_result', content: [{ type: 'text', text: 'out' }], is_error: true },
          ],
        },
      },
      [{ kind: 'tool-result', ok: false, text: 'out' }],
    ],
    [
      'a plain tool result',
      { type: 'user', message: { content: [{ type: 'tool_result', content: 'out' }] } },
      [{ kind: 'tool-result', ok: true, text: 'out' }],
    ],
    [
      'a retry of the model',
      { type: 'system', subtype: 'api_retry', error: 'overloaded' },
      [{ kind: 'note', text: 'the model is asked again: overloaded' }],
    ],
    [
      'a refused limit',
      { type: 'rate_limit_event', rate_limit_info: { status: 'rejected' } },
      [{ kind: 'note', text: 'usage limit reached' }],
    ],
    [
      'the end',
      { type: 'result', subtype: 'success', is_error: false, num_turns: 4, total_cost_usd: 1.5 },
      [{ kind: 'end', ok: true, text: 'success', turns: 4, costUsd: 1.5 }],
    ],
    [
      'the end of a run of an older session: its own part of the cost (#148)',
      {
        type: 'result',
        subtype: 'success',
        num_turns: 1,
        total_cost_usd: 1.5,
        model_usage_since_last_result: { one: { costUSD: 0.25 }, two: { costUSD: 0.5 } },
      },
      [{ kind: 'end', ok: true, text: 'success', turns: 1, costUsd: 0.75 }],
    ],
    [
      'a bad end',
      {
        type: 'result',
        subtype: 'error_max_turns',
        is_error: true,
        errors: ['too many'],
        num_turns: 2,
      },
      [{ kind: 'end', ok: false, text: 'too many', turns: 2, costUsd: 0 }],
    ],
    ['a part of an answer', { type: 'stream_event', event: { type: 'message_start' } }, []],
    ['a shape that is new', { type: 'assistant', message: 'surprise' }, []],
  ])('tells %s', (_title, event, expected) => {
    expect(readLogLine(line(event))).toEqual(expected);
  });
});

describe('any other line', () => {
  it('begins a run of an agent', () => {
    const start = {
      type: 'iteration_start',
      agent: 'engineering.test',
      iteration: 1,
      purpose: 'summary',
      attempt: 2,
    };
    const [entry] = readLogLine(line(start));
    expect(entry).toEqual({
      kind: 'start',
      agent: 'engineering.test',
      iteration: 1,
      purpose: 'summary',
      attempt: 2,
    });
    expect(lines(entry as LogEntry)).toEqual([
      '',
      '── engineering.test · iteration 2 · summary · attempt 2',
    ]);
  });

  it('tells why an agent could not be started', () => {
    const start = { type: 'iteration_start', agent: 'a.b', error: 'claude is missing' };
    expect(readLogLine(line(start))[1]).toEqual({ kind: 'note', text: 'claude is missing' });
  });

  it.each(['plain text', '{"half": ', '7', '[]', '{"no": "type"}'])(
    'is printed as it is: %s',
    (text) => {
      expect(readLogLine(text)).toEqual([{ kind: 'printed', text }]);
    },
  );

  it.each(['', '   ', '{"type": "toString"}', '{"type": "unheard_of"}'])(
    'is passed over: "%s"',
    (text) => {
      expect(readLogLine(text)).toEqual([]);
    },
  );
});

describe('an entry on the screen', () => {
  it.each<[LogEntry, string[]]>([
    [{ kind: 'text', text: 'one\ntwo\n' }, ['one', 'two']],
    [{ kind: 'tool', name: 'Bash', detail: 'a\nb' }, ['→ Bash a b']],
    [{ kind: 'tool-result', ok: true, text: '' }, []],
    [{ kind: 'tool-result', ok: false, text: 'exit 1\nred' }, ['  exit 1', '  red']],
    [{ kind: 'note', text: 'waits' }, ['! waits']],
    [
      { kind: 'end', ok: true, text: 'completed', turns: 1, costUsd: 0.5 },
      ['= completed · 1 turn · $0.50'],
    ],
    [{ kind: 'end', ok: false, text: '', turns: 2, costUsd: 0 }, ['= 2 turns']],
    [{ kind: 'printed', text: 'as it is' }, ['as it is']],
  ])('%j', (entry, expected) => {
    expect(lines(entry)).toEqual(expected);
  });

  it('keeps long tool results short', () => {
    const text = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n');
    expect(lines({ kind: 'tool-result', ok: true, text }).slice(-2)).toEqual([
      '  line 7',
      '  … 12 more lines',
    ]);
  });

  it.each<LogEntry>([
    { kind: 'text', text: 'a\u001b[2Jb' },
    { kind: 'tool', name: 'x\u001b', detail: '\u001b' },
    { kind: 'tool-result', ok: true, text: '\u001b' },
    { kind: 'note', text: '\u001b' },
    { kind: 'end', ok: true, text: '\u001b', turns: 0, costUsd: 0 },
    { kind: 'printed', text: '\u001b' },
    { kind: 'start', agent: '\u001b', iteration: 0, purpose: '\u001b', attempt: 1 },
  ])('never passes a control character on: %j', (entry) => {
    expect(lines(entry).join('')).not.toContain('\u001b');
    expect(lines(entry).join('')).toContain('\\u{1b}');
  });
});
