import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { Credit } from './body.ts';
import { FrameSocket } from './frame-socket.ts';
import {
  type Chunk,
  closeCodes,
  type Frame,
  forwardedHeaders,
  maxText,
  ofRequest,
  ofResponse,
  pairs,
  protocols,
  windowBytes,
  withCredit,
} from './wire.ts';

export interface TunnelClientOptions {
  /** `relayWsUrl` of the grant. */
  relay: string;
  token: string;
  /** The server on this machine: requests under `prefix` go to its path, other paths stay unchanged. */
  target: URL;
  prefix: string;
  /** Reports events to the user. */
  tell: (event: TunnelEvent) => void;
  signal: AbortSignal;
}

export type TunnelEvent =
  | { type: 'connected'; protocol: string }
  | { type: 'disconnected'; reason: string; retryIn: number }
  | { type: 'request'; method: string; path: string; status: number | undefined; ms: number; error?: string };

/** Why the tunnel cannot be reopened. */
export class TunnelEnded extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const forGood: Record<number, string> = {
  [closeCodes.badToken]: 'The token of this tunnel is no longer valid. Open the tunnel again',
  [closeCodes.replaced]: 'Another client opened this tunnel. Open it again to take over',
  [closeCodes.withdrawn]:
    'The tunnel was closed, got a new address, or the account or key that opened it lost access',
};

/** Minimum and maximum milliseconds between two connections. */
const minWait = 1_000;
const maxWait = 30_000;
const connectTimeout = 15_000;
/**
 * Shorter than servers keep idle connections: a request sent into a closing connection may or may not have been
 * executed.
 */
const agentOptions = { keepAlive: true, timeout: 1_500 };

/** Keeps a tunnel open until the signal aborts or it has permanently ended. */
export async function holdTunnel(options: TunnelClientOptions): Promise<void> {
  let wait = minWait;
  while (!options.signal.aborted) {
    const began = performance.now();
    const { code, reason, greeted } = await connection(options);
    if (options.signal.aborted) return;
    const final = forGood[code];
    if (final !== undefined) throw new TunnelEnded(code, final);
    if (greeted && performance.now() - began > maxWait) wait = minWait;
    // At once after a restart of the service, else after a random delay, so that clients spread out.
    const retryIn = code === closeCodes.restart ? 0 : Math.round(wait * (0.5 + Math.random() / 2));
    options.tell({ type: 'disconnected', reason: reason || `the connection ended (${code})`, retryIn });
    wait = greeted && code === closeCodes.restart ? minWait : Math.min(wait * 2, maxWait);
    await delay(retryIn, undefined, { signal: options.signal }).catch(() => {});
  }
}

/** One connection, from start to end. */
function connection(
  options: TunnelClientOptions,
): Promise<{ code: number; reason: string; greeted: boolean }> {
  return new Promise((resolve) => {
    let greeted = false;
    let problem = '';
    const socket = new WebSocket(options.relay, [...protocols], {
      headers: { authorization: `Bearer ${options.token}` },
      perMessageDeflate: false,
      maxPayload: maxText,
      handshakeTimeout: connectTimeout,
    });
    socket.on('error', (error) => (problem = error.message));
    const served = new Served(options, () => frames);
    const frames = new FrameSocket(socket, {
      frame: (frame) => {
        if (frame.t !== 'hello') return served.onFrame(frame, socket.protocol === withCredit);
        greeted = true;
        options.tell({ type: 'connected', protocol: socket.protocol });
      },
      chunk: (chunk) => served.received(chunk),
      protocolError: () => frames.close(closeCodes.violation, 'Not a frame of this protocol'),
      end: (code, reason) => {
        options.signal.removeEventListener('abort', leave);
        served.dropAll();
        resolve({ code, reason: reason || problem, greeted });
      },
    });
    const leave = (): void => frames.close(1000, 'The client stops');
    options.signal.addEventListener('abort', leave, { once: true });
  });
}

interface Serving {
  request: ClientRequest;
  /** Flow control of the response; undefined if the tunnel does not use it. */
  credit: Credit | undefined;
  /** Bytes of the request that the server has read since the last acknowledgement. */
  read: number;
}

/** Sends the requests from the tunnel to the server on this machine. */
class Served {
  private readonly all = new Map<number, Serving>();
  private readonly options: TunnelClientOptions;
  private readonly socket: () => FrameSocket;
  private readonly agent: HttpAgent;

