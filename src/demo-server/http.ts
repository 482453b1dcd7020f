import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { createDemoServer } from './server.ts';

export interface DemoHttp {
  url: string;
  stop: () => Promise<void>;
}

/** The demo server at `/mcp`, for old and new clients, on loopback only. */
export async function serveDemoHttp(port: number, version: string): Promise<DemoHttp> {
  const handler = createMcpHandler(() => createDemoServer(version));
  const server = createServer((request, response) => {
    answer(handler, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    stop: async () => {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  handler: McpHttpHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const host = request.headers.host ?? '';
  // Prevents DNS rebinding: a web page must not reach this server through its own host name.
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host)) return void response.writeHead(403).end();
  if (new URL(request.url ?? '/', 'http://localhost').pathname !== '/mcp')
    return void response.writeHead(404).end();
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const result = await handler.fetch(toWeb(request, host, gone.signal));
  response.writeHead(result.status, Object.fromEntries(result.headers));
  if (!result.body) return void response.end();
  await pipeline(Readable.fromWeb(result.body), response);
}

function toWeb(request: IncomingMessage, host: string, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  return new Request(`http://${host}${request.url}`, {
    method: request.method ?? 'GET',
    headers,
    signal,
    ...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' }),
  });
}
