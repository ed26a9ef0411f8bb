import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What an agent program asked its model, as far as tests look at it. */
export interface ModelRequest {
  model: string;
  /** Role and tools' rules, as one text. */
  system: string;
  messages: { role: string; content: unknown }[];
}

/** What the played model answers to one request. */
export type Reply =
  | { kind: 'text'; text: string }
  | { kind: 'tool'; name: string; input: Record<string, unknown> }
  | { kind: 'fault'; status: number; message: string; headers?: Record<string, string> }
  /** Says nothing until the caller gives up. */
  | { kind: 'silence' };

export interface ModelApi {
  address: string;
  /** All requests so far. */
  requests: ModelRequest[];
  close: () => Promise<void>;
}

/** Tokens that every answer of the played model takes. */
export const TOKENS = { input: 100, output: 50 };

/** Plays the Messages API on this machine: one reply per request, as the test decides. */
export async function startModelApi(answer: (request: ModelRequest) => Reply): Promise<ModelApi> {
  const requests: ModelRequest[] = [];
  const server = createServer((incoming, response) => {
    void bodyOf(incoming).then((body) => {
      if (
        incoming.url?.startsWith('/v1/messages') !== true ||
        incoming.url.includes('count_tokens')
      )
        return sendJson(response, 200, { input_tokens: 1 });
      const { model, system, messages } = JSON.parse(body) as ModelRequest;
      const request = { model, system: JSON.stringify(system), messages };
      requests.push(request);
      send(response, request, answer(request), requests.length);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of incoming) body += String(part);
  return body;
}

function send(
  response: ServerResponse,
  { model }: ModelRequest,
  reply: Reply,
  number: number,
): void {
  switch (reply.kind) {
    case 'silence':
      return;
    case 'fault':
      return sendJson(
        response,
        reply.status,
        { type: 'error', error: { type: 'api_error', message: reply.message } },
        reply.headers,
      );
    case 'text':
      return stream(response, { model, number, block: { type: 'text', text: '' } }, 'end_turn', {
        type: 'text_delta',
        text: reply.text,
      });
    case 'tool': {
      const block = { type: 'tool_use', id: `toolu_${number}`, name: reply.name, input: {} };
      const input = JSON.stringify(reply.input);
      return stream(response, { model, number, block }, 'tool_use', {
        type: 'input_json_delta',
        partial_json: input,
      });
    }
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function stream(
  response: ServerResponse,
  { model, number, block }: { model: string; number: number; block: object },
  stopReason: string,
  delta: object,
): void {
  const event = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const message = { id: `msg_${number}`, type: 'message', role: 'assistant', model, content: [] };
  const opening = { input_tokens: TOKENS.input, output_tokens: 1 };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  event('message_start', { message: { ...message, stop_reason: null, usage: opening } });
  event('content_block_start', { index: 0, content_block: block });
  event('content_block_delta', { index: 0, delta });
  event('content_block_stop', { index: 0 });
  event('message_delta', {
    delta: { stop_reason: stopReason },
    usage: { output_tokens: TOKENS.output },
  });
  event('message_stop', {});
  response.end();
}
