import { randomUUID } from 'node:crypto';
import { type Exchange, initializeResult, methodNotFound, sendError, sendResult } from './legacy.ts';

const anything = { type: 'object' };
const counted = { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] };

/** Unknown fields in a tool, in its annotations and beside the list are legal; whoever passes them on keeps them. */
const pages = [
  [
    {
      name: 'unknown_content',
      inputSchema: anything,
      priority: 3,
      'x-vendor': { nested: [1, null] },
      annotations: { readOnlyHint: true, smellHint: 'rust' },
    },
    { name: 'bad_structured', inputSchema: anything, outputSchema: counted },
    { name: 'own_duration', inputSchema: anything },
  ],
  [
    { name: 'fails', inputSchema: anything },
    { name: 'slow', inputSchema: anything },
    { name: 'deep', inputSchema: anything },
  ],
  [
    { name: 'boom', inputSchema: anything },
    { name: 'echo', inputSchema: { ...anything, $comment: 'Last of all', additionalProperties: true } },
  ],
];

const boom = { code: -32603, message: 'Boom', data: { reason: 'asked to', trace: ['a', 'b'] } };

/** A server of 2025-11-25 with sessions, written by hand: all it answers is legal, little of it is usual. */
export class OddServer {
  private readonly sessions = new Set<string>();
  private waiting: (() => void)[] = [];

  forgetSessions(): void {
    this.sessions.clear();
  }

  release(): number {
    const { waiting } = this;
    this.waiting = [];
    for (const answer of waiting) answer();
    return waiting.length;
  }

  answer(exchange: Exchange, { loopCursor = false } = {}): void {
    const { request, response, rpc } = exchange;
    if (request.method === 'GET') return void response.writeHead(405, { allow: 'POST, DELETE' }).end();
    if (rpc?.method === 'initialize') return this.initialize(exchange);
    const session = request.headers['mcp-session-id'];
    if (session === undefined) return sendError(exchange, { code: -32000, message: 'No session' }, 400);
    if (!this.sessions.has(String(session)))
      return sendError(exchange, { code: -32001, message: 'Session not found' }, 404);
    if (request.method === 'DELETE') {
      this.sessions.delete(String(session));
      return void response.writeHead(204).end();
    }
    if (rpc?.id === undefined) return void response.writeHead(202).end();
    const { params } = rpc;
    switch (rpc.method) {
      case 'ping':
        return sendResult(exchange, {});
      case 'tools/list':
        return sendResult(exchange, loopCursor ? loopingPage : pageAt(params?.cursor));
      case 'tools/call':
        return this.call(exchange, params?.name ?? '', params?.arguments);
      case 'resources/list':
        return sendResult(exchange, { resources: [{ uri: 'odd://one', name: 'one', weight: 12.5 }] });
      case 'resources/read':
        if (params?.uri === 'odd://one')
          return sendResult(exchange, { contents: [{ uri: 'odd://one', text: 'One.', etag: 'W/1' }] });
        return sendError(exchange, {
          code: -32002,
          message: 'Resource not found',
          data: { uri: params?.uri },
        });
      default:
        return sendError(exchange, methodNotFound);
    }
  }

  private initialize(exchange: Exchange): void {
    const session = randomUUID();
    this.sessions.add(session);
    const result = initializeResult('2025-11-25', { tools: {}, resources: {}, experimental: { odd: {} } });
    sendResult(
      exchange,
      { ...result, instructions: 'Expect the unexpected.' },
      { 'mcp-session-id': session },
    );
  }

  private call(exchange: Exchange, tool: string, input: unknown): void {
    switch (tool) {
      case 'unknown_content':
        return sendResult(exchange, { content: [{ type: 'hologram', beams: 3 }], origin: 'odd' });
      case 'bad_structured':
        return sendResult(exchange, { content: text('many'), structuredContent: { count: 'many' } });
      case 'own_duration':
        return sendResult(exchange, { content: text('quick'), durationMs: 7 });
      case 'fails':
        return sendResult(exchange, { content: text('It failed.'), isError: true });
      case 'slow':
        return void this.waiting.push(() => sendResult(exchange, { content: text('released') }));
      case 'deep':
        return sendResult(exchange, {
          content: text('deep'),
          resultType: 'hologram',
          structuredContent: nested(60),
        });
      case 'boom':
        return sendError(exchange, boom);
      case 'echo':
        return sendResult(exchange, { content: text(JSON.stringify(input)), structuredContent: { input } });
      default:
        return sendError(exchange, { code: -32602, message: `Unknown tool: ${tool}` });
    }
  }
}

const loopingPage = { tools: pages[0], nextCursor: 'again' };

function pageAt(cursor: string | undefined): object {
  const index = cursor === undefined ? 0 : Number(/^page-(\d)$/.exec(cursor)?.[1] ?? pages.length);
  return {
    tools: pages[index] ?? [],
    ...(index + 1 < pages.length && { nextCursor: `page-${index + 1}` }),
    total: pages.flat().length,
  };
}

function text(value: string): object[] {
  return [{ type: 'text', text: value }];
}

function nested(depth: number): object {
  const items = Array.from({ length: 20 }, (_, index) => ({ index, text: 'é\u2028"\\'.repeat(5) }));
  return depth === 0 ? { end: true, none: null } : { depth, items, inner: nested(depth - 1) };
}
