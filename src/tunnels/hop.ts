import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import { sendThrough } from './answer.ts';
import { TunnelFailure, type TunnelRequest, type TunnelResponse } from './relay-connection.ts';
import { forwardedHeaders, type HeaderList, pairs } from './wire.ts';

/** Marks a response as a failure of the tunnel instead of the server's response, and contains its code. */
const failureHeader = 'x-drydock-tunnel-failure';
const passHeader = 'x-drydock-pass';
/** Milliseconds for which a pass is valid. */
const passLifetime = 60_000;
const maxHeader = 256 * 1024;

/** The tunnel to forward to, as known to the forwarding process. */
export interface Hop {
  slug: string;
  epoch: number;
}

/** Serves a forwarded request. Undefined if this process does not hold the tunnel as described. */
type Serve = (hop: Hop, request: TunnelRequest) => Promise<TunnelResponse> | undefined;

interface HopOptions {
  /** A key shared by the processes of this installation. */
  key: Buffer;
  serve: Serve;
}

/** Signs the time, method and path, which proves that the request comes from this installation. */
function passFor(key: Buffer, method: string, path: string, at: number): string {
  return `${at}.${createHmac('sha256', key).update(`${at} ${method} ${path}`).digest('base64url')}`;
}

function isGood(key: Buffer, { method = '', url = '', headers }: IncomingMessage): boolean {
  const shown = Buffer.from(String(headers[passHeader] ?? ''));
  const at = Number.parseInt(shown.toString(), 10);
  if (!(Math.abs(Date.now() - at) < passLifetime)) return false;
  const right = Buffer.from(passFor(key, method, url, at));
  return shown.length === right.length && timingSafeEqual(shown, right);
}

/** Accepts requests forwarded by other processes, for tunnels whose clients are connected to this one. */
export class HopServer {
  private readonly server: Server;

  constructor({ key, serve }: HopOptions) {
    // Longer than that of the client, so that it never sends into a closing connection.
    this.server = createServer(
      { maxHeaderSize: maxHeader, requestTimeout: 0, keepAliveTimeout: 60_000 },
      (request, response) => {
        if (isGood(key, request)) void answer(serve, request, response);
        else refuse(response, 403, 'forbidden');
      },
    );
  }

  /** Returns the port. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => resolve((this.server.address() as AddressInfo).port));
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }
}

async function answer(serve: Serve, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, slug = '', epoch = ''] = (request.url ?? '').split('/', 3);
  const path = (request.url ?? '').slice(slug.length + epoch.length + 2);
  const served = await sendThrough(request, response, {
    path,
    without: [passHeader, 'host'],
    // Removes the failure header, so that a server behind the tunnel cannot fake one.
    shown: (headers) => forwardedHeaders(headers, [failureHeader]),
    send: (asked) =>
      serve({ slug, epoch: Number(epoch) }, asked) ??
      Promise.reject(new TunnelFailure('stale', 'stale', true)),
  });
  if (served instanceof TunnelFailure) refuse(response, 502, served.code, served.notSent);
}

function refuse(response: ServerResponse, status: number, code: string, notSent = true): void {
  response.writeHead(status, { [failureHeader]: `${code}${notSent ? '' : ' sent'}` }).end();
}

/** Forwards requests to the processes that hold their tunnels. */
export class HopClient {
  private readonly key: Buffer;
  private agent: Promise<Agent> | undefined;

  constructor(key: Buffer) {
    this.key = key;
  }

  async send(origin: string, { slug, epoch }: Hop, request: TunnelRequest): Promise<TunnelResponse> {
    this.agent ??= import('../platform/undici.ts').then(
      ({ Agent: HttpAgent }) =>
        new HttpAgent({
          maxHeaderSize: maxHeader,
          headersTimeout: 0,
          bodyTimeout: 0,
          connect: { timeout: 2_000 },
        }),
    );
    const { method, headers, body, signal } = request;
    const path = `/${slug}/${epoch}${request.path}`;
    const pass: HeaderList = [[passHeader, passFor(this.key, method, path, Date.now())]];
    let answered: Dispatcher.ResponseData;
    try {
      answered = await (await this.agent).request({
        origin,
        path,
        method,
        headers: [...forwardedHeaders(headers, ['host', 'content-length', 'expect']), ...pass].flat(),
        body: body ? Readable.from(body, { objectMode: false }) : null,
        signal,
        responseHeaders: 'raw',
      });
    } catch (error) {
      if (signal.aborted) throw new TunnelFailure('client_gone', 'The request was aborted');
      const refused = ['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'EHOSTUNREACH'].includes(
        String((error as { code?: unknown }).code),
      );
      throw new TunnelFailure('offline', 'The process that serves the tunnel does not respond', refused);
    }
    const list = pairs((answered.headers as unknown as Buffer[]).map(String));
    const failed = list.find(([name]) => name.toLowerCase() === failureHeader)?.[1];
    if (failed === undefined)
      return { status: answered.statusCode, headers: forwardedHeaders(list), body: answered.body };
    answered.body.on('error', () => {}).destroy();
    const [code = '', sent] = failed.split(' ');
    throw TunnelFailure.named(code, sent === undefined);
  }

  async close(): Promise<void> {
    await (await this.agent)?.destroy();
  }
}
