import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageLimits } from '../mcp/answer-bounds.ts';
import { Authorized } from '../mcp/authorized.ts';
import { McpFailure } from '../mcp/failures.ts';
import type { Outbound } from '../mcp/outbound.ts';
import type { HttpTarget } from '../mcp/target.ts';
import { WholeResponse } from '../mcp/whole-response.ts';

const mebibyte = 1024 * 1024;
/** Bytes: of one request, of one message of an answer, and of all answers of a run. */
const mostAsked = mebibyte;
const mostInMessage = 4 * mebibyte;
const mostAnswered = 64 * mebibyte;
/** Requests under way at once. */
const mostAtOnce = 32;

/** Headers that belong to one connection, or that our way out writes itself. */
const ownHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'accept-encoding',
  'expect',
]);
/** Where else to go is not told: it would not be followed. */
const notTold = new Set([...ownHeaders, 'location', 'content-encoding']);

/** Names of tools that the official suite brings to a server that was written for it. */
const ofSuite = new Set([
  'test_missing_capability',
  'test_streaming_elicitation',
  'test_logging_tool',
  'test_trigger_tool_change',
  'test_trigger_prompt_change',
]);

/**
 * A server on loopback that leads to one saved server and nowhere else, for as long as a run takes. Whoever does not
 * know its path gets nothing. What comes in goes out the way all live calls go: past the guard of addresses, with the
 * headers, tokens and tunnels of the saved server, which the process that asks never sees.
 */
export class Gate {
  private readonly server: Server;
  private readonly path = `/${randomBytes(24).toString('hex')}`;
  private readonly line: Authorized;
  private readonly target: HttpTarget;
  private readonly mayBeCalled: (name: string) => boolean;
  private readonly closing = new AbortController();
  private answered = 0;
  private underWay = 0;
  private refused = false;

  /** `callable`: tools of the server that may be called. */
  constructor(outbound: Outbound, target: HttpTarget, callable: ReadonlySet<string>) {
    this.target = target;
    this.line = new Authorized(outbound.through(target.way), target);
    this.mayBeCalled = (name) => ofSuite.has(name) || callable.has(name);
    this.server = createServer((request, response) => {
      void this.serve(request, response);
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
  }

  get url(): string {
    return `${this.origin}${this.path}`;
  }

  private get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private get origin(): string {
    return `http://${this.host}`;
  }

  /** What must not stand in a report: secrets that the server could repeat, and where the gate is. */
  secrets(): string[] {
    return [...this.line.secrets(), this.path.slice(1)];
  }

  /** Whether a call was kept from the server since this was last asked. */
  takeRefused(): boolean {
    const { refused } = this;
    this.refused = false;
    return refused;
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url !== this.path || this.underWay >= mostAtOnce) {
      response.writeHead(request.url === this.path ? 503 : 404).end();
      return;
    }
    this.underWay++;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      await this.forward(request, response, AbortSignal.any([gone.signal, this.closing.signal]));
    } catch (error) {
      // The way the suite sees a server that does not answer.
      if (response.headersSent || !(error instanceof McpFailure)) response.destroy();
      else response.writeHead(502, { 'content-type': 'text/plain' }).end('The server was not reached');
    } finally {
      this.underWay--;
    }
  }

  private async forward(
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const body = await textOf(request);
    if (body === undefined) return void response.writeHead(413).end();
    if (this.callsForbidden(body)) {
      this.refused = true;
      return void response.writeHead(403, { 'content-type': 'text/plain' }).end('This tool is not called');
    }
    if (this.answered > mostAnswered) return void response.writeHead(503).end();
    const answer = await this.line.fetch(
      new URL(this.target.url),
      {
        method: request.method ?? 'GET',
        headers: this.headersOf(request),
        ...(body !== '' && { body }),
        signal,
      },
      {
        bytes: mostInMessage,
        limits: messageLimits,
        read: (bytes) => {
          this.answered += bytes;
          if (this.answered > mostAnswered) response.destroy();
        },
      },
    );
    response.writeHead(answer.status, answerHeaders(answer));
    response.flushHeaders();
    if (answer instanceof WholeResponse)
      return void response.end(
        request.method === 'HEAD' ? undefined : Buffer.from(await answer.arrayBuffer()),
      );
    if (!answer.body) return void response.end();
    await pipeline(Readable.fromWeb(answer.body), response, {
      signal,
    });
  }

  /** As they came, with the names of the gate replaced by those of the server. */
  private headersOf({ headers }: IncomingMessage): Record<string, string> {
    const sent: Record<string, string> = {};
    for (const [name, value] of Object.entries(headers))
      if (!ownHeaders.has(name) && value !== undefined) sent[name] = String(value);
    if (sent['host'] === this.host) delete sent['host'];
    if (sent['origin'] === this.origin) sent['origin'] = new URL(this.target.url).origin;
    return sent;
  }

  private callsForbidden(body: string): boolean {
    if (!body.includes('tools/call')) return false;
    try {
      const parsed = JSON.parse(body) as unknown;
      const messages = (Array.isArray(parsed) ? parsed : [parsed]) as {
        method?: unknown;
        params?: { name?: unknown };
      }[];
      return messages.some(
        (one) => one.method === 'tools/call' && !this.mayBeCalled(String(one.params?.name)),
      );
    } catch {
      // No server takes it for a call.
      return false;
    }
  }
}

/** Undefined when there is too much of it. */
async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostAsked) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function answerHeaders({ headers }: Response): string[] {
  // One list: Node takes no pairs.
  return [...headers].filter(([name]) => !notTold.has(name)).flat();
}
