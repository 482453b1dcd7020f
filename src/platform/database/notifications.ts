import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Semaphore } from '../flow/semaphore.ts';
import { type Log, redact } from '../log.ts';

/** Called without a payload when notifications may have been missed: after listening began or resumed. */
type Handler = (payload?: string) => void;

interface NotificationOptions {
  dial: () => Promise<pg.Client>;
  log: Log;
  /** Milliseconds between two checks of the connection, because a broken one may stay silent forever. */
  checkEvery?: number;
}

/** Minimum and maximum milliseconds between two attempts to reconnect. */
const shortestPause = 100;
const maxPause = 10_000;

/** PostgreSQL notifications, over one connection for the whole process. */
export class Notifications {
  private readonly options: Required<NotificationOptions>;
  private readonly handlers = new Map<string, Set<Handler>>();
  private readonly stopping = new AbortController();
  private client: pg.Client | undefined;
  private readonly turns = new Semaphore(1);
  private check: NodeJS.Timeout | undefined;

  constructor(options: NotificationOptions) {
    this.options = { checkEvery: 30_000, ...options };
  }

  /** Resolves when it listens. Earlier notifications are not received. */
  async start(): Promise<void> {
    // Retried once, for a machine that is overloaded.
    await this.connect().catch(() => this.connect());
    this.check = setInterval(() => void this.tryConnection(), this.options.checkEvery).unref();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.check);
    await this.client?.end().catch(() => {});
  }

  /** Calls the handler for each notification on the channel. Returns a function to unsubscribe. */
  on(channel: string, handler: Handler): () => void {
    const there = this.handlers.get(channel) ?? new Set();
    this.handlers.set(channel, there.add(handler));
    if (this.client) void this.listen(this.client, channel, [handler]);
    return () => {
      there.delete(handler);
      if (there.size > 0 || this.handlers.get(channel) !== there) return;
      this.handlers.delete(channel);
      if (this.client)
        void this.send(this.client, `unlisten ${pg.escapeIdentifier(channel)}`).catch(() => {});
    };
  }

  private async connect(): Promise<void> {
    const client = await this.options.dial();
    client.on('notification', ({ channel, payload }) => {
      for (const handler of this.handlers.get(channel) ?? []) this.call(handler, payload);
    });
    client.once('end', () => {
      this.client = undefined;
      if (!this.stopping.signal.aborted) void this.reconnect();
    });
    this.client = client;
    await Promise.all(
      [...this.handlers].map(([channel, handlers]) => this.listen(client, channel, handlers)),
    );
    if (this.stopping.signal.aborted) await client.end();
  }

  /** A failure closes the connection, and the next connection listens again. */
  private async listen(client: pg.Client, channel: string, handlers: Iterable<Handler>): Promise<void> {
    try {
      await this.send(client, `listen ${pg.escapeIdentifier(channel)}`);
    } catch {
      return void client.end().catch(() => {});
    }
    for (const handler of [...handlers]) if (this.handlers.get(channel)?.has(handler)) this.call(handler);
  }

  private async reconnect(): Promise<void> {
    const { signal } = this.stopping;
    this.options.log.warn('Notification connection lost; reconnecting');
    for (let pause = shortestPause; !signal.aborted; pause = Math.min(2 * pause, maxPause)) {
      // Random delay, so that processes do not all reconnect at once.
      await delay(pause * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      try {
        return await this.connect();
      } catch {
        // Still unavailable.
      }
    }
  }

  private async tryConnection(): Promise<void> {
    const { client } = this;
    if (!client) return;
    // While a query runs, `end` closes the connection at once.
    const late = setTimeout(() => void client.end().catch(() => {}), this.options.checkEvery / 2).unref();
    await this.send(client, 'select 1').catch(() => {});
    clearTimeout(late);
  }

  /** Sends queries one after the other, as the driver requires. */
  private send(client: pg.Client, sql: string): Promise<unknown> {
    return this.turns.run(() => client.query(sql));
  }

  private call(handler: Handler, payload?: string): void {
    try {
      handler(payload);
    } catch (error) {
      this.options.log.error('Notification could not be handled', { error: redact(String(error)) });
    }
  }
}
