import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  anthropicAnswer,
  bedrockAnswer,
  bedrockEvents,
  chatAnswer,
  chatEvents,
  googleAnswer,
  googleEvents,
  responsesAnswer,
} from './provider-answers.ts';

/** Azure uses two of them under a path of its own. */
type ProviderWire = 'openai-chat' | 'openai-responses' | 'anthropic' | 'google' | 'bedrock';

export interface ScriptedCall {
  name: string;
  /** An object, or raw text where it must not be JSON. */
  input: object | string;
  id?: string;
}

/** The scripted response to a request. */
export interface Reply {
  text?: string;
  toolCalls?: ScriptedCall[];
  /** Null omits it. */
  usage?: { input: number; output: number; cacheRead?: number } | null;
  /** Default: `tool-calls` with calls, otherwise `stop`. */
  finish?: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'unheard-of';
  latencyMs?: number;
  /** Awaited before the answer. */
  after?: Promise<void>;
  status?: number;
  /** Header value in seconds. */
  retryAfter?: string;
  headers?: Record<string, string>;
  /** Sends half of the body and hangs up. */
  cut?: boolean;
  /** Never answers. */
  silent?: boolean;
  /** Awaited before each event of a streamed answer. */
  pace?: (event: number) => Promise<void> | void;
  /** The raw body, for any wire. */
  raw?: string;
}

interface RecordedRequest {
  wire: ProviderWire;
  path: string;
  headers: IncomingMessage['headers'];
  // Tests read arbitrary requests.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

/** `call` counts all requests from 0; `results` are the tool results in the request. */
export type Script = (request: RecordedRequest & { call: number; results: number }) => Reply;

export interface ScriptedProvider {
  /** Base URL for a wire. */
  url: string;
  requests: RecordedRequest[];
  /** Requests that are being answered now, and the maximum so far. */
  active: { now: number; most: number };
  /** Number of connections that were opened. */
  connections: number;
  script: Script;
  close(): Promise<void>;
}

/** Calls a tool once and then answers with text. */
export function callThenAnswer(call: ScriptedCall, text = 'Done.'): Script {
  return ({ results }) => (results === 0 ? { toolCalls: [call] } : { text });
}

/** A local provider for all wires that follows a script. `keep` is the number of requests it remembers. */
export async function startProvider(
  script: Script = () => ({ text: 'Done.' }),
  { keep = 10_000 } = {},
): Promise<ScriptedProvider> {
  const requests: RecordedRequest[] = [];
  const active = { now: 0, most: 0 };
  let calls = 0;
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  const provider: ScriptedProvider = {
    url: '',
    requests,
    active,
    connections: 0,
    script,
    close: () => closeServer(server),
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const wire = wireOf(request.url ?? '');
    const text = await textOf(request);
    if (wire === undefined) return void response.writeHead(404).end('{}');
    const body = JSON.parse(text) as Record<string, unknown>;
    const recorded = { wire, path: request.url ?? '', headers: request.headers, body };
    if (requests.length < keep) requests.push(recorded);
    active.most = Math.max(active.most, ++active.now);
    try {
      const reply = provider.script({ ...recorded, call: calls++, results: resultsIn(wire, text) });
      const aloud = body['stream'] === true || /:stream|-stream\b/.test(recorded.path);
      const stream = streams[wire];
      if (stream && aloud && (reply.status ?? 200) === 200)
        await sendEvents(response, reply, stream.type, stream.events(reply, String(body['model'])));
      else await send(response, wire, reply, String(body['model']));
    } finally {
      active.now--;
    }
  };
  server.on('connection', () => provider.connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return provider;
}

async function send(
  response: ServerResponse,
  wire: ProviderWire,
  reply: Reply,
  model: string,
): Promise<void> {
  if (reply.silent) return;
  if (reply.latencyMs) await delay(reply.latencyMs);
  await reply.after;
  const status = reply.status ?? 200;
  const body = reply.raw ?? (status === 200 ? answers[wire](reply, model) : refusal(reply));
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(reply.retryAfter !== undefined && { 'retry-after': reply.retryAfter }),
    ...reply.headers,
    'content-length': Buffer.byteLength(body),
  });
  if (!reply.cut) return void response.end(body);
  response.write(body.slice(0, body.length / 2), () => response.destroy());
}

/** Each event waits for `pace`, so that a test can act in between. */
async function sendEvents(
  response: ServerResponse,
  reply: Reply,
  type: string,
  events: Iterable<string | Buffer>,
): Promise<void> {
  if (reply.silent) return;
  if (reply.latencyMs) await delay(reply.latencyMs);
  await reply.after;
  response.writeHead(200, { 'content-type': type });
  let nth = 0;
  for (const event of events) {
    await reply.pace?.(nth++);
    if (reply.cut && nth > 2) return void response.destroy();
    response.write(event);
  }
  response.end();
}

const answers = {
  'openai-chat': chatAnswer,
  'openai-responses': responsesAnswer,
  anthropic: anthropicAnswer,
  google: googleAnswer,
  bedrock: bedrockAnswer,
};

const streams: Partial<
  Record<ProviderWire, { type: string; events: (reply: Reply, model: string) => Iterable<string | Buffer> }>
> = {
  'openai-chat': { type: 'text/event-stream', events: chatEvents },
  google: { type: 'text/event-stream', events: googleEvents },
  bedrock: { type: 'application/vnd.amazon.eventstream', events: bedrockEvents },
};

function refusal({ status, text = `status ${status}` }: Reply): string {
  const error = { type: 'scripted', message: text, code: null, status: 'SCRIPTED' };
  return JSON.stringify({ type: 'error', error, message: text });
}

function wireOf(address: string): ProviderWire | undefined {
  const [path = ''] = address.split('?');
  if (/\/models\/[^/]+:(?:stream)?[gG]enerateContent$/.test(path)) return 'google';
  if (/\/model\/[^/]+\/converse(?:-stream)?$/.test(path)) return 'bedrock';
  if (path.endsWith('/chat/completions')) return 'openai-chat';
  if (path.endsWith('/responses')) return 'openai-responses';
  return path.endsWith('/messages') ? 'anthropic' : undefined;
}

/** Counted in the text, because reading the messages would cost more than the rest. */
function resultsIn(wire: ProviderWire, text: string): number {
  const marks = {
    'openai-chat': '"role":"tool"',
    'openai-responses': '"type":"function_call_output"',
    anthropic: '"type":"tool_result"',
    google: '"functionResponse":',
    bedrock: '"toolResult":',
  };
  return text.split(marks[wire]).length - 1;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
