import { setMaxListeners } from 'node:events';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import type { Agent } from 'undici';
import {
  type AddressPolicy,
  type PolicySource,
  refusalOf,
  refusalOfUrl,
} from '../platform/network/address-guard.ts';
import { type Resolve, type ResolvedAddress, systemResolve } from '../platform/network/resolve.ts';
import type { ByteBudget } from './byte-budget.ts';
import { failureIn, McpFailure, networkFailure } from './failures.ts';
import type { Reading } from './reading.ts';
import { type AnswerLimits, beginningOf, ResponseReader } from './response-reader.ts';
import { WholeResponse } from './whole-response.ts';

const mebibyte = 1024 * 1024;

interface OutboundLimits extends AnswerLimits {
  headerBytes: number;
}

export interface OutboundOptions extends Partial<OutboundLimits> {
  resolve?: Resolve;
  /** Trusted certificate authorities, instead of those of the system. */
  authorities?: string;
}

const defaults: OutboundLimits = {
  messageBytes: 32 * mebibyte,
  totalBytes: 256 * mebibyte,
  headerBytes: 32 * 1024,
};

/** Delivers requests for one origin without the network, such as through a tunnel. */
export interface OutboundRoute {
  /** Requests to other origins use the network. */
  origin: string;
  send(url: URL, init: RequestInit): Promise<Sent>;
}

export interface Sent {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
}

const maxRedirects = 5;
const maxVerdicts = 10_000;

/** Milliseconds that an idle socket is kept. */
const idleSocket = 1_500;
/** Maximum bytes of a metadata document. */
const documentBytes = mebibyte;

/**
 * Sends all requests to targets and their authorization servers. A name is resolved once per connection, which goes to
 * a checked address. Only `follow` follows redirects, and checks each hop.
 */
export class Outbound {
  private readonly source: PolicySource;
  private readonly resolve: Resolve;
  private readonly authorities: string | undefined;
  private readonly limits: OutboundLimits;
  /** The policy at the last request. */
  private policy: AddressPolicy = { local: false, networks: [] };
  /** Holds the connections made under the current policy. */
  private agent: Promise<Agent> | undefined;
  /** All agents with open connections, including those of earlier policies. */
  private readonly agents = new Set<Agent>();
  private readonly verdicts = new Map<string, { problem: string | undefined }>();
  private readonly answers: ResponseReader;
  private readonly way: OutboundRoute | undefined;
  private readonly usual: Outbound;

  constructor(
    source: PolicySource,
    { resolve = systemResolve, authorities, ...limits }: OutboundOptions = {},
    around?: { usual: Outbound; way: OutboundRoute },
  ) {
    this.source = source;
    this.resolve = resolve;
    this.authorities = authorities;
    this.limits = { ...defaults, ...limits };
    this.answers = around?.usual.answers ?? new ResponseReader(this.limits);
    this.way = around?.way;
    this.usual = around?.usual ?? this;
  }

  /** A copy of this client with one origin routed differently. */
  through(way: OutboundRoute | undefined): Outbound {
    if (!way) return this;
    const { resolve, limits } = this;
    return new Outbound(this.source, { resolve, ...limits }, { usual: this, way });
  }

  /** The bytes of answers that are being read or still in use. */
  get held(): ByteBudget {
    return this.answers.held;
  }

  private async newAgent(): Promise<Agent> {
    // Loaded with the first request, to keep the startup fast.
    const { Agent } = await import('../platform/undici.ts');
    const agent = new Agent({
      connect: {
        lookup: guardedLookup(this.source, this.resolve),
        timeout: 10_000,
        ...(this.authorities !== undefined && { ca: this.authorities }),
      },
      maxHeaderSize: this.limits.headerBytes,
      // Streams may be silent for long; each request has its own deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Servers close idle sockets after some seconds. A request sent at that moment may or may not have been executed,
      // so a new socket is the better choice.
      keepAliveTimeout: idleSocket,
      keepAliveMaxTimeout: idleSocket,
    });
    this.agents.add(agent);
    return agent;
  }

  /** Drops verdicts and idle connections of an earlier policy. Requests in progress may finish. */
  private async followPolicy(): Promise<void> {
    const policy = await this.source();
    if (policy === this.policy) return;
    this.policy = policy;
    this.verdicts.clear();
    const agent = await this.agent;
    this.agent = undefined;
    void agent?.close().finally(() => this.agents.delete(agent));
  }

  /** Like `fetch`, but never follows a redirect or decompresses a response. */
  readonly fetch = async (
    address: string | URL,
    init: RequestInit = {},
    reading: Reading = {},
  ): Promise<Response> => {
    const url = new URL(address);
    const { way, usual } = this;
    const around = way?.origin === url.origin;
    if (!around) {
      await usual.followPolicy();
      const problem = usual.refusal(url);
      if (problem !== undefined) throw new McpFailure('address', problem, { notSent: true });
    }
    try {
      const { statusCode, headers, body } = await (around ? way.send(url, init) : usual.send(url, init));
      return await this.received(url, statusCode, headers, body, reading);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw failureIn(error) ?? networkFailure(error, url.host) ?? error;
    }
  };

