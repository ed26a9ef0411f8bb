import { describe, expect, it } from '@jest/globals';
import type { EndEvent, Exit, StreamEnd } from '../../../../activities/agent/backend.ts';
import { classifyClaude } from '../../../../activities/agent/claude/outcome.ts';

const end = (changes: Partial<EndEvent> = {}): EndEvent => ({
  kind: 'end',
  ok: true,
  code: 'success',
  message: '',
  turns: 1,
  ...changes,
});
const bad = (changes: Partial<EndEvent> = {}) => end({ ok: false, code: 'api_error', ...changes });
const fault = (code: string): StreamEnd['fault'] => ({
  kind: 'fault',
  code,
  message: `it was ${code}`,
});
const exit = (exitCode: number | null, stderr = '', signal: string | null = null): Exit => ({
  exitCode,
  signal,
  stderr,
});

describe('classifyClaude', () => {
  it.each<[string, StreamEnd, Exit, object]>([
    ['a closing line without error and exit 0', { end: end() }, exit(0), { kind: 'ok' }],
    ['exit 0 without a closing line', {}, exit(0), { kind: 'agent-failed' }],
    ['a good closing line with exit 1', { end: end() }, exit(1), { kind: 'agent-failed' }],
    ['a bad closing line with exit 0', { end: bad() }, exit(0), { kind: 'agent-failed' }],
    [
      'used up turns (#197)',
      { end: bad({ code: 'error_max_turns' }) },
      exit(1),
      { kind: 'max-turns' },
    ],
    [
      'a limit with its reset',
      {
        end: bad(),
        limit: { kind: 'limit', resetsAt: '2030-01-01T00:00:00.000Z', reason: 'used up' },
      },
      exit(1),
      { kind: 'limit', resetsAt: '2030-01-01T00:00:00.000Z' },
    ],
    [
      'a limit that passed before the end',
      { end: end(), limit: { kind: 'limit', reason: 'used up' } },
      exit(0),
      { kind: 'ok' },
    ],
    [
      'a limit without its reset',
      { end: bad({ status: 429 }), limit: { kind: 'limit', reason: 'used up' } },
      exit(1),
      { kind: 'limit' },
    ],
    [
      '429 without a limit (#145)',
      { end: bad({ status: 429 }), fault: fault('rate_limit') },
      exit(1),
      { kind: 'transient' },
    ],
    [
      '529 (#145)',
      { end: bad({ status: 529 }), fault: fault('server_error') },
      exit(1),
      { kind: 'transient' },
    ],
    [
      'a refused connection (#145)',
      { end: bad(), fault: fault('server_error') },
      exit(1),
      { kind: 'transient' },
    ],
    [
      'high concurrency (#145)',
      {
        end: bad({ status: 400 }),
        fault: { kind: 'fault', code: 'unknown', message: 'API Error: 400 High concurrency usage' },
      },
      exit(1),
      { kind: 'transient' },
    ],
    [
      'a session that is not known (#220)',
      {
        end: bad({
          code: 'error_during_execution',
          message: 'No conversation found with session ID: x',
        }),
      },
      exit(1),
      { kind: 'session-lost' },
    ],
    [
      '401',
      { end: bad({ status: 401 }), fault: fault('authentication_failed') },
      exit(1),
      { kind: 'auth' },
    ],
    ['403', { end: bad({ status: 403 }) }, exit(1), { kind: 'auth' }],
    [
      'no credit',
      { end: bad({ status: 400 }), fault: fault('billing_error') },
      exit(1),
      { kind: 'auth' },
    ],
    [
      'no such model',
      { end: bad({ status: 404 }), fault: fault('model_not_found') },
      exit(1),
      { kind: 'config' },
    ],
    [
      'a prompt that is too long',
      { end: bad({ status: 400 }), fault: fault('invalid_request') },
      exit(1),
      { kind: 'agent-failed' },
    ],
    ['nobody logged in', {}, exit(1, 'Not logged in · Please run /login\n'), { kind: 'auth' }],
    ['an unknown flag', {}, exit(1, "error: unknown option '--print'\n"), { kind: 'config' }],
    [
      'a session id in use',
      {},
      exit(1, 'Error: Session ID x is already in use.'),
      { kind: 'agent-failed', reason: expect.stringContaining('already in use') },
    ],
    [
      'SIGTERM',
      {},
      exit(143),
      { kind: 'agent-failed', reason: expect.stringContaining('exit 143') },
    ],
    [
      'SIGKILL',
      {},
      exit(null, '', 'SIGKILL'),
      { kind: 'agent-failed', reason: expect.stringContaining('SIGKILL') },
    ],
  ])('judges %s', (_title, stream, how, expected) => {
    expect(classifyClaude(stream, how)).toMatchObject(expected);
  });

  it('says what the program said, and how it ended', () => {
    const stream = {
      end: bad({ message: 'API Error: 400', status: 400 }),
      fault: fault('unknown'),
    };
    expect(classifyClaude(stream, exit(1))).toEqual({
      kind: 'agent-failed',
      reason: 'it was unknown (exit 1, result api_error)',
    });
  });
});
