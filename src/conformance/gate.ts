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
/** Maximum bytes of a request, of a message of a response, and of all responses of a run. */
const maxAsked = mebibyte;
const maxInMessage = 4 * mebibyte;
const maxAnswered = 64 * mebibyte;
/** Maximum number of concurrent requests. */
const maxAtOnce = 32;

/** Hop-by-hop headers, and those that our HTTP client writes itself. */
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
/** Response headers that are removed. The suite must not follow redirects. */
const withheldHeaders = new Set([...ownHeaders, 'location', 'content-encoding']);

/** Tools that the official suite expects from its own test server. */
const ofSuite = new Set([
  'test_missing_capability',
  'test_streaming_elicitation',
  'test_logging_tool',
  'test_trigger_tool_change',
  'test_trigger_prompt_change',
]);

/**
 * A loopback server that forwards requests to one saved server during a run. Requests need its secret path. They take
 * the same route as all live calls: through the address guard, with the headers, tokens and tunnel of the saved server,
 * which the suite never sees.
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

  /** Values that must not appear in a report: secrets that the server could echo, and the path of the gate. */
  secrets(): string[] {
    return [...this.line.secrets(), this.path.slice(1)];
  }

  /** Returns whether a call was blocked since the last time. */
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
    if (request.url !== this.path || this.underWay >= maxAtOnce) {
      response.writeHead(request.url === this.path ? 503 : 404).end();
      return;
    }
    this.underWay++;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      await this.forward(request, response, AbortSignal.any([gone.signal, this.closing.signal]));
    } catch (error) {
      // The suite treats this response as an unreachable server.
      if (response.headersSent || !(error instanceof McpFailure)) response.destroy();
      else response.writeHead(502, { 'content-type': 'text/plain' }).end('The server could not be reached');
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
      return void response
        .writeHead(403, { 'content-type': 'text/plain' })
        .end('Calls of this tool are blocked');
    }
    if (this.answered > maxAnswered) return void response.writeHead(503).end();
    const answer = await this.line.fetch(
      new URL(this.target.url),
      {
        method: request.method ?? 'GET',
        headers: this.headersOf(request),
        ...(body !== '' && { body }),
        signal,
      },
      {
        bytes: maxInMessage,
        limits: messageLimits,
        read: (bytes) => {
          this.answered += bytes;
          if (this.answered > maxAnswered) response.destroy();
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

  /** The request's headers, with the gate's host and origin replaced by the server's. */
  private headersOf({ headers }: IncomingMessage): Record<string, string> {
    const sent: Record<string, string> = {};
    for (const [name, value] of Object.entries(headers))
      if (!ownHeaders.has(name) && value !== undefined) sent[name] = String(value);
    if (sent['host'] === this.host) delete sent['host'];
    if (sent['origin'] === this.origin) sent['origin'] = new URL(this.target.url).origin;
    return sent;
  }

  private callsForbidden(body: string): boolean {
    // A backslash may escape characters of the name.
    if (!/tools\/call|\\/.test(body)) return false;
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
      // Servers do not accept invalid JSON as a call.
      return false;
    }
  }
}

/** The body of a request; undefined if it is too large. */
async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxAsked) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function answerHeaders({ headers }: Response): string[] {
  // A flat list, because Node does not accept pairs.
  return [...headers].filter(([name]) => !withheldHeaders.has(name)).flat();
}
