import { setTimeout as delay } from 'node:timers/promises';
import { Agent, fetch, type RequestInit, type Response } from 'undici';
import { key } from './fleet.ts';

/** One request that was sent; times are in milliseconds of this process. */
export interface Attempt {
  kind: string;
  /** The name that HAProxy logs. */
  name: string;
  from: number;
  to: number;
  /** Undefined without a complete answer. */
  status: number | undefined;
  /** The reason in the answer, or the error. */
  problem: string;
}

/** A call with all its attempts. */
export interface Call {
  kind: string;
  from: number;
  to: number;
  attempts: number;
}

export interface Wanted {
  body?: unknown;
  bytes?: Uint8Array<ArrayBuffer>;
  /** The idempotency key of all attempts. */
  key?: string;
  headers?: Record<string, string>;
}

/** Milliseconds after which a call gives up. */
const patience = 60_000;
/**
 * Opens a connection for each request. On a connection that is kept, HAProxy closes later requests without a
 * log line, so that their replica would be unknown.
 */
const dispatcher = new Agent({ pipelining: 0 });
const again = /IDEMPOTENCY_KEY_IN_USE|RATE_LIMITED/;

/** A client of the fleet that repeats failed requests and records the outcome of each attempt. */
export class Caller {
  readonly failures: Attempt[] = [];
  readonly calls: Call[] = [];
  readonly sent: Record<string, number> = {};
  private readonly origin: string;
  private named = 0;

  constructor(origin: string) {
    this.origin = origin;
  }

  /** A unique name for a request. */
  name(kind: string): string {
    return `${kind}-${(this.named++).toString(36)}`;
  }

  /** The JSON that was answered, in the end. */
  // Loads read arbitrary answers.
  // oxlint-disable-next-line typescript/no-explicit-any
  async json(kind: string, method: string, path: string, wanted: Wanted = {}): Promise<any> {
    return JSON.parse(Buffer.from(await this.bytes(kind, method, path, wanted)).toString('utf8'));
  }

  async bytes(kind: string, method: string, path: string, wanted: Wanted = {}): Promise<ArrayBuffer> {
    const from = performance.now();
    for (let attempts = 1; ; attempts++) {
      const answer = await this.attempt(kind, method, path, wanted);
      if (answer.body) {
        this.calls.push({ kind, from, to: performance.now(), attempts });
        return answer.body;
      }
      const { status, problem } = answer.failed;
      const final = status !== undefined && status < 500 && !again.test(problem);
      if (final || performance.now() - from > patience)
        throw new Error(`${kind} ${method} ${path}: ${status ?? 'no answer'} ${problem}`);
      await delay(Math.min(50 * attempts, 500));
    }
  }

  /** An open stream of events; undefined if it could not be opened. */
  async stream(kind: string, path: string, lastEventId: string | undefined): Promise<Response | undefined> {
    const name = this.name(kind);
    const from = performance.now();
    try {
      const headers = { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) };
      const response = await this.send(name, 'GET', path, { headers });
      if (response.status === 200) return response;
      this.failed({ kind, name, from, status: response.status, problem: await response.text() });
    } catch (error) {
      this.failed({ kind, name, from, status: undefined, problem: reasonOf(error) });
    }
    return undefined;
  }

  private async attempt(
    kind: string,
    method: string,
    path: string,
    wanted: Wanted,
  ): Promise<{ body: ArrayBuffer; failed?: never } | { body?: never; failed: Attempt }> {
    const name = this.name(kind);
    const from = performance.now();
    try {
      const response = await this.send(name, method, path, wanted, patience);
      const body = await response.arrayBuffer();
      if (response.status < 400) return { body };
      const problem = Buffer.from(body).toString('utf8').slice(0, 300);
      return { failed: this.failed({ kind, name, from, status: response.status, problem }) };
    } catch (error) {
      return { failed: this.failed({ kind, name, from, status: undefined, problem: reasonOf(error) }) };
    }
  }

  private failed(attempt: Omit<Attempt, 'to'>): Attempt {
    const whole = { ...attempt, to: performance.now() };
    this.failures.push(whole);
    return whole;
  }

  private send(
    name: string,
    method: string,
    path: string,
    { body, bytes, key: idempotencyKey, headers }: Wanted,
    within?: number,
  ): Promise<Response> {
    const kind = name.slice(0, name.lastIndexOf('-'));
    this.sent[kind] = (this.sent[kind] ?? 0) + 1;
    const options: RequestInit = {
      dispatcher,
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'x-request-id': name,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(bytes && { 'content-type': 'application/octet-stream' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(bytes && { body: bytes }),
      ...(within !== undefined && { signal: AbortSignal.timeout(within) }),
    };
    return fetch(`${this.origin}/api/v1${path}`, options);
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: Error };
  return cause ? `${message}: ${cause.message}` : message;
}
