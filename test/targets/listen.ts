import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

export interface Target extends AsyncDisposable {
  stop: () => Promise<void>;
}

/** Keeps getters of `fields`, so counters stay live. */
export function asTarget<T extends object>(fields: T, stop: () => Promise<void>): T & Target {
  return Object.assign(fields, { stop, [Symbol.asyncDispose]: stop });
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Listens on a port of loopback, a free one unless told; stopping cuts every connection, so a hanging answer holds nothing up. */
export async function listen(
  answer: Answer,
  server: Server = createServer(),
  wanted = 0,
): Promise<{ port: number } & Target> {
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(wanted, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  let stopped: Promise<void> | undefined;
  return asTarget({ port }, () => {
    stopped ??= new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    return stopped;
  });
}

export interface Rpc {
  id?: string | number;
  method: string;
  params?: { name?: string; uri?: string; cursor?: string; arguments?: unknown; [name: string]: unknown };
}

export async function readRpc(request: IncomingMessage): Promise<{ body: string; rpc: Rpc | undefined }> {
  const body = await text(request);
  try {
    const rpc = JSON.parse(body) as Rpc | null;
    return { body, rpc: typeof rpc?.method === 'string' ? rpc : undefined };
  } catch {
    return { body, rpc: undefined };
  }
}

export function sendJson(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

/** Answers with what a web-standard handler makes of the request. */
export async function answerWeb(
  handle: (request: Request) => Promise<Response>,
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  const result = await handle(
    new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      signal: gone.signal,
      ...(body !== '' && { body }),
    }),
  );
  response.writeHead(result.status, Object.fromEntries(result.headers));
  if (!result.body) return void response.end();
  await pipeline(Readable.fromWeb(result.body), response);
}
