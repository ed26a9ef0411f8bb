import { z } from 'zod';
import type { Models } from '../../../workflows/domain/usage.ts';
import type { AgentEvent } from '../backend.ts';
import { parseJsonLine } from '../lines.ts';

/** Reads one line of the stream. Kinds that are new to us are signs of life; what is no event is nothing. */
export function parseClaudeLine(line: string): AgentEvent[] {
  const value = parseJsonLine(line);
  const known = eventSchema.safeParse(value);
  if (known.success) return toEvents(known.data);
  // Of a known kind but not of its shape: it must not pass for a verdict.
  return anySchema.safeParse(value).success ? [{ kind: 'other' }] : [];
}

const tokensSchema = z.object({
  input_tokens: z.number().default(0),
  output_tokens: z.number().default(0),
  cache_creation_input_tokens: z.number().nullish(),
  cache_read_input_tokens: z.number().nullish(),
});

const modelsSchema = z.record(
  z.string(),
  z
    .object({
      inputTokens: z.number(),
      outputTokens: z.number(),
      cacheReadInputTokens: z.number(),
      cacheCreationInputTokens: z.number(),
      costUSD: z.number(),
    })
    .transform((used) => ({
      inputTokens: used.inputTokens,
      outputTokens: used.outputTokens,
      cacheReadTokens: used.cacheReadInputTokens,
      cacheWriteTokens: used.cacheCreationInputTokens,
      costUsd: used.costUSD,
    })),
) satisfies z.ZodType<Models>;

const blockSchema = z.object({
  type: z.string(),
  text: z.string().optional(),
  name: z.string().optional(),
});

const anySchema = z.object({ type: z.string() });

const eventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('system'),
    subtype: z.string(),
    session_id: z.string().optional(),
    model: z.string().optional(),
    attempt: z.number().optional(),
    max_retries: z.number().optional(),
    error: z.string().optional(),
    error_status: z.number().nullish(),
  }),
  z.object({
    type: z.literal('assistant'),
    message: z.object({ id: z.string(), model: z.string(), content: z.array(blockSchema) }),
    parent_tool_use_id: z.string().nullish(),
    error: z.string().optional(),
  }),
  z.object({
    type: z.literal('stream_event'),
    event: z.object({
      type: z.string(),
      usage: tokensSchema.optional(),
      message: z.object({ usage: tokensSchema.optional() }).optional(),
    }),
  }),
  z.object({
    type: z.literal('rate_limit_event'),
    rate_limit_info: z.object({
      status: z.string(),
      resetsAt: z.number().optional(),
      rateLimitType: z.string().optional(),
    }),
  }),
  z.object({
    type: z.literal('result'),
    subtype: z.string(),
    is_error: z.boolean(),
    terminal_reason: z.string().optional(),
    result: z.string().optional(),
    errors: z.array(z.string()).optional(),
    num_turns: z.number().default(0),
    // Figures of a shape that is new to us must not hide a verdict.
    modelUsage: modelsSchema.optional().catch(undefined),
    model_usage_since_last_result: modelsSchema.optional().catch(undefined),
    api_error_status: z.number().nullish(),
    permission_denials: z.array(z.object({ tool_name: z.string() })).catch([]),
  }),
  z.object({ type: z.literal('user') }),
]);

type ClaudeEvent = z.infer<typeof eventSchema>;

function toEvents(event: ClaudeEvent): AgentEvent[] {
  switch (event.type) {
    case 'system':
      return [fromSystem(event)];
    case 'assistant':
      return fromAssistant(event);
    case 'stream_event':
      return [fromPartial(event.event)];
    case 'rate_limit_event':
      return [fromRateLimit(event.rate_limit_info)];
    case 'result':
      return [fromResult(event)];
    case 'user':
      return [{ kind: 'other' }];
  }
}

function fromSystem(event: Extract<ClaudeEvent, { type: 'system' }>): AgentEvent {
  if (event.subtype === 'init' && event.session_id)
    return {
      kind: 'session',
      sessionId: event.session_id,
      ...(event.model === undefined ? {} : { model: event.model }),
    };
  if (event.subtype !== 'api_retry') return { kind: 'other' };
  const status = event.error_status ? ` (${event.error_status})` : '';
  return {
    kind: 'retry',
    reason: `model retry ${event.attempt ?? '?'} of ${event.max_retries ?? '?'}: ${event.error ?? 'no answer'}${status}`,
  };
}

function fromAssistant(event: Extract<ClaudeEvent, { type: 'assistant' }>): AgentEvent[] {
  const { id, model, content } = event.message;
  const text = content.map((block) => block.text ?? '').join('');
  // Written by the program in the model's place, to tell of a fault.
  if (model === '<synthetic>')
    return [event.error ? { kind: 'fault', code: event.error, message: text } : { kind: 'other' }];
  // A helper's words are not the agent's verdict.
  if (event.parent_tool_use_id) return [{ kind: 'other' }];
  return [
    { kind: 'message', id },
    ...content.flatMap((block): AgentEvent[] => {
      if (block.type === 'text' && block.text) return [{ kind: 'text', text: block.text }];
      if (block.type === 'tool_use' && block.name) return [{ kind: 'tool', name: block.name }];
      return [];
    }),
  ];
}

// An answer opens with its input and closes with the true count of its output. It is the session's
// model's: the name in the answer may have a date that the figures at the end do not have.
function fromPartial({
  type,
  message,
  usage,
}: Extract<ClaudeEvent, { type: 'stream_event' }>['event']): AgentEvent {
  if (type === 'message_start' && message?.usage)
    return {
      kind: 'usage',
      inputTokens: message.usage.input_tokens,
      cacheReadTokens: message.usage.cache_read_input_tokens ?? 0,
      cacheWriteTokens: message.usage.cache_creation_input_tokens ?? 0,
    };
  if (type === 'message_delta' && usage)
    return { kind: 'usage', outputTokens: usage.output_tokens };
  return { kind: 'other' };
}

function fromRateLimit(
  info: Extract<ClaudeEvent, { type: 'rate_limit_event' }>['rate_limit_info'],
): AgentEvent {
  if (info.status !== 'rejected') return { kind: 'other' };
  return {
    kind: 'limit',
    reason: `usage limit reached (${info.rateLimitType ?? 'kind not told'})`,
    ...(info.resetsAt === undefined
      ? {}
      : { resetsAt: new Date(info.resetsAt * 1_000).toISOString() }),
  };
}

function fromResult(event: Extract<ClaudeEvent, { type: 'result' }>): AgentEvent {
  const { model_usage_since_last_result: models, modelUsage: sessionModels } = event;
  // By a permission rule or by a hook: both are told here, and only here.
  const denied = [...new Set(event.permission_denials.map(({ tool_name }) => tool_name))];
  return {
    kind: 'end',
    // `success` alone is not one: faults of the API come under that name too.
    ok: !event.is_error && event.subtype === 'success' && event.terminal_reason === 'completed',
    code:
      event.is_error && event.subtype === 'success'
        ? (event.terminal_reason ?? 'error')
        : event.subtype,
    message:
      event.errors?.join('; ') ||
      (event.is_error ? (event.result ?? '') : '') ||
      (event.terminal_reason ?? ''),
    turns: event.num_turns,
    ...(event.api_error_status ? { status: event.api_error_status } : {}),
    // The total goes on through every resume; only the share is this run's.
    ...(models === undefined ? {} : { models }),
    ...(sessionModels === undefined ? {} : { sessionModels }),
    ...(denied.length > 0 ? { denied } : {}),
  };
}
