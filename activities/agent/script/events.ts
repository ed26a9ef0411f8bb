import { z } from 'zod';
import type { AgentEvent, Exit, StreamEnd, Verdict } from '../backend.ts';
import { parseJsonLine } from '../lines.ts';

const turn = z.number().optional();

const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session'), session_id: z.string() }),
  z.object({ type: z.literal('text'), text: z.string(), turn }),
  z.object({ type: z.literal('tool'), name: z.string(), turn }),
  z.object({
    type: z.literal('usage'),
    model: z.string(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    cache_read_tokens: z.number(),
    cache_write_tokens: z.number(),
    cost_usd: z.number(),
  }),
  z.object({ type: z.literal('limit'), resets_at: z.string().optional() }),
  z.object({
    type: z.literal('end'),
    ok: z.boolean(),
    code: z.string(),
    message: z.string(),
    turns: z.number(),
    denied: z.array(z.string()).optional(),
  }),
]);

/** Reads one line of the scripted agent's stream. */
export function parseScriptLine(line: string): AgentEvent[] {
  const read = eventSchema.safeParse(parseJsonLine(line));
  return read.success ? toEvents(read.data) : [];
}

/** Judges a scripted session by its end line and its exit code, which must agree. */
export function classifyScript({ end, limit }: StreamEnd, exit: Exit): Verdict {
  if (end?.ok && exit.exitCode === 0) return { kind: 'ok' };
  if (end?.code === 'max-turns') return { kind: 'max-turns' };
  const how = exit.signal ? `ended by ${exit.signal}` : `exit ${exit.exitCode ?? 'unknown'}`;
  const said = end?.message || exit.stderr.trim().split('\n').at(-1) || 'no end line';
  const reason = `${said} (${how})`;
  if (end?.code === 'limit')
    return { kind: 'limit', reason, ...(limit?.resetsAt ? { resetsAt: limit.resetsAt } : {}) };
  if (end?.code === 'auth') return { kind: 'auth', reason };
  if (end?.code === 'transient') return { kind: 'transient', reason };
  if (!end && exit.stderr.includes('there is no session')) return { kind: 'session-lost', reason };
  return { kind: 'agent-failed', reason };
}

function toEvents(event: z.infer<typeof eventSchema>): AgentEvent[] {
  switch (event.type) {
    case 'session':
      return [{ kind: 'session', sessionId: event.session_id }];
    case 'text':
      return [...message(event.turn), { kind: 'text', text: event.text }];
    case 'tool':
      return [...message(event.turn), { kind: 'tool', name: event.name }];
    case 'usage':
      return [
        {
          kind: 'usage',
          model: event.model,
          inputTokens: event.input_tokens,
          outputTokens: event.output_tokens,
          cacheReadTokens: event.cache_read_tokens,
          cacheWriteTokens: event.cache_write_tokens,
          costUsd: event.cost_usd,
        },
      ];
    case 'limit':
      return [
        {
          kind: 'limit',
          reason: 'usage limit reached',
          ...(event.resets_at === undefined ? {} : { resetsAt: event.resets_at }),
        },
      ];
    case 'end':
      return [
        {
          kind: 'end',
          ok: event.ok,
          code: event.code,
          message: event.message,
          turns: event.turns,
          ...(event.denied ? { denied: event.denied } : {}),
        },
      ];
  }
}

function message(number: number | undefined): AgentEvent[] {
  return number === undefined ? [] : [{ kind: 'message', id: String(number) }];
}
