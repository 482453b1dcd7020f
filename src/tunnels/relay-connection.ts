import type { WebSocket } from 'ws';
import { withTimeout } from '../platform/flow/deadline.ts';
import { ByteAllowance, Credit, IncomingBody } from './body.ts';
import { FrameSocket } from './frame-socket.ts';
import {
  type AbortCode,
  type Chunk,
  chunkBytes,
  closeCodes,
  type Frame,
  forwardedHeaders,
  type HeaderList,
  ofRequest,
  ofResponse,
  type TunnelProtocol,
  windowBytes,
  withCredit,
} from './wire.ts';

const mebibyte = 1024 * 1024;

/** Limits for one client. */
const limits = {
  /** Maximum bytes of a request body. */
  maxReqBody: 128 * mebibyte,
  chunk: chunkBytes,
  /** Maximum number of concurrent requests. */
  maxInflight: 256,
};
/** Without flow control, bytes of a response that are buffered for a slow reader. */
const maxHeld = 4 * mebibyte;
/** Buffered bytes of all responses in a tunnel. */
const maxHeldInAll = 64 * mebibyte;
/** Milliseconds until a response must begin. */
const responseTimeout = 10 * 60_000;

export interface TunnelRequest {
  method: string;
  /** Path and query for the server behind the tunnel. */
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

/** Why a request has no complete response. */
export class TunnelFailure extends Error {
  readonly code: AbortCode | 'offline' | 'busy' | 'stale';
  /** No part of the request reached the client. */
  readonly notSent: boolean;

  constructor(code: TunnelFailure['code'], message: string, notSent = false) {
    super(message);
    this.code = code;
    this.notSent = notSent;
  }

  /** Converts a failure reported by another process. */
  static named(code: string, notSent: boolean): TunnelFailure {
    const known = Object.hasOwn(told, code) ? (code as AbortCode) : undefined;
    if (code === 'busy') return new TunnelFailure('busy', tooMany, notSent);
    if (known) return new TunnelFailure(known, told[known], notSent);
    return new TunnelFailure(
      code === 'stale' ? 'stale' : 'offline',
      'The client of the tunnel has disconnected',
      notSent,
    );
  }
}

const tooMany = `${limits.maxInflight} requests are in progress in this tunnel, the maximum`;

const told: Record<AbortCode, string> = {
  timeout: 'The server behind the tunnel did not answer in time',
  too_large: 'The request exceeds the size limit of the tunnel',
  client_gone: 'The request was aborted',
  upstream_error: 'The client of the tunnel cannot reach the server behind it, or was cut off from it',
  overloaded: 'The answer was aborted: it arrived faster than it was read',
};

interface Exchange {
  answered: (response: TunnelResponse) => void;
  failed: (error: TunnelFailure) => void;
  /** Flow control of the request; undefined if the tunnel does not use it. */
  credit: Credit | undefined;
  /** Body of the response, once it has begun. */
  body: IncomingBody | undefined;
}

/** The service's side of a tunnel. */
export class RelayConnection {
  private readonly socket: FrameSocket;
  private readonly exchanges = new Map<number, Exchange>();
  private readonly credited: boolean;
  private readonly allowances: readonly ByteAllowance[];
  private lastId = 0;
  private onIdle = (): void => {};
  readonly protocol: TunnelProtocol;
  /** Resolves when the client has disconnected. */
  readonly closed: Promise<void>;

  constructor(
    socket: WebSocket,
    { slug, protocol, allowance }: { slug: string; protocol: TunnelProtocol; allowance: ByteAllowance },
  ) {
    this.protocol = protocol;
    this.allowances = [new ByteAllowance(maxHeldInAll), allowance];
    this.credited = protocol === withCredit;
    let gone = (): void => {};
    this.closed = new Promise((resolve) => (gone = resolve));
    this.socket = new FrameSocket(socket, {
      frame: (frame) => this.onFrame(frame),
      chunk: (chunk) => this.onChunk(chunk),
      protocolError: () => this.close(closeCodes.violation, 'Not a frame of this protocol'),
      end: () => {
        for (const id of [...this.exchanges.keys()])
          this.fail(id, new TunnelFailure('upstream_error', 'The client of the tunnel has disconnected'));
        gone();
      },
    });
    this.socket.send({ t: 'hello', proto: this.credited ? 2 : 1, slug, limits });
  }

  get open(): boolean {
    return this.socket.open;
  }

  close(code: number, reason: string): void {
    this.socket.close(code, reason);
  }

  /** Resolves when no request is in progress, or at the timeout. */
  async idle(within: number): Promise<void> {
    if (this.exchanges.size === 0) return;
    const idle = new Promise<void>((resolve) => (this.onIdle = resolve));
    await withTimeout(within, idle, () => {});
  }

  /** Sends a request through the tunnel. Resolves when the response begins. */
  async request({ method, path, headers, body, signal }: TunnelRequest): Promise<TunnelResponse> {
    if (!this.socket.open)
      throw new TunnelFailure('offline', 'The client of the tunnel has disconnected', true);
    if (this.exchanges.size >= limits.maxInflight) throw new TunnelFailure('busy', tooMany, true);
    if (signal.aborted) throw new TunnelFailure('client_gone', told.client_gone, true);
    const id = this.nextId();
    const response = new Promise<TunnelResponse>((answered, failed) => {
      const credit = this.credited && body ? new Credit(windowBytes) : undefined;
      this.exchanges.set(id, { answered, failed, credit, body: undefined });
    });
    const giveUp = (): void => this.abort(id, 'client_gone');
    const late = setTimeout(() => this.abort(id, 'timeout'), responseTimeout);
    signal.addEventListener('abort', giveUp, { once: true });
    this.socket.send({
      t: 'req',
      id,
      method,
      url: path,
      headers: forwardedHeaders(headers),
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
      if (await this.socket.sendBody(ofRequest, id, body, { credit, wanted, sent }))
        this.socket.send({ t: 'req_end', id });
    } catch (error) {
      this.abort(id, error instanceof TunnelFailure ? 'too_large' : 'client_gone');
    }
  }

  private onFrame(frame: Frame): void {
    switch (frame.t) {
      case 'res':
        return this.begin(frame);
      case 'res_end': {
        const exchange = this.exchanges.get(frame.id);
        this.forget(frame.id);
        exchange?.body?.end();
        // The response ended before it began.
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
      most: this.credited ? windowBytes : maxHeld,
      allowances: this.allowances,
      allow: this.credited ? (bytes) => this.socket.send({ t: 'credit', id, bytes }) : undefined,
      onAbandoned: () => this.abort(id, 'client_gone'),
    });
    exchange.body = body;
    exchange.answered({ status, headers: forwardedHeaders(headers), body });
  }

  private onChunk({ kind, id, bytes }: Chunk): void {
    if (kind !== ofResponse) return this.close(closeCodes.violation, 'A client sends parts of answers only');
    const body = this.exchanges.get(id)?.body;
    // Data of an aborted response may still arrive.
    if (body && !body.push(bytes)) this.abort(id, 'overloaded');
  }

  /** Notifies both ends. */
  private abort(id: number, code: AbortCode): void {
    if (!this.exchanges.has(id)) return;
    this.socket.send({ t: 'abort', id, code });
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
    if (this.exchanges.size === 0) this.onIdle();
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
