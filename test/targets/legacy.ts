import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Rpc, sendJson } from './listen.ts';

/** A request with its response, as hand-written targets handle it. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  rpc: Rpc | undefined;
  path: string;
  origin: string;
}

export function initializeResult(
  protocolVersion = '2025-11-25',
  capabilities: object = { tools: {} },
): object {
  return { protocolVersion, capabilities, serverInfo: { name: 'by-hand', version: '1.0.0' } };
}

export function sendResult(
  { response, rpc }: Exchange,
  result: object,
  headers: Record<string, string> = {},
) {
  sendJson(response, { jsonrpc: '2.0', id: rpc?.id, result }, 200, headers);
}

export function sendError({ response, rpc }: Exchange, error: object, status = 200): void {
  sendJson(response, { jsonrpc: '2.0', id: rpc?.id ?? null, error }, status);
}

export const methodNotFound = { code: -32601, message: 'Method not found' };

/** A minimal server of 2025-11-25 without sessions, with one tool. */
export function answerLegacy(exchange: Exchange): void {
  const { request, response, rpc } = exchange;
  if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end();
  if (!rpc) return sendError(exchange, { code: -32700, message: 'Parse error' }, 400);
  if (rpc.id === undefined) return void response.writeHead(202).end();
  switch (rpc.method) {
    case 'initialize':
      return sendResult(exchange, initializeResult());
    case 'ping':
      return sendResult(exchange, {});
    case 'tools/list':
      return sendResult(exchange, { tools: [{ name: 'any', inputSchema: { type: 'object' } }] });
    case 'tools/call':
      return sendResult(exchange, { content: [{ type: 'text', text: 'done' }] });
    default:
      return sendError(exchange, methodNotFound);
  }
}
