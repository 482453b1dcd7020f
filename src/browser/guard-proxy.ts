import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { type PolicySource, refusalOf } from '../platform/network/address-guard.ts';
import { type Resolve, type ResolvedAddress, systemResolve } from '../platform/network/resolve.ts';
import type { RefusedUrl } from './command.ts';
import { withoutHopHeaders } from './hop-headers.ts';
import type { InternalHosts } from './internal-hosts.ts';

export interface GuardOptions {
  /** Where anything may go now. */
  policy: PolicySource;
  resolve?: Resolve | undefined;
  /** Why this session may not go there, whatever the address; a tunnel says no scheme. */
  refusalOfOrigin?: (host: string, port: number, scheme?: 'http' | 'https') => string | undefined;
  /** Names below dd.localhost, which are answered here. */
  internal?: InternalHosts | undefined;
  limits?: Partial<GuardLimits> | undefined;
  /** Address to listen on, and the only one to take connections from. */
  listen?: { address: string; from: string } | undefined;
}

interface GuardLimits {
  connections: number;
  headerBytes: number;
  /** Milliseconds without a byte in either direction. */
  idle: number;
  connect: number;
  /** How often open tunnels are held against the policy, in milliseconds. */
  judgeAgain: number;
}

const defaults: GuardLimits = {
  connections: 256,
  headerBytes: 64 * 1024,
  idle: 120_000,
  connect: 10_000,
  judgeAgain: 2_000,
};

const mostNoted = 200;
const mostUrl = 2_000;

/** What Chromium calls by itself, despite the switches against it. No page is blamed for it. */
const ownErrands = new Set([
  'update.googleapis.com',
  'content-autofill.googleapis.com',
  'optimizationguide-pa.googleapis.com',
  'safebrowsing.googleapis.com',
  'clients2.google.com',
]);
const errand = 'the browser runs no errands of its own';

/** Ports of all guards of this process: none leads to another. */
const ownPorts = new Set<number>();

/** Where a request goes, when it may. */
interface Way {
  host: string;
  port: number;
  addresses: ResolvedAddress[];
}

interface FailedUrl extends RefusedUrl {
  /** Whether somebody may have heard it. */
  sent: boolean;
}

/** Of what the guard answers itself, where it lets nothing out and where nobody answered. */
export const guardStatuses: ReadonlySet<number> = new Set([403, 502]);

/**
 * The only way out of a browser session: a forward proxy on a port of its own. A name is resolved once; it is refused
 * when any of its addresses is, and the connection goes to an address that was checked. Redirects come back as
 * requests, so each hop is checked.
 */
export class GuardProxy {
  /** What was not let out. */
  readonly refusals: RefusedUrl[] = [];
  /** What was let out, and found nobody. */
  readonly failures: FailedUrl[] = [];
  private readonly options: GuardOptions;
  private readonly limits: GuardLimits;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly tunnels = new Map<Socket, { address: string; origin: URL }>();
  private judging: NodeJS.Timeout | undefined;

  constructor(options: GuardOptions) {
    this.options = options;
    this.limits = { ...defaults, ...options.limits };
    this.server = createServer({ maxHeaderSize: this.limits.headerBytes, requireHostHeader: false });
    this.server.maxConnections = this.limits.connections;
    // A page may send for long; silence ends it.
    this.server.requestTimeout = 0;
    this.server.headersTimeout = this.limits.idle;
    this.server.timeout = this.limits.idle;
    this.server.on('connection', (socket) => this.accept(socket));
    this.server.on('request', (asked, answer) => void this.forward(asked, answer));
    this.server.on('connect', (asked, socket, head) => void this.tunnel(asked, socket as Socket, head));
    this.server.on('clientError', (_error, socket) => socket.destroy());
  }

