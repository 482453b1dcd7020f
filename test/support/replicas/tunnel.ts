import { holdTunnel } from '../../../src/tunnels/client.ts';
import type { Grant } from '../tunnels.ts';

/** Times are in milliseconds of this process. */
export interface Held {
  by: string | undefined;
  from: number;
  until: number;
}

/** A local client that holds a tunnel open over HAProxy, and records the replicas it was connected to. */
export class Tunnel {
  readonly serverId: string;
  /** Resolves at the first connection. */
  readonly opened: Promise<void>;
  /** Rejects when the tunnel is over for good. */
  readonly ended: Promise<void>;
  /** Greetings of the service; `at` is in milliseconds of this process. */
  private readonly greeted: { at: number; by: Promise<string | undefined> }[] = [];
  private readonly stopping = new AbortController();

  /** `relay` returns the replica that the tunnel is connected to. */
  constructor(
    { serverId, relayWsUrl, connectToken }: Grant,
    target: string,
    relay: () => Promise<string | undefined>,
  ) {
    this.serverId = serverId;
    let open = (): void => {};
    const greeting = new Promise<void>((resolve) => (open = resolve));
    this.ended = holdTunnel({
      relay: relayWsUrl,
      token: connectToken,
      target: new URL(target),
      prefix: '/mcp',
      signal: this.stopping.signal,
      tell: ({ type }) => {
        if (type !== 'connected') return;
        // The database may be unavailable.
        this.greeted.push({ at: performance.now(), by: relay().catch(() => undefined) });
        open();
      },
    });
    this.opened = Promise.race([greeting, this.ended]);
    this.ended.catch(() => {});
  }

  /** Holders of the tunnel, each from its greeting until the next one. */
  async held(): Promise<Held[]> {
    const holders = await Promise.all(this.greeted.map(({ by }) => by));
    return this.greeted.map(({ at }, nth) => ({
      by: holders[nth],
      from: at,
      until: this.greeted[nth + 1]?.at ?? Infinity,
    }));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }
}