  /** Like `fetch` for documents that may have moved: follows a few redirects of a GET, each of which is checked. */
  readonly follow = async (
    address: string | URL,
    init: RequestInit = {},
    reading: Pick<Reading, 'bytes' | 'limits'> = {},
  ): Promise<Response> => {
    let url = new URL(address);
    for (let hops = 0; ; hops++) {
      const response = await this.fetch(url, init, { bytes: documentBytes, ...reading, document: true });
      const location = response.headers.get('location');
      const moved = response.status >= 300 && response.status < 400 && location !== null;
      if (!moved || (init.method ?? 'GET') !== 'GET') return response;
      if (hops === maxRedirects || !URL.canParse(location, url.href))
        throw new McpFailure('redirect', `${url.host} redirects too often`, { status: response.status });
      const from = url.host;
      url = new URL(location, url);
      if (url.protocol !== 'http:' && url.protocol !== 'https:')
        throw new McpFailure('redirect', `${from} redirects to ${url.protocol}, which is not followed`, {
          status: response.status,
        });
    }
  };

  /** Why a URL is refused; undefined if it is allowed, or if only name resolution can tell. */
  refusal(url: URL): string | undefined {
    if (this.way?.origin === url.origin) return undefined;
    if (this.usual !== this) return this.usual.refusal(url);
    const known = this.verdicts.get(url.hostname);
    if (known) return known.problem;
    const problem = refusalOfUrl(url.href, this.policy);
    if (this.verdicts.size >= maxVerdicts) this.verdicts.clear();
    this.verdicts.set(url.hostname, { problem });
    return problem;
  }

  /**
   * Fails like a request that does not reach the network: because of the policy, or because the name does not resolve.
   */
  async look(address: string): Promise<void> {
    const url = new URL(address);
    const { way, usual } = this;
    if (way?.origin === url.origin) return;
    await usual.followPolicy();
    const problem = usual.refusal(url);
    if (problem !== undefined) throw new McpFailure('address', problem, { notSent: true });
    // An IP address needs no resolution and was checked above.
    if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return;
    await allowedAddresses(usual.source, usual.resolve, url.hostname).catch((error: unknown) => {
      throw failureIn(error) ?? networkFailure(error, url.host) ?? error;
    });
  }

  private async send(url: URL, init: RequestInit): Promise<Sent> {
    // All requests of a connection share a signal.
    if (init.signal) setMaxListeners(0, init.signal);
    this.agent ??= this.newAgent();
    return (await this.agent).request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: init.method ?? 'GET',
      // A compressed answer could exceed the size limit when decompressed.
      headers: { ...plain(init.headers), 'accept-encoding': 'identity' },
      body: bodyOf(init.body),
      signal: init.signal ?? null,
    });
  }

  private async received(
    url: URL,
    status: number,
    raw: Sent['headers'],
    body: Sent['body'],
    reading: Reading,
  ): Promise<Response> {
    // Errors of an abandoned body have no other handler.
    body.on('error', () => {});
    if (status < 200 || status > 599) {
      body.destroy();
      throw new McpFailure(
        'status',
        `${url.host} answered with HTTP status ${status}, which does not exist`,
        {
          status,
        },
      );
    }
    const headers = Object.entries(raw).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value ?? '']).map((one): [string, string] => [name, one]),
    );
    if (reading.statusOnly) {
      await beginningOf(body).catch(() => {});
      return new Response(null, { status, headers });
    }
    const coding = String(raw['content-encoding'] ?? 'identity');
    if (coding !== 'identity') {
      body.destroy();
      throw new McpFailure(
        'unknown',
        `${url.host} sent a compressed response (${coding}) although none was requested`,
        { code: 'CONTENT_ENCODING' },
      );
    }
    const ok = status >= 200 && status < 300;
    if (ok && !reading.document && /^text\/event-stream\b/i.test(String(raw['content-type'])))
      return new Response(this.answers.events(url.host, body, reading), { status, headers });
    const content = ok ? await this.answers.whole(url.host, body, reading) : await beginningOf(body);
    return new WholeResponse(content, { status, headers });
  }

  async close(): Promise<void> {
    await Promise.all([...this.agents].map((agent) => agent.destroy()));
  }
}

/** Headers as a record with lowercase names. Constructing a `Headers` object would be far slower. */
export function plain(headers: RequestInit['headers'] = {}): Record<string, string> {
  if (headers instanceof Headers) return Object.fromEntries(headers);
  const entries = Array.isArray(headers) ? headers : Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name?.toLowerCase(), value] as [string, string]));
}

function bodyOf(body: RequestInit['body']): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('only text is sent');
}

/** The addresses of a name that the policy allows. Throws if it allows no address. */
async function allowedAddresses(
  source: PolicySource,
  resolve: Resolve,
  hostname: string,
): Promise<ResolvedAddress[]> {
  const addresses = await resolve(hostname);
  if (addresses.length === 0)
    throw Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
  // Read after the resolution, which may take long.
  const policy = await source();
  const usable = addresses.filter(({ address }) => refusalOf(address, policy) === undefined);
  if (usable.length > 0) return usable;
  const problem = refusalOf(addresses[0]?.address ?? '', policy);
  throw new McpFailure('address', `${hostname} resolves to an address that is not allowed: ${problem}`, {
    notSent: true,
  });
}

/** A DNS lookup that returns only allowed addresses. Connections go to exactly these. */
function guardedLookup(source: PolicySource, resolve: Resolve): LookupFunction {
  const ask = callbackify((hostname: string) => allowedAddresses(source, resolve, hostname));
  return (hostname, options, callback) =>
    ask(hostname, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) callback(error, '');
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
}
