import type { Exit, StreamEnd, Verdict } from '../backend.ts';

/**
 * Judges a session that has ended. Success needs all of: exit 0, a last result line without error,
 * and the reason `completed`; an interrupted program also exits with 0.
 */
export function classifyClaude({ end, limit, fault }: StreamEnd, exit: Exit): Verdict {
  if (end?.ok && exit.exitCode === 0) return { kind: 'ok' };
  if (end?.code === 'error_max_turns') return { kind: 'max-turns' };
  const reason = describe({ end, limit, fault }, exit);
  const status = end?.status;

  if (limit && !end?.ok)
    return { kind: 'limit', reason, ...(limit.resetsAt ? { resetsAt: limit.resetsAt } : {}) };
  if (fault?.code === 'authentication_failed' || status === 401 || status === 403)
    return { kind: 'auth', reason };
  // Money is a person's affair too: no waiting brings it.
  if (fault?.code === 'billing_error') return { kind: 'auth', reason };
  if (fault?.code === 'model_not_found' || status === 404) return { kind: 'config', reason };
  // The model cannot be reached or has too much to do: not the agent's failure, it passes.
  if (fault?.code === 'rate_limit' || fault?.code === 'server_error' || isBusy(status))
    return { kind: 'transient', reason };
  const told = [fault?.message, end?.message].join('\n');
  if (TOO_BUSY.test(told)) return { kind: 'transient', reason };
  if (UNKNOWN_SESSION.test(told)) return { kind: 'session-lost', reason };
  if (!end && NOT_LOGGED_IN.test(exit.stderr)) return { kind: 'auth', reason };
  if (!end && WRONG_CALL.test(exit.stderr)) return { kind: 'config', reason };
  return { kind: 'agent-failed', reason };
}

/** Said by gateways in front of a model under a status of their own. */
const TOO_BUSY = /high concurrency|rate.?limit|overloaded|timed out/i;
const UNKNOWN_SESSION = /No conversation found with session ID/;
const NOT_LOGGED_IN = /not logged in|invalid api key|please run \/login/i;
const WRONG_CALL =
  /unknown option|requires --verbose|root\/sudo privileges|Settings file not found|Invalid session ID|could not start/i;

function isBusy(status: number | undefined): boolean {
  return status !== undefined && (status === 429 || status >= 500);
}

function describe({ end, limit, fault }: StreamEnd, exit: Exit): string {
  const said = [fault?.message, end?.message, limit?.reason, lastLine(exit.stderr)].find(Boolean);
  const how = exit.signal ? `ended by ${exit.signal}` : `exit ${exit.exitCode ?? 'unknown'}`;
  const what = end ? `result ${end.code}` : 'no result line';
  return said
    ? `${said} (${how}, ${what})`
    : `claude ended without an explanation (${how}, ${what})`;
}

function lastLine(text: string): string | undefined {
  return text.trim().split('\n').at(-1);
}