  constructor(options: TunnelClientOptions, socket: () => FrameSocket) {
    this.options = options;
    this.socket = socket;
    this.agent =
      options.target.protocol === 'https:' ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  }

  onFrame(frame: Frame, credited: boolean): void {
    if (frame.t === 'req') this.beginOrSay(frame, credited);
    else if (frame.t === 'hello') return;
    else if (frame.t === 'req_end') this.all.get(frame.id)?.request.end();
    else if (frame.t === 'credit') this.all.get(frame.id)?.credit?.add(frame.bytes);
    else if (frame.t === 'abort') this.drop(frame.id);
  }

  received({ kind, id, bytes }: Chunk): void {
    const serving = this.all.get(id);
    if (kind !== ofRequest || !serving) return;
    serving.request.write(bytes, () => {
      serving.read += bytes.length;
      if (!serving.credit || serving.read < windowBytes / 4) return;
      this.socket().send({ t: 'credit', id, bytes: serving.read });
      serving.read = 0;
    });
  }

  dropAll(): void {
    for (const id of [...this.all.keys()]) this.drop(id);
    this.agent.destroy();
  }

  private drop(id: number): void {
    const serving = this.all.get(id);
    this.all.delete(id);
    serving?.credit?.close();
    serving?.request.destroy();
  }

  /** An invalid request fails alone and does not end the tunnel. */
  private beginOrSay(frame: Frame & { t: 'req' }, credited: boolean): void {
    try {
      this.begin(frame, credited);
    } catch {
      this.socket().send({ t: 'abort', id: frame.id, code: 'upstream_error' });
    }
  }

  private begin(frame: Frame & { t: 'req' }, credited: boolean): void {
    const { target, tell } = this.options;
    const { id, method } = frame;
    const path = localPath(frame.url, this.options);
    const began = performance.now();
    const report = (status: number | undefined, error?: string): void =>
      tell({
        type: 'request',
        method,
        path,
        status,
        ms: performance.now() - began,
        ...(error !== undefined && { error }),
      });
    const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send({
      host: target.hostname.replace(/^\[|\]$/g, ''),
      port: target.port || (target.protocol === 'https:' ? 443 : 80),
      method,
      path,
      headers: ['host', target.host, ...forwardedHeaders(frame.headers, ['host']).flat()],
      agent: this.agent,
    });
    this.all.set(id, { request, credit: credited ? new Credit(windowBytes) : undefined, read: 0 });
    request.on('response', (response) => {
      const status = response.statusCode ?? 502;
      this.answer(id, response).then(
        () => report(status),
        (error: Error) => this.fail(id, () => report(status, error.message)),
      );
    });
    request.on('error', (error) => this.fail(id, () => report(undefined, error.message)));
    if (!frame.hasBody) request.end();
  }

  private async answer(id: number, response: IncomingMessage): Promise<void> {
    const socket = this.socket();
    const { credit } = this.all.get(id) ?? {};
    socket.send({
      t: 'res',
      id,
      status: response.statusCode ?? 502,
      headers: forwardedHeaders(pairs(response.rawHeaders)),
    });
    const wanted = (): boolean => this.all.has(id);
    if (!(await socket.sendBody(ofResponse, id, response, { credit, wanted }))) return;
    socket.send({ t: 'res_end', id });
    this.all.delete(id);
  }

  /** Reports a failure only if the request is still in progress. */
  private fail(id: number, told: () => void): void {
    if (!this.all.has(id)) return;
    this.drop(id);
    this.socket().send({ t: 'abort', id, code: 'upstream_error' });
    told();
  }
}

/** Paths under the prefix map to paths under the server's; others stay unchanged. */
function localPath(url: string, { prefix, target }: TunnelClientOptions): string {
  const inside = url === prefix || [`/`, '?'].some((next) => url.startsWith(`${prefix}${next}`));
  if (!inside) return url;
  const rest = url.slice(prefix.length);
  const base = rest.startsWith('/') ? target.pathname.replace(/\/$/, '') : target.pathname;
  if (target.search === '') return `${base}${rest}`;
  const [path = '', query] = rest.split('?', 2);
  return `${base}${path}${target.search}${query === undefined ? '' : `&${query}`}`;
}
