import { challengeOf } from './challenge.ts';
import { McpFailure } from './failures.ts';
import { type Outbound, plain } from './outbound.ts';
import type { Reading } from './reading.ts';
import { type HttpTarget, secretsOf } from './target.ts';

/** Sends requests to one target with its headers and token. A refused token is renewed once. */
export class Authorized {
  private readonly outbound: Outbound;
  private readonly target: HttpTarget;
  private readonly origin: string;
  private readonly own: Record<string, string>;
  /** The last two tokens that the target received and could echo. */
  private readonly sent: string[] = [];

  constructor(outbound: Outbound, target: HttpTarget) {
    this.outbound = outbound;
    this.target = target;
    this.origin = new URL(target.url).origin;
    this.own = plain(target.headers);
  }

  /** Values that must not appear in messages. */
  secrets(): string[] {
    return [...secretsOf(this.target), ...this.sent];
  }

  async fetch(url: URL, init: RequestInit, reading: Reading): Promise<Response> {
    const send = (token?: string): Promise<Response> =>
      this.outbound.fetch(url, this.withHeaders(url, init, token), reading);
    const { credential } = this.target;
    if (!credential) return send();
    const token = await credential.token();
    const response = await send(token);
    if (response.status !== 401) return response;
    const renewed = await credential.renew(token).catch((error: unknown) => {
      if (!(error instanceof McpFailure) || error.kind !== 'unauthorized') throw error;
      throw new McpFailure(error.kind, error.message, { ...challengeOf(response), ...error.facts });
    });
    return send(renewed);
  }

  private withHeaders(url: URL, init: RequestInit, token?: string): RequestInit {
    const headers = { ...(url.origin === this.origin && this.own), ...plain(init.headers) };
    if (token !== undefined) {
      headers['authorization'] = `Bearer ${token}`;
      if (!this.sent.includes(token)) this.sent.push(token);
      if (this.sent.length > 2) this.sent.shift();
    }
    return { ...init, headers };
  }
}
