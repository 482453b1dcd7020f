import { holdTunnel } from '../../../src/tunnels/client.ts';
import type { Grant } from '../tunnels.ts';

/** A client on this machine that holds a tunnel open over HAProxy, and when it was connected. */
export class Tunnel {
  readonly serverId: string;
  /** In milliseconds of this process, one for each time that the service greeted it. */
  readonly greeted: number[] = [];
  /** Rejects when the tunnel is over for good. */
  readonly ended: Promise<void>;
  private readonly stopping = new AbortController();

  constructor({ serverId, relayWsUrl, connectToken }: Grant, target: string) {
    this.serverId = serverId;
    this.ended = holdTunnel({
      relay: relayWsUrl,
      token: connectToken,
      target: new URL(target),
      prefix: '/mcp',
      signal: this.stopping.signal,
      tell: ({ type }) => {
        if (type === 'connected') this.greeted.push(performance.now());
      },
    });
    this.ended.catch(() => {});
  }

  /** When it was connected again after a moment; Infinity while it is not. */
  backAfter(moment: number): number {
    return this.greeted.find((at) => at > moment) ?? Infinity;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }
}
