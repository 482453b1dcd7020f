import type { WebSocket } from 'ws';
import { Credit, IncomingBody, Room } from './body.ts';
import { Line } from './line.ts';
import {
  type AbortCode,
  type Chunk,
  chunkBytes,
  closeCodes,
  type Frame,
  type HeaderList,
  handedOn,
  ofRequest,
  ofResponse,
  type TunnelProtocol,
  windowBytes,
  withCredit,
} from './wire.ts';

const mebibyte = 1024 * 1024;

/** What one client is held to. */
const limits = {
  /** Of the body of a request. */
  maxReqBody: 128 * mebibyte,
  chunk: chunkBytes,
  /** Requests under way. */
  maxInflight: 256,
};
/** Bytes of an answer that wait for a slow reader, where there is no credit. */
const mostHeld = 4 * mebibyte;
/** Of all answers in one tunnel that wait. */
const mostHeldInAll = 64 * mebibyte;
/** Milliseconds until an answer begins. */
const patience = 10 * 60_000;

export interface TunnelRequest {
  method: string;
  /** Path and query, as the server behind the tunnel is to see them. */
  path: string;
  headers: HeaderList;
  body: AsyncIterable<Uint8Array> | undefined;
  signal: AbortSignal;
}

export interface TunnelResponse {
  status: number;
  headers: HeaderList;
  body: AsyncIterable<Uint8Array>;
}

/** Why a request has no answer, or not all of one. */
export class TunnelFailure extends Error {
  readonly code: AbortCode | 'offline' | 'busy' | 'stale';
  /** Nothing of it reached the client. */
  readonly notSent: boolean;

  constructor(code: TunnelFailure['code'], message: string, notSent = false) {
    super(message);
    this.code = code;
    this.notSent = notSent;
  }

  /** As another process told it. */
  static named(code: string, notSent: boolean): TunnelFailure {
    const known = Object.hasOwn(told, code) ? (code as AbortCode) : undefined;
    if (code === 'busy') return new TunnelFailure('busy', tooMany, notSent);
    if (known) return new TunnelFailure(known, told[known], notSent);
    return new TunnelFailure(
      code === 'stale' ? 'stale' : 'offline',
      'The client of the tunnel is gone',
      notSent,
    );
  }
}

const tooMany = `${limits.maxInflight} requests are under way in this tunnel`;

const told: Record<AbortCode, string> = {
  timeout: 'The server behind the tunnel did not answer in time',
  too_large: 'The request is larger than the tunnel takes',
  client_gone: 'The request was given up',
  upstream_error: 'The client of the tunnel cannot reach the server behind it, or was cut off from it',
  overloaded: 'The answer was broken off: it came faster than it was read',
};

interface Exchange {
  answered: (response: TunnelResponse) => void;
  failed: (error: TunnelFailure) => void;
  /** Of the request; with credit only. */
  credit: Credit | undefined;
  /** Of the answer, once it has begun. */
  body: IncomingBody | undefined;
}

/** The service's end of a tunnel that a client holds open. */
export class RelayConnection {
  private readonly line: Line;
  private readonly exchanges = new Map<number, Exchange>();
  private readonly credited: boolean;
  private readonly rooms: readonly Room[];
  private lastId = 0;
  private rested = (): void => {};
  readonly protocol: TunnelProtocol;
  /** Resolves when the client is gone. */
  readonly closed: Promise<void>;

  constructor(
    socket: WebSocket,
    { slug, protocol, room }: { slug: string; protocol: TunnelProtocol; room: Room },
  ) {
    this.protocol = protocol;
    this.rooms = [new Room(mostHeldInAll), room];
    this.credited = protocol === withCredit;
    let gone = (): void => {};
    this.closed = new Promise((resolve) => (gone = resolve));
    this.line = new Line(socket, {
      frame: (frame) => this.heard(frame),
      chunk: (chunk) => this.received(chunk),
      nonsense: () => this.close(closeCodes.violation, 'Not a frame of this protocol'),
      end: () => {
        for (const id of [...this.exchanges.keys()])
          this.fail(id, new TunnelFailure('upstream_error', 'The client of the tunnel went away'));
        gone();
      },
    });
    this.line.say({ t: 'hello', proto: this.credited ? 2 : 1, slug, limits });
  }

  get open(): boolean {
    return this.line.open;
  }

  close(code: number, reason: string): void {
    this.line.close(code, reason);
  }

