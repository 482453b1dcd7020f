import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { AtEnd } from './process.ts';

export interface Web {
  port: number;
  origin: string;
  /** How often somebody connected. */
  readonly connections: number;
  /** Paths that were asked for. */
  readonly paths: string[];
}

/** A web server on an address of this machine. */
export async function serveWeb(
  answer: RequestListener,
  address = '127.0.0.1',
  atEnd: AtEnd = onTestFinished,
): Promise<Web> {
  const server = createServer(answer);
  const web = { port: 0, origin: '', connections: 0, paths: [] as string[] };
  server.on('connection', () => web.connections++);
  server.on('request', ({ url }) => web.paths.push(url ?? ''));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, address, resolve);
  });
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  web.port = (server.address() as AddressInfo).port;
  web.origin = `http://${address}:${web.port}`;
  return web;
}

/** Pages by their path. */
export function pages(bodies: Record<string, string>): RequestListener {
  return (request, response) => {
    const body = bodies[new URL(request.url ?? '', 'http://x').pathname];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' });
    response.end(body ?? 'nothing');
  };
}
