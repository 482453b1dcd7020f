import type { Pacer } from '../platform/flow/pacer.ts';
import { messageLimits } from './answer-bounds.ts';
import { Authorized } from './authorized.ts';
import { challengeOf } from './challenge.ts';
import { McpFailure } from './failures.ts';
import { type Outbound, plain } from './outbound.ts';
import type { Reading } from './reading.ts';
import type { HttpTarget } from './target.ts';

interface LineOptions {
  pace: Pacer;
  /** The caller handles authorization challenges. */
  leavesChallenges?: boolean;
  /** Does not open the stream for unsolicited messages. */
  ignoresStreams?: boolean;
}

/**
 * Whether a request opens the stream for unsolicited messages. A GET that resumes a broken stream names its last event.
 */
function isStandalone({ method, headers }: RequestInit): boolean {
  return method === 'GET' && plain(headers)['last-event-id'] === undefined;
}

/**
 * The HTTP side of a connection: adds the target's headers and token to each request, and converts error statuses into
 * failures.
 */
export class HttpChannel {
  private readonly outbound: Outbound;
  private readonly authorized: Authorized;
  private readonly url: URL;
  private readonly options: LineOptions;
  /** Functions that end the stream of a request, by request ID. */
  private readonly streams = new Map<string, () => void>();
  /** Before the handshake ends, statuses like 404 distinguish the eras, so the SDK's negotiation handles them. */
  established = false;
  /** Total bytes of all answers. */
  bytesRead = 0;
  private last: { status: number; contentType: string } | undefined;
  private lastFailure: McpFailure | undefined;
  private refusedVersion: McpFailure | undefined;
  /** Why the last broken stream broke. */
  streamFailure: McpFailure | undefined;

  constructor(outbound: Outbound, target: HttpTarget, options: LineOptions) {
    this.outbound = outbound;
    this.authorized = new Authorized(outbound, target);
    this.url = new URL(target.url);
    this.options = options;
  }

  /** The answer has arrived; the rest of its stream is not read. */
  answered(id: string | number): void {
    this.options.pace.refund();
    this.streams.get(String(id))?.();
  }

  readonly fetch = async (address: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(address);
    // Unsolicited messages would be ignored. 405 means that a server does not offer the stream.
    if (this.options.ignoresStreams && isStandalone(init)) return new Response(null, { status: 405 });
    try {
      const response = await this.authorized.fetch(url, init, this.readingOf(init));
      this.last = { status: response.status, contentType: response.headers.get('content-type') ?? '' };
      if (!this.established) await this.noteVersions(response, init);
      await this.refuse(url, response, init);
      return response;
    } catch (error) {
      if (error instanceof McpFailure) this.lastFailure = error;
      throw error;
    }
  };

  /** Explains a failed handshake by the last response. Event sources hide errors of their fetch. */
  complaint(): McpFailure | undefined {
    if (this.lastFailure || !this.last) return this.lastFailure;
    const { status, contentType } = this.last;
    if (this.refusedVersion) return this.refusedVersion;
    if (status >= 300) return new McpFailure('status', meaningOf(status), { status });
    if (/^(application\/json|text\/event-stream)\b/i.test(contentType)) return undefined;
    return new McpFailure(
      'not-mcp',
      `This URL is not an MCP server: it sent ${contentType || 'no content type'} instead of JSON or an event stream`,
      { status },
    );
  }

  /** During negotiation, a server may list its supported revisions, which explains a failed handshake. */
  private async noteVersions(response: Response, { body }: RequestInit): Promise<void> {
    this.refusedVersion = undefined;
    if (response.status !== 400) return;
    const rpc = rpcErrorIn(await response.clone().text());
    if (rpc?.code !== unsupportedVersion) return;
    const asked = /"protocolVersion":"([\d-]+)"/.exec(typeof body === 'string' ? body : '')?.[1];
    this.refusedVersion = versionFailure(asked, rpc.data);
  }

  secrets(): string[] {
    return this.authorized.secrets();
  }

