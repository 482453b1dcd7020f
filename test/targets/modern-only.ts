import type { IncomingHttpHeaders } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { scriptOf } from '../support/script.ts';
import { answerWeb, asTarget, listen, readRpc, type Target } from './listen.ts';
import { createModernServer } from './modern-only-server.ts';

export interface ModernOnly extends Target {
  url: string;
  /** `method` is the JSON-RPC method, or the HTTP method if the body has none. */
  requests: { method: string; headers: IncomingHttpHeaders }[];
  /** The header `Mcp-Param-Region` of each call of `in_region`. */
  regions: (string | null)[];
}

/** Speaks 2026-07-28 and refuses `initialize` with -32022. */
export async function startModernOnly(): Promise<ModernOnly> {
  const requests: ModernOnly['requests'] = [];
  const regions: ModernOnly['regions'] = [];
  const handler = createMcpHandler(
    ({ requestInfo }) => createModernServer(requestInfo?.headers, (header) => regions.push(header)),
    { legacy: 'reject' },
  );
  const { port, stop } = await listen(async (request, response) => {
    const { body, rpc } = await readRpc(request);
    requests.push({ method: rpc?.method ?? request.method ?? '', headers: request.headers });
    await answerWeb(handler.fetch, request, response, body);
  });
  return asTarget({ url: `http://127.0.0.1:${port}/mcp`, requests, regions }, async () => {
    await handler.close();
    await stop();
  });
}

export function modernOnlyStdio(): { command: string; args: string[] } {
  const script = fileURLToPath(new URL('./modern-only-stdio.ts', import.meta.url));
  return { command: process.execPath, args: [scriptOf(script)] };
}