  async open(): Promise<string> {
    const address = this.options.listen?.address ?? '127.0.0.1';
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(0, address, resolve);
    });
    ownPorts.add(this.port);
    return `http://${isIP(address) === 6 ? `[${address}]` : address}:${this.port}`;
  }

  async close(): Promise<void> {
    clearInterval(this.judging);
    if (!this.server.listening) return;
    ownPorts.delete(this.port);
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  private accept(socket: Socket): void {
    const from = this.options.listen?.from;
    if (from !== undefined && socket.remoteAddress !== from) return void socket.destroy();
    this.watch(socket);
  }

  /** Ends with the proxy, and after a time of silence. */
  private watch(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.sockets.delete(socket));
    socket.setTimeout(this.limits.idle, () => socket.destroy());
  }

  /** A request for http:, which names its whole address. */
  private async forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const text = asked.url ?? '';
    const url = /^http:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
    if (!url || url.username !== '' || url.password !== '') return refuse(answer, 400);
    try {
      if (this.options.internal?.holds(url.hostname))
        return await this.options.internal.answer(url, asked, answer);
      const way = await this.wayTo(url, 'http');
      if (typeof way !== 'string') return this.send(way, url, asked, answer);
      this.note(url.href, way);
      refuse(answer, 403);
    } catch (error) {
      this.failed(url, error, false);
      refuse(answer, 502);
    }
  }

  private send(way: Way, url: URL, asked: IncomingMessage, answer: ServerResponse): void {
    const { host, port, addresses } = way;
    const onward = request({
      host,
      port,
      lookup: lookupOf(addresses),
      method: asked.method,
      path: `${url.pathname}${url.search}`,
      headers: [...withoutHopHeaders(asked.rawHeaders, ['host']), 'Host', url.host],
      setHost: false,
      agent: false,
      maxHeaderSize: this.limits.headerBytes,
      timeout: this.limits.connect,
    });
    let sent = false;
    onward.on('socket', (socket) => {
      this.watch(socket);
      socket.once('connect', () => {
        sent = true;
        socket.setTimeout(this.limits.idle);
      });
    });
    onward.on('timeout', () => onward.destroy());
    onward.on('error', (error) => {
      this.failed(url, error, sent);
      refuse(answer, 502);
    });
    onward.on('response', (received) => {
      const headers = withoutHopHeaders(received.rawHeaders);
      try {
        answer.writeHead(received.statusCode ?? 502, headers);
      } catch {
        received.destroy();
        return refuse(answer, 502);
      }
      received.pipe(answer);
      received.on('error', () => answer.destroy());
    });
    answer.on('close', () => onward.destroy());
    asked.pipe(onward);
  }

  /** A tunnel for https:, ws: and wss:, of which only host and port are seen. */
  private async tunnel(asked: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    client.setTimeout(this.limits.idle, () => client.destroy());
    const text = `http://${asked.url ?? ''}`;
    const authority = /:\d+$/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
    const end = (status: string): void => void client.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
    if (!authority) return end('400 Bad Request');
    const way = await this.wayTo(authority, undefined).catch((error: unknown) => {
      this.failed(authority, error, false);
      end('502 Bad Gateway');
      return error instanceof Error ? error : new Error(String(error));
    });
    if (way instanceof Error) return;
    if (typeof way === 'string') {
      this.note(asked.url ?? '', way);
      return end('403 Forbidden');
    }
    if (client.destroyed) return;
    const target = connect({ host: way.host, port: way.port, lookup: lookupOf(way.addresses) });
    this.watch(target);
    target.setTimeout(this.limits.connect);
    let sent = false;
    target.once('connect', () => {
      sent = true;
      target.setTimeout(this.limits.idle);
      this.tunnels.set(target, { address: target.remoteAddress ?? '', origin: authority });
      this.judging ??= setInterval(() => void this.judgeTunnels(), this.limits.judgeAgain).unref();
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.write(head);
      client.pipe(target).pipe(client);
    });
    target.once('error', (error) => {
      this.failed(authority, error, sent);
      end('502 Bad Gateway');
    });
    target.once('close', () => {
      this.tunnels.delete(target);
      client.destroy();
    });
    client.once('close', () => target.destroy());
  }

  /** The browser keeps tunnels for later requests: those that a changed policy forbids are cut. */
  async judgeTunnels(): Promise<void> {
    if (this.tunnels.size === 0) return;
    const policy = await this.options.policy();
    for (const [target, { address, origin }] of this.tunnels)
      if ((refusalOf(address, policy) ?? this.refusalOf(origin)) !== undefined) target.destroy();
  }

  private refusalOf(url: URL, scheme?: 'http'): string | undefined {
    return this.options.refusalOfOrigin?.(url.hostname, portOf(url), scheme);
  }

  /** Where the connection goes, or why there is none. */
  private async wayTo(url: URL, scheme: 'http' | undefined): Promise<Way | string> {
    const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    const port = portOf(url);
    if (ownErrands.has(host)) return errand;
    if (this.options.internal?.holds(url.hostname)) return `${host} is answered over http only`;
    const forbidden = this.refusalOf(url, scheme);
    if (forbidden !== undefined) return forbidden;
    const addresses = await this.addressesOf(host);
    if (addresses.length === 0) return `${host} has no address`;
    // Asked for after the name server has taken its time.
    const policy = await this.options.policy();
    const local = isLocalName(host);
    const problems = addresses.map(({ address }) => refusalOf(address, policy));
    const problem = local ? problems.every(Boolean) && problems[0] : problems.find(Boolean);
    if (problem)
      return isIP(host) === 0 ? `${host} resolves to an address that is not allowed: ${problem}` : problem;
    const usable = addresses.filter((_, n) => problems[n] === undefined);
    if (ownPorts.has(port) && usable.some(({ address }) => isOwn(address)))
      return `${host}:${port} is the proxy of a browser`;
    return { host, port, addresses: usable };
  }

  private async addressesOf(host: string): Promise<ResolvedAddress[]> {
    if (isIP(host) !== 0) return [{ address: host, family: isIP(host) }];
    // What the name stands for is fixed, whatever a name server says.
    if (isLocalName(host))
      return [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ];
    return (this.options.resolve ?? systemResolve)(host);
  }

  private note(url: string, reason: string): void {
    if (reason === errand) return;
    this.refusals.push({ url: url.slice(0, mostUrl), reason, at: Date.now() });
    if (this.refusals.length > mostNoted) this.refusals.shift();
  }

  private failed(url: URL, error: unknown, sent: boolean): void {
    const reason = `${url.host} ${sent ? 'did not answer' : 'cannot be reached'}: ${codeOf(error)}`;
    this.failures.push({ url: url.href.slice(0, mostUrl), reason, at: Date.now(), sent });
    if (this.failures.length > mostNoted) this.failures.shift();
  }
}

function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function isOwn(address: string): boolean {
  return /^127\.|^::1$|^::ffff:127\.|^0\.|^::$/.test(address);
}

/** Gives what was checked; no name is looked up twice. */
function lookupOf(addresses: ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** Without a body, which the browser would show as a page of the host that was asked for. */
function refuse(answer: ServerResponse, status: number): void {
  if (answer.headersSent) return void answer.destroy();
  answer.writeHead(status, { 'content-length': '0', connection: 'close' }).end();
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown trouble';
}

function portOf({ port }: URL): number {
  return port === '' ? 80 : Number(port);
}