  private readingOf({ body }: RequestInit): Reading {
    // The SDK writes the ID last.
    const id = typeof body === 'string' ? /"id":"?([\w-]+)"?\}$/.exec(body)?.[1] : undefined;
    return {
      ...(this.established && { limits: messageLimits }),
      pace: this.options.pace,
      read: (bytes) => void (this.bytesRead += bytes),
      broke: (failure) => void (this.streamFailure = failure),
      ...(id !== undefined && { opened: (end) => this.keepStream(id, end) }),
    };
  }

  private keepStream(id: string, end: () => void): void {
    this.streams.set(id, () => {
      this.streams.delete(id);
      end();
    });
  }

  /** The handshake is complete. Open streams of the handshake end here. */
  establish(): void {
    this.established = true;
    for (const end of this.streams.values()) end();
  }

  /** The answer is no longer awaited. */
  forget(id: string | number): void {
    this.streams.delete(String(id));
  }

  private async refuse(url: URL, response: Response, init: RequestInit): Promise<void> {
    const { status } = response;
    // The caller's authorization flow also talks to the authorization server, and reads its errors itself.
    if (this.options.leavesChallenges && (status === 401 || status === 403 || url.href !== this.url.href))
      return;
    if (status === 401)
      throw new McpFailure('unauthorized', 'The server requires authorization', {
        status,
        ...challengeOf(response),
      });
    if (status === 403) throw forbidden(response);
    if (status === 429) throw rateLimited(response);
    if (status >= 500)
      throw new McpFailure(
        'status',
        `Could not reach the MCP server: it answered with HTTP status ${status}`,
        {
          status,
        },
      );
    const redirect = redirectFailure(this.outbound, url, response, init.method ?? 'GET');
    if (redirect) throw redirect;
    if (status >= 400 && this.established) await this.refuseAnswer(response, init);
  }

  /** An error status on an established connection concerns the request or the session. */
  private async refuseAnswer(response: Response, init: RequestInit): Promise<void> {
    const { status } = response;
    // Optional features of the transport: the stream for notifications, and the end of a session.
    if (init.method !== 'POST') return;
    const rpc = rpcErrorIn(await response.clone().text());
    // Servers use different statuses; some answer 400 with a message about the session.
    const forgotten = status === 404 || (status === 400 && /session/i.test(rpc?.message ?? ''));
    if (forgotten && new Headers(init.headers).has('mcp-session-id'))
      throw new McpFailure('session', 'The MCP session has expired', { status, notSent: true });
    // The SDK reads JSON-RPC errors with status 400 itself, to correct its headers.
    if (rpc && status === 400) return;
    if (rpc) throw new McpFailure('rpc', rpc.message, { status, rpc });
    throw new McpFailure('status', `The server returned HTTP status ${status}`, { status });
  }
}

/** JSON-RPC error code for an unsupported protocol revision. */
export const unsupportedVersion = -32022;

/** The strings among values of a server, which may be anything. */
export function texts(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string');
}

export function versionFailure(asked: string | undefined, data: unknown): McpFailure {
  const supported = (data as { supported?: unknown } | undefined)?.supported;
  const offers = Array.isArray(supported) ? `. Supported: ${texts(supported).join(', ').slice(0, 200)}` : '';
  return new McpFailure(
    'version',
    `The server does not support ${asked === undefined ? 'the requested protocol revision' : `protocol revision ${asked}`}${offers}`,
  );
}

export function meaningOf(status: number): string {
  const answered = `The server returned HTTP status ${status}`;
  if (status === 404)
    return `${answered}: nothing is served at this path; MCP servers are often at /mcp or /sse`;
  if (status === 405)
    return `${answered}: the path does not accept POST requests; MCP servers are often at /mcp`;
  if (status < 400)
    return `${answered}: it redirects in a loop or without a target. Correct the redirect, or save the final URL`;
  return `${answered}: this path does not speak MCP; MCP servers are often at /mcp`;
}

function forbidden(response: Response): McpFailure {
  const facts = { status: 403, ...challengeOf(response) };
  return facts.challenge?.error === 'insufficient_scope'
    ? new McpFailure(
        'scope',
        `The token lacks a scope that the server requires${named(facts.challenge.scopes)}`,
        facts,
      )
    : new McpFailure('forbidden', 'The server refuses access (HTTP status 403)', facts);
}

function named(scopes: string[] | undefined): string {
  return scopes ? `: ${scopes.join(' ')}` : '';
}

function rateLimited(response: Response): McpFailure {
  const header = response.headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  const wait = Number.isFinite(seconds) ? { retryAfter: Math.max(1, Math.ceil(seconds)) } : {};
  return new McpFailure('rate-limited', 'The MCP server limits the rate of requests (HTTP status 429)', {
    status: 429,
    ...wait,
  });
}

/**
 * The failure for a redirect that is not followed. The SDK follows redirects on the same origin that keep the method;
 * any other URL has to be saved by a person.
 */
export function redirectFailure(
  outbound: Outbound,
  url: URL,
  response: Response,
  method: string,
): McpFailure | undefined {
  const { status } = response;
  const location = response.headers.get('location');
  if (status < 300 || status >= 400 || location === null || !URL.canParse(location, url.href))
    return undefined;
  const to = new URL(location, url);
  const keepsMethod = method === 'GET' || status === 307 || status === 308;
  if (to.origin === url.origin && keepsMethod) return undefined;
  const where = `${to.origin}${to.pathname}`;
  const problem = outbound.refusal(to);
  const then =
    problem === undefined
      ? `The server redirects to ${where}. If that is the server, save its URL instead`
      : `The server redirects to ${where}, but ${problem}`;
  return new McpFailure('redirect', then, { status, location: where });
}

function rpcErrorIn(text: string): { code: number; message: string; data?: unknown } | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown; data?: unknown } };
    if (typeof error?.code !== 'number' || typeof error.message !== 'string') return undefined;
    return {
      code: error.code,
      message: error.message,
      ...(error.data !== undefined && { data: error.data }),
    };
  } catch {
    return undefined;
  }
}
