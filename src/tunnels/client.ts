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
import { Line } from './line.ts';
import {
  type Chunk,
  closeCodes,
  type Frame,
  handedOn,
  mostText,
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
  /** The server on this machine: requests to `prefix` go to its path, others beside it. */
  target: URL;
  prefix: string;
  /** Tells whoever watches. */
  tell: (event: TunnelEvent) => void;
  signal: AbortSignal;
}

export type TunnelEvent =
  | { type: 'connected'; protocol: string }
  | { type: 'disconnected'; reason: string; retryIn: number }
  | { type: 'request'; method: string; path: string; status: number | undefined; ms: number; error?: string };

/** Why the tunnel will not come back by itself. */
export class TunnelEnded extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const forGood: Record<number, string> = {
  [closeCodes.badToken]: 'The token of this tunnel is not valid any more. Open the tunnel again',
  [closeCodes.replaced]: 'Somebody else opened this tunnel. Open it again to take it back',
  [closeCodes.withdrawn]:
    'The tunnel was closed, got a new address, or the account or key that opened it lost access',
};

/** Milliseconds. */
const shortest = 1_000;
const longest = 30_000;
const connectTimeout = 15_000;
/** Shorter than servers keep an idle connection: a request that meets the closing may or may not have been carried out. */
const kept = { keepAlive: true, timeout: 1_500 };

/** Holds a tunnel open until the signal says otherwise or it is over for good. */
export async function holdTunnel(options: TunnelClientOptions): Promise<void> {
  let wait = shortest;
  while (!options.signal.aborted) {
    const began = performance.now();
    const { code, reason, greeted } = await connection(options);
    if (options.signal.aborted) return;
    const final = forGood[code];
    if (final !== undefined) throw new TunnelEnded(code, final);
    if (greeted && performance.now() - began > longest) wait = shortest;
    // Several that were thrown out together do not come back together.
    const retryIn = code === closeCodes.restart ? 0 : Math.round(wait * (0.5 + Math.random() / 2));
    options.tell({ type: 'disconnected', reason: reason || `the connection ended (${code})`, retryIn });
    wait = greeted && code === closeCodes.restart ? shortest : Math.min(wait * 2, longest);
    await delay(retryIn, undefined, { signal: options.signal }).catch(() => {});
  }
}

/** One connection, from beginning to end. */
function connection(
  options: TunnelClientOptions,
): Promise<{ code: number; reason: string; greeted: boolean }> {
  return new Promise((resolve) => {
    let greeted = false;
    let problem = '';
    const socket = new WebSocket(options.relay, [...protocols], {
      headers: { authorization: `Bearer ${options.token}` },
      perMessageDeflate: false,
      maxPayload: mostText,
      handshakeTimeout: connectTimeout,
    });
    socket.on('error', (error) => (problem = error.message));
    const served = new Served(options, () => line);
    const line = new Line(socket, {
      frame: (frame) => {
        if (frame.t !== 'hello') return served.heard(frame, socket.protocol === withCredit);
        greeted = true;
        options.tell({ type: 'connected', protocol: socket.protocol });
      },
      chunk: (chunk) => served.received(chunk),
      nonsense: () => line.close(closeCodes.violation, 'Not a frame of this protocol'),
      end: (code, reason) => {
        options.signal.removeEventListener('abort', leave);
        served.dropAll();
        resolve({ code, reason: reason || problem, greeted });
      },
    });
    const leave = (): void => line.close(1000, 'The client stops');
    options.signal.addEventListener('abort', leave, { once: true });
  });
}

interface Serving {
  request: ClientRequest;
  /** Of the answer; with credit only. */
  credit: Credit | undefined;
  /** Of the request: read by the server, and not told yet. */
  read: number;
}

/** Requests that came through the tunnel, made to the server on this machine. */
class Served {
  private readonly all = new Map<number, Serving>();
  private readonly options: TunnelClientOptions;
  private readonly line: () => Line;
  private readonly agent: HttpAgent;

  constructor(options: TunnelClientOptions, line: () => Line) {
    this.options = options;
    this.line = line;
    this.agent = options.target.protocol === 'https:' ? new HttpsAgent(kept) : new HttpAgent(kept);
  }

  heard(frame: Frame, credited: boolean): void {
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
      this.line().say({ t: 'credit', id, bytes: serving.read });
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

  /** What no request can be made of is one that fails, and ends nothing else. */
  private beginOrSay(frame: Frame & { t: 'req' }, credited: boolean): void {
    try {
      this.begin(frame, credited);
    } catch {
      this.line().say({ t: 'abort', id: frame.id, code: 'upstream_error' });
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
      headers: ['host', target.host, ...handedOn(frame.headers, ['host']).flat()],
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
    const line = this.line();
    const { credit } = this.all.get(id) ?? {};
    line.say({
      t: 'res',
      id,
      status: response.statusCode ?? 502,
      headers: handedOn(pairs(response.rawHeaders)),
    });
    const wanted = (): boolean => this.all.has(id);
    if (!(await line.sendBody(ofResponse, id, response, { credit, wanted }))) return;
    line.say({ t: 'res_end', id });
    this.all.delete(id);
  }

  /** Only what was still wanted is told. */
  private fail(id: number, told: () => void): void {
    if (!this.all.has(id)) return;
    this.drop(id);
    this.line().say({ t: 'abort', id, code: 'upstream_error' });
    told();
  }
}

/** Below the prefix is below the path of the server; anything else keeps its path. */
function localPath(url: string, { prefix, target }: TunnelClientOptions): string {
  const inside = url === prefix || [`/`, '?'].some((next) => url.startsWith(`${prefix}${next}`));
  if (!inside) return url;
  const rest = url.slice(prefix.length);
  const base = rest.startsWith('/') ? target.pathname.replace(/\/$/, '') : target.pathname;
  if (target.search === '') return `${base}${rest}`;
  const [path = '', query] = rest.split('?', 2);
  return `${base}${path}${target.search}${query === undefined ? '' : `&${query}`}`;
}
