import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { type PolicySource, refusalOf } from '../platform/network/address-guard.ts';
import { type Resolve, type ResolvedAddress, systemResolve } from '../platform/network/resolve.ts';
import type { RefusedUrl } from './command.ts';
import { withoutHopHeaders } from './hop-headers.ts';
import type { InternalHosts } from './internal-hosts.ts';

export interface GuardOptions {
  policy: PolicySource;
  resolve?: Resolve | undefined;
  /** Why the session's policy forbids a host, whatever its address. A tunnel has no known scheme. */
  refusalOfOrigin?: (host: string, port: number, scheme?: 'http' | 'https') => string | undefined;
  /** Names under dd.localhost, which are served here. */
  internal?: InternalHosts | undefined;
  limits?: Partial<GuardLimits> | undefined;
  /** The address to listen on, and the only one to accept connections from. */
  listen?: { address: string; from: string } | undefined;
}

interface GuardLimits {
  connections: number;
  headerBytes: number;
  /** Milliseconds without traffic in either direction after which a connection is closed. */
  idle: number;
  /** Milliseconds to connect to the destination of a tunnel. */
  connect: number;
  /** Milliseconds between two checks of open tunnels against the policy. */
  judgeAgain: number;
}

const defaults: GuardLimits = {
  connections: 256,
  headerBytes: 64 * 1024,
  idle: 120_000,
  connect: 10_000,
  judgeAgain: 2_000,
};

const maxNoted = 200;
const maxUrl = 2_000;

/** Hosts that Chromium itself calls in spite of its switches. Not reported as requests of a page. */
const backgroundHosts = new Set([
  'update.googleapis.com',
  'content-autofill.googleapis.com',
  'optimizationguide-pa.googleapis.com',
  'safebrowsing.googleapis.com',
  'clients2.google.com',
]);
const backgroundRefusal = 'background requests of the browser are blocked';

/** Ports of all guards in this process, which must not be reachable through each other. */
const ownPorts = new Set<number>();

/** The destination of an allowed request. */
interface Route {
  host: string;
  port: number;
  addresses: ResolvedAddress[];
}

interface FailedUrl extends RefusedUrl {
  /** Whether the request may have been received. */
  sent: boolean;
}

/** Statuses that the guard itself sends: blocked, and unreachable. */
export const guardStatuses: ReadonlySet<number> = new Set([403, 502]);

/**
 * A forward proxy, through which all requests of a session pass. A name is resolved once per request and refused if any
 * of its addresses is, a local name if all are; the connection goes to an allowed address. Redirects come back as new
 * requests, so each hop is checked.
 */
export class GuardProxy {
  readonly refusals: RefusedUrl[] = [];
  /** Allowed requests that failed. */
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
    // Uploads may take long; only the idle timeout ends them.
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

  /** Closes a socket with the proxy, and after a time without traffic. */
  private watch(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.sockets.delete(socket));
    socket.setTimeout(this.limits.idle, () => socket.destroy());
  }

  /** Forwards an http: request, whose URL is absolute. */
  private async forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const text = asked.url ?? '';
    const url = /^http:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
    if (!url || url.username !== '' || url.password !== '') return refuse(answer, 400);
    try {
      if (this.options.internal?.holds(url.hostname))
        return await this.options.internal.answer(url, asked, answer);
      const way = await this.route(url, 'http');
      if (typeof way !== 'string') return this.send(way, url, asked, answer);
      this.note(url.href, way);
      refuse(answer, 403);
    } catch (error) {
      this.failed(url, error, false);
      refuse(answer, 502);
    }
  }

  private send(way: Route, url: URL, asked: IncomingMessage, answer: ServerResponse): void {
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

  /** Opens a tunnel for https:, ws: and wss:, where the proxy knows only host and port. */
  private async tunnel(asked: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    client.setTimeout(this.limits.idle, () => client.destroy());
    const text = `http://${asked.url ?? ''}`;
    const authority = /:\d+$/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
    const end = (status: string): void => void client.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
    if (!authority) return end('400 Bad Request');
    const way = await this.route(authority, undefined).catch((error: unknown) => {
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
      this.judging ??= setInterval(() => void this.recheckTunnels(), this.limits.judgeAgain).unref();
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

  /** Closes tunnels that a changed policy forbids, because the browser would reuse them. */
  async recheckTunnels(): Promise<void> {
    if (this.tunnels.size === 0) return;
    const policy = await this.options.policy();
    for (const [target, { address, origin }] of this.tunnels)
      if ((refusalOf(address, policy) ?? this.refusalOf(origin)) !== undefined) target.destroy();
  }

  private refusalOf(url: URL, scheme?: 'http'): string | undefined {
    return this.options.refusalOfOrigin?.(url.hostname, portOf(url), scheme);
  }

  /** The destination, or the reason for a refusal. */
  private async route(url: URL, scheme: 'http' | undefined): Promise<Route | string> {
    const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    const port = portOf(url);
    if (backgroundHosts.has(host)) return backgroundRefusal;
    if (this.options.internal?.holds(url.hostname)) return `${host} is answered over http only`;
    const forbidden = this.refusalOf(url, scheme);
    if (forbidden !== undefined) return forbidden;
    const addresses = await this.addressesOf(host);
    if (addresses.length === 0) return `${host} has no address`;
    // Read after the name resolution, which may take long.
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
    // Local names have fixed addresses and are never resolved.
    if (isLocalName(host))
      return [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ];
    return (this.options.resolve ?? systemResolve)(host);
  }

  private note(url: string, reason: string): void {
    if (reason === backgroundRefusal) return;
    this.refusals.push({ url: url.slice(0, maxUrl), reason, at: Date.now() });
    if (this.refusals.length > maxNoted) this.refusals.shift();
  }

  private failed(url: URL, error: unknown, sent: boolean): void {
    const reason = `${url.host} ${sent ? 'did not answer' : 'cannot be reached'}: ${codeOf(error)}`;
    this.failures.push({ url: url.href.slice(0, maxUrl), reason, at: Date.now(), sent });
    if (this.failures.length > maxNoted) this.failures.shift();
  }
}

function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function isOwn(address: string): boolean {
  return /^127\.|^::1$|^::ffff:127\.|^0\.|^::$/.test(address);
}

/** A lookup function that returns the checked addresses, so that no name is resolved twice. */
function lookupOf(addresses: ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** Sends no body, because the browser would show it as a page of the requested host. */
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
