import { z } from 'zod';

/** What one line of an agent's log means to a reader. */
export type LogEntry =
  | { kind: 'start'; agent: string; iteration: number; purpose: string; attempt: number }
  | { kind: 'text'; text: string }
  | { kind: 'tool'; name: string; detail: string }
  | { kind: 'tool-result'; ok: boolean; text: string }
  | { kind: 'note'; text: string }
  | { kind: 'end'; ok: boolean; text: string; turns: number; costUsd: number }
  /** Not an event: what a check or a program printed. */
  | { kind: 'printed'; text: string };

/** Reads one line of any backend's stream. Kinds that nobody needs to read give nothing. */
export function readLogLine(line: string): LogEntry[] {
  if (line.trim() === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return [{ kind: 'printed', text: line }];
  }
  const typed = z.object({ type: z.string() }).safeParse(value);
  if (!typed.success) return [{ kind: 'printed', text: line }];
  const read = Object.hasOwn(READERS, typed.data.type) ? READERS[typed.data.type] : undefined;
  return read?.(value) ?? [];
}

type Reader = (value: unknown) => LogEntry[];

/** One reader per event type; a shape that is new to us is passed over, never a failure. */
const READERS: Readonly<Record<string, Reader>> = {
  iteration_start: reader(
    z.object({
      agent: z.string().default('agent'),
      iteration: z.number().default(0),
      purpose: z.string().default('work'),
      attempt: z.number().default(1),
      error: z.string().optional(),
    }),
    ({ error, ...start }) => [
      { kind: 'start', ...start },
      ...(error === undefined ? [] : [{ kind: 'note' as const, text: error }]),
    ],
  ),
  // The scripted agent.
  text: reader(z.object({ text: z.string() }), ({ text }) => [{ kind: 'text', text }]),
  tool: reader(
    z.looseObject({
      name: z.string(),
      exit: z.union([z.number(), z.string()]).nullish(),
      output: z.string().optional(),
    }),
    ({ name, exit, output, type: _type, turn: _turn, ...input }) => [
      { kind: 'tool', name, detail: detailOf(input) },
      ...(exit === undefined || exit === null
        ? []
        : [toolResult(exit === 0, `exit ${exit}${output ? `\n${output}` : ''}`)]),
    ],
  ),
  limit: reader(z.object({ resets_at: z.string().optional() }), ({ resets_at }) => [
    { kind: 'note', text: `usage limit reached${resets_at ? `, until ${resets_at}` : ''}` },
  ]),
  end: reader(
    z.object({
      ok: z.boolean(),
      code: z.string().default(''),
      message: z.string().default(''),
      turns: z.number().default(0),
      cost_usd: z.number().default(0),
    }),
    ({ ok, code, message, turns, cost_usd }) => [
      { kind: 'end', ok, text: message || code, turns, costUsd: cost_usd },
    ],
  ),
  // Claude.
  assistant: reader(
    z.object({
      message: z.object({
        content: z.array(
          z.looseObject({
            type: z.string(),
            text: z.string().optional(),
            name: z.string().optional(),
            input: z.unknown().optional(),
          }),
        ),
      }),
    }),
    ({ message }) =>
      message.content.flatMap((block): LogEntry[] => {
        if (block.type === 'text' && block.text) return [{ kind: 'text', text: block.text }];
        if (block.type === 'tool_use')
          return [{ kind: 'tool', name: block.name ?? 'tool', detail: detailOf(block.input) }];
        return [];
      }),
  ),
  user: reader(
    z.object({
      message: z.object({
        content: z.array(
          z.looseObject({
            type: z.string(),
            content: z.unknown().optional(),
            is_error: z.boolean().nullish(),
          }),
        ),
      }),
    }),
    ({ message }) =>
      message.content
        .filter((block) => block.type === 'tool_result')
        .map((block) => toolResult(block.is_error !== true, textOf(block.content))),
  ),
  system: reader(
    z.object({
      subtype: z.string(),
      error: z.string().optional(),
      message: z.string().optional(),
      tool_name: z.string().optional(),
    }),
    ({ subtype, error, message, tool_name }) => {
      if (subtype === 'api_retry')
        return [{ kind: 'note', text: `the model is asked again: ${error ?? 'no answer'}` }];
      if (subtype === 'permission_denied')
        return [{ kind: 'note', text: `${tool_name ?? 'a tool'} was refused: ${message ?? ''}` }];
      return [];
    },
  ),
  rate_limit_event: reader(
    z.object({ rate_limit_info: z.object({ status: z.string() }) }),
    ({ rate_limit_info: { status } }) =>
      status === 'rejected' ? [{ kind: 'note', text: 'usage limit reached' }] : [],
  ),
  result: reader(
    z.object({
      is_error: z.boolean().default(false),
      subtype: z.string().default(''),
      errors: z.array(z.string()).optional(),
      num_turns: z.number().default(0),
      // The total is the whole session's; this is the part of one run.
      model_usage_since_last_result: z
        .record(z.string(), z.object({ costUSD: z.number() }))
        .optional(),
      total_cost_usd: z.number().default(0),
    }),
    ({
      is_error,
      subtype,
      errors,
      num_turns,
      model_usage_since_last_result: run,
      total_cost_usd,
    }) => [
      {
        kind: 'end',
        ok: !is_error && subtype === 'success',
        text: errors?.join('; ') || (is_error ? 'failed' : subtype),
        turns: num_turns,
        costUsd: run
          ? Object.values(run).reduce((sum, { costUSD }) => sum + costUSD, 0)
          : total_cost_usd,
      },
    ],
  ),
};

function reader<T>(schema: z.ZodType<T>, toEntries: (event: T) => LogEntry[]): Reader {
  return (value) => {
    const read = schema.safeParse(value);
    return read.success ? toEntries(read.data) : [];
  };
}

function toolResult(ok: boolean, text: string): LogEntry {
  return { kind: 'tool-result', ok, text };
}

/** What a tool was called with, in a few words: the telling value, or all of them. */
function detailOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const values = input as Record<string, unknown>;
  for (const name of ['command', 'file_path', 'path', 'pattern', 'url', 'query', 'description']) {
    const value = values[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return Object.keys(values).length === 0 ? '' : JSON.stringify(values);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => z.object({ text: z.string() }).safeParse(part).data?.text ?? '')
    .filter(Boolean)
    .join('\n');
}
