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
import { type AnswerLimits, Answers, beginningOf } from './answers.ts';
import { failureIn, McpFailure, networkFailure } from './failures.ts';
import type { HeldBytes } from './held-bytes.ts';
import type { Reading } from './reading.ts';
import { WholeResponse } from './whole-response.ts';

const mebibyte = 1024 * 1024;

interface OutboundLimits extends AnswerLimits {
  headerBytes: number;
}

export interface OutboundOptions extends Partial<OutboundLimits> {
  resolve?: Resolve;
  /** Authorities whose certificates are trusted, in the place of those of the system. */
  authorities?: string;
}

const defaults: OutboundLimits = {
  messageBytes: 32 * mebibyte,
  totalBytes: 256 * mebibyte,
  headerBytes: 32 * 1024,
};

/** Another way to get a request to a place than over the network. */
export interface Way {
  /** The place: what is at another origin is reached as usual. */
  origin: string;
  send(url: URL, init: RequestInit): Promise<Sent>;
}

export interface Sent {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
}

const mostRedirects = 5;
const mostVerdicts = 10_000;

const idleSocket = 1_500;
/** Of what authorization servers publish. */
const documentBytes = mebibyte;

/**
 * The one way out to targets and their authorization servers. A name is resolved once, and the connection goes to
 * the address that was checked. Redirects are the caller's to follow, so each hop comes through here.
 */
export class Outbound {
  private readonly source: PolicySource;
  private readonly resolve: Resolve;
  private readonly authorities: string | undefined;
  private readonly limits: OutboundLimits;
  /** As it was when it was last asked for. */
  private policy: AddressPolicy = { local: false, networks: [] };
  /** Holds the connections made under this policy. */
  private agent: Promise<Agent> | undefined;
  /** All that have connections, also those of earlier policies. */
  private readonly agents = new Set<Agent>();
  private readonly verdicts = new Map<string, { problem: string | undefined }>();
  private readonly answers: Answers;
  private readonly way: Way | undefined;
  private readonly usual: Outbound;

  constructor(
    source: PolicySource,
    { resolve = systemResolve, authorities, ...limits }: OutboundOptions = {},
    around?: { usual: Outbound; way: Way },
  ) {
    this.source = source;
    this.resolve = resolve;
    this.authorities = authorities;
    this.limits = { ...defaults, ...limits };
    this.answers = around?.usual.answers ?? new Answers(this.limits);
    this.way = around?.way;
    this.usual = around?.usual ?? this;
  }

  /** The same, but one place is reached another way. */
  through(way: Way | undefined): Outbound {
    if (!way) return this;
    const { resolve, limits } = this;
    return new Outbound(this.source, { resolve, ...limits }, { usual: this, way });
  }

  /** Answers that are being read, or have been read and are not gone yet. */
  get held(): HeldBytes {
    return this.answers.held;
  }

  private async newAgent(): Promise<Agent> {
    // Loaded with the first request: it would slow down the start.
    const { Agent } = await import('../platform/undici.ts');
    const agent = new Agent({
      connect: {
        lookup: guardedLookup(this.source, this.resolve),
        timeout: 10_000,
        ...(this.authorities !== undefined && { ca: this.authorities }),
      },
      maxHeaderSize: this.limits.headerBytes,
      // A stream may be silent for long; each request has its own deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Servers close idle sockets after some seconds, and a request that meets the closing may or may not have been
      // carried out. A new socket is cheaper than that doubt.
      keepAliveTimeout: idleSocket,
      keepAliveMaxTimeout: idleSocket,
    });
    this.agents.add(agent);
    return agent;
  }

  /** What was judged or connected under another policy is not used again; what is under way may end. */
  private async followPolicy(): Promise<void> {
    const policy = await this.source();
    if (policy === this.policy) return;
    this.policy = policy;
    this.verdicts.clear();
    const agent = await this.agent;
    this.agent = undefined;
    void agent?.close().finally(() => this.agents.delete(agent));
  }

  /** Has the shape of `fetch`, but never follows a redirect and never unpacks a compressed answer. */
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

  /** The same for documents that may have moved: follows a few redirects of a GET, each checked like the first. */
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
      if (hops === mostRedirects || !URL.canParse(location, url.href))
        throw new McpFailure('redirect', `${url.host} redirects too often`, { status: response.status });
      const from = url.host;
      url = new URL(location, url);
      if (url.protocol !== 'http:' && url.protocol !== 'https:')
        throw new McpFailure('redirect', `${from} redirects to ${url.protocol}, which is not followed`, {
          status: response.status,
        });
    }
  };

  /** Why nothing would be sent there; undefined when it would, or when only looking up the name can tell. */
  refusal(url: URL): string | undefined {
    if (this.way?.origin === url.origin) return undefined;
    if (this.usual !== this) return this.usual.refusal(url);
    const known = this.verdicts.get(url.hostname);
    if (known) return known.problem;
    const problem = refusalOfUrl(url.href, this.policy);
    if (this.verdicts.size >= mostVerdicts) this.verdicts.clear();
    this.verdicts.set(url.hostname, { problem });
    return problem;
  }

  /** Fails as a request would that does not get as far as the network: by the policy, or because the name leads nowhere. */
  async look(address: string): Promise<void> {
    const url = new URL(address);
    const { way, usual } = this;
    if (way?.origin === url.origin) return;
    await usual.followPolicy();
    const problem = usual.refusal(url);
    if (problem !== undefined) throw new McpFailure('address', problem, { notSent: true });
    // An address needs no looking up, and was judged above.
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
      // An answer that grows when unpacked would pass the limit on its size.
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
    // Errors of a body nobody reads any more have no other place to go.
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
        `${url.host} compressed its answer (${coding}) though it was asked not to`,
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

/** As a record, names in lower case. Making a `Headers` of one would cost more than all else here. */
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

/** What a name resolves to, as far as the policy allows it; a failure when nothing is left. */
async function allowedAddresses(
  source: PolicySource,
  resolve: Resolve,
  hostname: string,
): Promise<ResolvedAddress[]> {
  const addresses = await resolve(hostname);
  if (addresses.length === 0)
    throw Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
  // Asked for after the name server has taken its time.
  const policy = await source();
  const usable = addresses.filter(({ address }) => refusalOf(address, policy) === undefined);
  if (usable.length > 0) return usable;
  const problem = refusalOf(addresses[0]?.address ?? '', policy);
  throw new McpFailure('address', `${hostname} resolves to an address that is not allowed: ${problem}`, {
    notSent: true,
  });
}

/** Names resolve to what the policy allows, or to nothing. The connection is made to exactly these addresses. */
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