  /** Resolves when no request is under way, or after so many milliseconds. */
  async idle(within: number): Promise<void> {
    if (this.exchanges.size === 0) return;
    let late: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.rested = resolve;
      late = setTimeout(resolve, within);
    });
    clearTimeout(late);
  }

  /** Sends a request through, and answers when its answer begins. */
  async request({ method, path, headers, body, signal }: TunnelRequest): Promise<TunnelResponse> {
    if (!this.line.open) throw new TunnelFailure('offline', 'The client of the tunnel is gone', true);
    if (this.exchanges.size >= limits.maxInflight) throw new TunnelFailure('busy', tooMany, true);
    if (signal.aborted) throw new TunnelFailure('client_gone', told.client_gone, true);
    const id = this.nextId();
    const response = new Promise<TunnelResponse>((answered, failed) => {
      const credit = this.credited && body ? new Credit(windowBytes) : undefined;
      this.exchanges.set(id, { answered, failed, credit, body: undefined });
    });
    const giveUp = (): void => this.abort(id, 'client_gone');
    const late = setTimeout(() => this.abort(id, 'timeout'), patience);
    signal.addEventListener('abort', giveUp, { once: true });
    this.line.say({
      t: 'req',
      id,
      method,
      url: path,
      headers: handedOn(headers),
      hasBody: body !== undefined,
    });
    if (body) void this.sendBody(id, body);
    try {
      const { body: answer, ...head } = await response;
      return { ...head, body: until(answer, () => signal.removeEventListener('abort', giveUp)) };
    } catch (error) {
      signal.removeEventListener('abort', giveUp);
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  private nextId(): number {
    do this.lastId = (this.lastId + 1) % 0xffffffff;
    while (this.exchanges.has(this.lastId));
    return this.lastId;
  }

  private async sendBody(id: number, body: AsyncIterable<Uint8Array>): Promise<void> {
    let size = 0;
    const wanted = (): boolean => this.exchanges.has(id);
    try {
      const sent = (bytes: number): void => {
        size += bytes;
        if (size > limits.maxReqBody) throw new TunnelFailure('too_large', told.too_large);
      };
      const { credit } = this.exchanges.get(id) ?? {};
      if (await this.line.sendBody(ofRequest, id, body, { credit, wanted, sent }))
        this.line.say({ t: 'req_end', id });
    } catch (error) {
      this.abort(id, error instanceof TunnelFailure ? 'too_large' : 'client_gone');
    }
  }

  private heard(frame: Frame): void {
    switch (frame.t) {
      case 'res':
        return this.begin(frame);
      case 'res_end': {
        const exchange = this.exchanges.get(frame.id);
        this.forget(frame.id);
        exchange?.body?.end();
        // It ended before it began.
        exchange?.failed(new TunnelFailure('upstream_error', told.upstream_error));
        return;
      }
      case 'abort':
        return this.fail(frame.id, new TunnelFailure(codeOf(frame.code), told[codeOf(frame.code)]));
      case 'credit':
        return this.exchanges.get(frame.id)?.credit?.add(frame.bytes);
      default:
        return this.close(closeCodes.violation, `A client does not send ${frame.t}`);
    }
  }

  private begin({ id, status, headers }: Frame & { t: 'res' }): void {
    const exchange = this.exchanges.get(id);
    if (!exchange || exchange.body) return;
    const body = new IncomingBody({
      most: this.credited ? windowBytes : mostHeld,
      rooms: this.rooms,
      allow: this.credited ? (bytes) => this.line.say({ t: 'credit', id, bytes }) : undefined,
      onAbandoned: () => this.abort(id, 'client_gone'),
    });
    exchange.body = body;
    exchange.answered({ status, headers: handedOn(headers), body });
  }

  private received({ kind, id, bytes }: Chunk): void {
    if (kind !== ofResponse) return this.close(closeCodes.violation, 'A client sends parts of answers only');
    const body = this.exchanges.get(id)?.body;
    // What was given up may still be on its way.
    if (body && !body.push(bytes)) this.abort(id, 'overloaded');
  }

  /** Both ends are told. */
  private abort(id: number, code: AbortCode): void {
    if (!this.exchanges.has(id)) return;
    this.line.say({ t: 'abort', id, code });
    this.fail(id, new TunnelFailure(code, told[code]));
  }

  private fail(id: number, error: TunnelFailure): void {
    const exchange = this.exchanges.get(id);
    this.forget(id);
    exchange?.body?.fail(error);
    exchange?.failed(error);
  }

  private forget(id: number): void {
    this.exchanges.get(id)?.credit?.close();
    this.exchanges.delete(id);
    if (this.exchanges.size === 0) this.rested();
  }
}

function codeOf(said: string): AbortCode {
  return Object.hasOwn(told, said) ? (said as AbortCode) : 'upstream_error';
}

async function* until<T>(all: AsyncIterable<T>, ended: () => void): AsyncGenerator<T> {
  try {
    yield* all;
  } finally {
    ended();
  }
}
