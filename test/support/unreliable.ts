import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface Seen {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** The fate of a request. */
export type Fate = (request: IncomingMessage, response: ServerResponse, seen: Seen) => void | Promise<void>;

export interface Unreliable {
  url: string;
  /** Requests in the order they came. */
  seen: Seen[];
}

/** A server on loopback that does with each request what it is told; the last fate is that of all others too. */
export async function unreliable(...fates: [Fate, ...Fate[]]): Promise<Unreliable> {
  const seen: Seen[] = [];
  const meet = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fate = fates[Math.min(seen.length, fates.length - 1)] as Fate;
    const one = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers as Record<string, string>,
      body: '',
    };
    seen.push(one);
    try {
      for await (const chunk of request) one.body += chunk;
      await fate(request, response, one);
    } catch {
      // The client has disconnected.
    }
  };
  const server = createServer((request, response) => void meet(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

export const drop: Fate = (request) => void request.socket.destroy();

export function answer(
  status: number,
  body: unknown,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Fate {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (_, response) => void response.writeHead(status, headers).end(text);
}

/** The response of the service at `origin`. */
export function handOn(origin: string): Fate {
  return async (_, response, seen) => {
    const answered = await ask(origin, seen);
    response.writeHead(answered.status, { 'content-type': answered.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await answered.arrayBuffer()));
  };
}

/** The service does what was asked, and its answer does not arrive. */
export function loseAnswer(origin: string): Fate {
  return async (request, _, seen) => {
    await (await ask(origin, seen)).arrayBuffer();
    request.socket.destroy();
  };
}

function ask(origin: string, { method, path, headers, body }: Seen): Promise<Response> {
  const kept = ['authorization', 'content-type', 'idempotency-key'].filter((name) => headers[name]);
  return fetch(`${origin}${path}`, {
    method,
    headers: Object.fromEntries(kept.map((name) => [name, headers[name] ?? ''])),
    ...(body !== '' && { body }),
  });
}

/** Everything that comes. */
export async function gathered<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
