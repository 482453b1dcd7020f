import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { AtEnd } from './process.ts';
import { scaled } from './slowdown.ts';
import { serveWeb } from './web.ts';

export interface Received {
  path: string;
  id: string;
  headers: Record<string, string>;
  text: string;
  // Tests read arbitrary answers.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
  /** The status that the receiver answered. */
  status: number;
}

/** A receiver of webhooks that records deliveries. */
export class Receiver {
  url = '';
  readonly received: Received[] = [];
  /** The status of the answer to a delivery; 0 closes the connection without an answer. */
  answer: (delivery: Omit<Received, 'status'>, nth: number) => number | Promise<number> = () => 204;

  static async start(atEnd: AtEnd = onTestFinished): Promise<Receiver> {
    const receiver = new Receiver();
    const { origin } = await serveWeb(
      (request, response) => void receiver.receive(request, response),
      '127.0.0.1',
      atEnd,
    );
    receiver.url = `${origin}/hooks?token=tell-nobody`;
    return receiver;
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const headers = request.headers as Record<string, string>;
    const id = headers['webhook-id'] ?? '';
    const delivery = { path: request.url ?? '', id, headers, text, body: JSON.parse(text) as unknown };
    const status = await this.answer(delivery, this.received.length);
    this.received.push({ ...delivery, status });
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
  }

  /** Accepted deliveries in the order of their arrival. */
  get taken(): Received[] {
    return this.received.filter(({ status }) => status >= 200 && status < 300);
  }

  async until(what: (receiver: Receiver) => boolean): Promise<void> {
    for (const ends = Date.now() + scaled(20_000); !what(this); await delay(20))
      if (Date.now() > ends)
        throw new Error(
          `not received: ${JSON.stringify(this.received.map(({ status, body }) => [status, body]))}`,
        );
  }
}

/** Whether one of the signatures matches this secret and is recent. */
export function isSigned({ headers, text }: Received, secret: string, now = Date.now()): boolean {
  const timestamp = Number(headers['webhook-timestamp']);
  if (Math.abs(now / 1000 - timestamp) > 300) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(`${headers['webhook-id']}.${timestamp}.${text}`).digest();
  return (headers['webhook-signature'] ?? '').split(' ').some((one) => {
    const [scheme, signature = ''] = one.split(',');
    const given = Buffer.from(signature, 'base64');
    return scheme === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
