import type pg from 'pg';
import { type Log, redact } from '../log.ts';

type Handler = (payload: string | undefined) => void;

const shortestPause = 200;
const longestPause = 5_000;

/**
 * The one connection of this process that listens. Handlers hear what is notified on their channel; after the
 * connection was lost and came back each is called without a payload, because something may have been missed.
 */
export class Notifications {
  private readonly dial: () => Promise<pg.Client>;
  private readonly log: Log;
  private readonly handlers = new Map<string, Set<Handler>>();
  private client: pg.Client | undefined;
  private stopped = false;

  constructor(dial: () => Promise<pg.Client>, log: Log) {
    this.dial = dial;
    this.log = log;
  }

  async start(): Promise<void> {
    await this.connect();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.client?.end().catch(() => {});
  }

  /** Returns what ends the listening. */
  on(channel: string, handler: Handler): () => void {
    const known = this.handlers.get(channel);
    const handlers = known ?? new Set<Handler>();
    this.handlers.set(channel, handlers);
    handlers.add(handler);
    if (!known) this.listen(channel);
    return () => void handlers.delete(handler);
  }

  private listen(channel: string): void {
    // Lost together with the connection; the next one listens to all channels again.
    this.client?.query(`listen "${channel}"`).catch(() => {});
  }

  private async connect(): Promise<void> {
    const client = await this.dial();
    client.on('notification', ({ channel, payload }) => this.tell(channel, payload));
    client.once('end', () => void this.reconnect());
    for (const channel of this.handlers.keys()) await client.query(`listen "${channel}"`);
    this.client = client;
  }

  private async reconnect(): Promise<void> {
    this.client = undefined;
    for (let pause = shortestPause; !this.stopped; pause = Math.min(pause * 2, longestPause)) {
      try {
        await this.connect();
        for (const channel of this.handlers.keys()) this.tell(channel, undefined);
        return;
      } catch (error) {
        this.log.warn('Notifications of the database cannot be heard', {
          error: redact((error as Error).message),
        });
        await new Promise((resolve) => setTimeout(resolve, pause).unref());
      }
    }
  }

  private tell(channel: string, payload: string | undefined): void {
    for (const handler of this.handlers.get(channel) ?? []) handler(payload);
  }
}
