import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';

/**
 * A server that misbehaves in one way, over HTTP or as a command, in a process of its own: making what it sends costs
 * time that must not be counted against the service.
 *
 *   attacks http            prints the port; the path names the attack
 *   attacks stdio ATTACK
 */

const mebibyte = 1024 * 1024;

interface Rpc {
  id?: number | string;
  method: string;
}

type Write = (text: string) => boolean;

/** The text of a result. */
type Attack = (rpc: Rpc) => string;
interface Stream {
  before?: string;
  /** Written again and again. */
  repeat: string;
}

const lists: Record<string, string> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'tools/call': 'content',
  'prompts/get': 'messages',
  'resources/read': 'contents',
};

const list = (rpc: Rpc, items: string): string => `{"${lists[rpc.method] ?? 'x'}":[${items}]}`;
const many = (item: string, bytes: number): string => {
  const count = Math.floor(bytes / (item.length + 1));
  return `${`${item},`.repeat(count)}${item}`;
};
const tool = (size: number) =>
  `{"name":"t","description":"${'d'.repeat(size)}","inputSchema":{"type":"object"}}`;

/** Each answers any request but the handshake. */
export const attacks: Record<string, Attack> = {
  'empty arrays, 2 MB': (rpc) => list(rpc, many('[]', 2 * mebibyte)),
  'empty arrays, 30 MB': (rpc) => list(rpc, many('[]', 30 * mebibyte)),
  'malformed items, 300 kB': (rpc) => list(rpc, many('{}', 300_000)),
  'malformed items, just within bounds': (rpc) => list(rpc, many('{"type":"?"}', 600_000)),
  '200,000 items': (rpc) => list(rpc, `${'{"name":"t"},'.repeat(199_999)}{"name":"t"}`),
  '20,000 levels': () => `{"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  'declarations, 8 MB': (rpc) => list(rpc, many(tool(100), 8 * mebibyte)),
  'one text, 31 MB': () => `{"content":[{"type":"text","text":"${'x'.repeat(31 * mebibyte)}"}]}`,
  'one text to escape, 31 MB': () => `{"content":[{"type":"text","text":"${'\\n'.repeat(15 * mebibyte)}"}]}`,
  'many keys': () => `{${Array.from({ length: 90_000 }, (_, i) => `"k${i}":1`).join()}}`,
};

const made = new Map<string, string>();

/** Made once: making megabytes takes a core away from those who are measured. */
function resultOf(name: string, rpc: Rpc): string {
  const key = `${name} ${rpc.method}`;
  const known = made.get(key) ?? attacks[name]?.(rpc) ?? '{}';
  made.set(key, known);
  return known;
}

/** Over HTTP the answer comes as an event stream, which then goes on for ever. */
export const streams: Record<string, Stream> = {
  'notifications without end': {
    repeat:
      'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n',
  },
  'requests without end': {
    repeat: 'data: {"jsonrpc":"2.0","id":"x","method":"sampling/createMessage","params":{}}\n\n',
  },
  'comments without end': { repeat: `: ${'x'.repeat(1000)}\n\n` },
  'an event without end': { before: 'data: "', repeat: 'x'.repeat(65_536) },
};

const initialized = JSON.stringify({
  protocolVersion: '2025-11-25',
  capabilities: { tools: {}, prompts: {}, resources: {} },
  serverInfo: { name: 'attack', version: '1' },
});

/** How a result goes over the wire. */
function frame(rpc: Rpc, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(rpc.id)},"result":${result}}`;
}

function serveHttp(): void {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.stdout.write(`${typeof address === 'object' && address ? address.port : ''}\n`);
  });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = decodeURIComponent((request.url ?? '/').slice(1));
  if (request.method !== 'POST') {
    // A stream that nobody asked for.
    if (request.method !== 'GET') return void response.writeHead(200).end();
    return pour(response, streams['notifications without end'] as Stream);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const rpc = JSON.parse(Buffer.concat(chunks).toString()) as Rpc;
  if (rpc.id === undefined) return void response.writeHead(202).end();
  const json = (text: string): void =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  if (rpc.method === 'server/discover')
    return json(`{"jsonrpc":"2.0","id":${JSON.stringify(rpc.id)},"error":{"code":-32601,"message":"no"}}`);
  if (rpc.method === 'initialize' && name !== 'a handshake of empty arrays')
    return json(frame(rpc, initialized));
  if (rpc.method === 'initialize')
    return json(frame(rpc, `{"capabilities":{"experimental":[${many('[]', 2 * mebibyte)}]}}`));
  if (name === honest) return json(frame(rpc, list(rpc, '')));
  if (attacks[name]) return json(frame(rpc, resultOf(name, rpc)));
  const stream = streams[name] ?? streams['notifications without end'];
  if (name === 'an answer, then more without end')
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write(`data: ${frame(rpc, list(rpc, ''))}\n\n`);
  pour(response, stream as Stream);
}

function pour(response: ServerResponse, { before = '', repeat }: Stream): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(before);
  pump(
    (text) => response.write(text),
    repeat,
    () => !response.destroyed,
    (go) => response.once('drain', go),
  );
}

/** Writes as fast as it is read, until nobody reads any more. */
function pump(write: Write, text: string, going: () => boolean, whenDrained: (go: () => void) => void): void {
  const block = text.repeat(Math.max(1, Math.floor(65_536 / text.length)));
  const go = (): void => {
    for (;;) {
      if (!going()) return;
      if (!write(block)) return whenDrained(go);
    }
  };
  go();
}

function serveStdio(name: string): void {
  const flood = (): void =>
    pump(
      (text) => process.stdout.write(text),
      (streams['notifications without end'] as Stream).repeat.slice(6, -1),
      () => true,
      (go) => process.stdout.once('drain', go),
    );
  createInterface({ input: process.stdin }).on('line', (line) => {
    const rpc = JSON.parse(line) as Rpc;
    if (rpc.id === undefined) return;
    if (rpc.method === 'server/discover')
      process.stdout.write(
        `{"jsonrpc":"2.0","id":${JSON.stringify(rpc.id)},"error":{"code":-32601,"message":"no"}}\n`,
      );
    else if (rpc.method === 'initialize') process.stdout.write(`${frame(rpc, initialized)}\n`);
    else if (name in attacks) process.stdout.write(`${frame(rpc, resultOf(name, rpc))}\n`);
    else flood();
  });
}

/** The path of a server that does nothing wrong. */
export const honest = 'calm';

/** Every name that the HTTP form understands. */
export const attackNames = [
  ...Object.keys(attacks),
  ...Object.keys(streams),
  'an answer, then more without end',
  'a handshake of empty arrays',
];

const [, file, mode, name = ''] = process.argv;
const isProgram = file !== undefined && import.meta.filename === file;
if (isProgram && mode === 'stdio') serveStdio(name);
else if (isProgram) serveHttp();
