import { timingSafeEqual } from 'node:crypto';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import * as rows from '../../platform/database/queries/tunnels.ts';
import { newId } from '../../platform/ids.ts';
import { redact } from '../../platform/log.ts';
import { hashToken } from '../../platform/secrets/tokens.ts';
import { ByteAllowance } from '../../tunnels/body.ts';
import { HopClient, HopServer } from '../../tunnels/hop.ts';
import {
  RelayConnection,
  TunnelFailure,
  type TunnelRequest,
  type TunnelResponse,
} from '../../tunnels/relay-connection.ts';
import { closeCodes, type TunnelProtocol } from '../../tunnels/wire.ts';
import type { Engines } from '../base/engines.ts';
import type { AccessWatch } from './access-watch.ts';

/** Milliseconds without renewal after which a process loses its tunnels, and the renewal interval. */
const lease = 15_000;
const renewEvery = 5_000;

/** Milliseconds running requests get when this process stops. */
const drainTimeout = 2_000;
/** Milliseconds between checks whether a disconnected client is back. */
const pollInterval = 100;

/** Bytes of responses buffered for slow readers in this process. */
const maxHeld = 256 * 1024 * 1024;

const replaced = 'Another client opened this tunnel';
const unattended = 'The account or key that opened this tunnel no longer has access';

interface Held {
  epoch: number;
  connection: RelayConnection;
}

type Parts = Pick<Engines, 'db' | 'vault' | 'notifications' | 'log'> & { accessWatch: AccessWatch };

/**
 * The tunnels connected to this process, and routing to those of other processes. The database records which process
 * holds a tunnel, with an epoch that grows with each client; a forwarded request with an outdated epoch is refused.
 */
export class Tunnels {
  private readonly parts: Parts;
  private readonly holderId = newId('tuh');
  private readonly held = new Map<string, Held>();
  private readonly allowance = new ByteAllowance(maxHeld);
  private readonly hops: HopClient;
  private readonly server: HopServer;
  private readonly unsubscribe: () => void;
  /** By slug, so that concurrent requests share one search. */
  private readonly searches = new Map<string, Promise<rows.TunnelRoute | undefined>>();
  private url: string | null = null;
  private beating: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(parts: Parts) {
    this.parts = parts;
    const key = parts.vault.derive('hops between replicas');
    this.hops = new HopClient(key);
    this.server = new HopServer({
      key,
      serve: ({ slug, epoch }, request) => {
        const own = this.held.get(slug);
        return own?.epoch === epoch ? own.connection.request(request) : undefined;
      },
    });
    this.unsubscribe = parts.notifications.on(rows.changedChannel, (slug) => {
      if (slug === undefined || this.held.has(slug)) void this.renew();
    });
  }

  /** Accepts requests forwarded by other processes of this installation. */
  async listen({ host, port }: { host: string; port: number }): Promise<void> {
    const taken = await this.server.listen(host, port);
    this.url = `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
  }

  /** Accepts a client's connection and checks its token. */
  async adopt(socket: WebSocket, token: string, protocol: TunnelProtocol): Promise<void> {
    const { db, log, accessWatch } = this.parts;
    // Without a listener, an early socket error would be thrown.
    socket.on('error', () => {});
    if (this.stopped) return socket.close(closeCodes.restart, 'The service is about to end');
    // If this process was suspended, the client may have gone and reconnected to another process. Two turns of the
    // event loop deliver the pending `close`, so that a dead connection does not take the tunnel over.
    await nextTurn();
    await nextTurn();
    if (socket.readyState !== socket.OPEN) return;
    const tokenHash = hashToken(token);
    const taken = await db.row(rows.take, {
      tokenHash,
      holderId: this.holderId,
      holderUrl: this.url,
      protocol,
      lease,
    });
    if (!taken) return socket.close(closeCodes.badToken, 'No tunnel takes this token');
    const { slug, epoch, serverId } = taken;
    // The client may have disconnected during the query.
    if (socket.readyState !== socket.OPEN) return this.letGo([[slug, epoch]]);
    const other = this.held.get(slug);
    const late = other !== undefined && other.epoch > epoch;
    if (late) return socket.close(closeCodes.replaced, replaced);
    other?.connection.close(closeCodes.replaced, replaced);
    const connection = new RelayConnection(socket, { slug, protocol, allowance: this.allowance });
    const own = { epoch, connection };
    this.held.set(slug, own);
    this.beating ??= setInterval(() => void this.renew(), renewEvery).unref();
    log.debug('A tunnel is held open', { serverId, protocol });
    const { organizationId, projectId, openedBy: userId, openedWith } = taken;
    const watched = accessWatch.watch({ organizationId, projectId, userId, keyId: openedWith ?? undefined });
    watched.signal.addEventListener('abort', () => connection.close(closeCodes.withdrawn, unattended));
    void connection.closed.then(() => {
      watched.stop();
      return this.release(slug, own);
    });
    if (this.stopped) connection.close(closeCodes.restart, 'The service is about to end');
  }

  /** Finds a tunnel by the slug and secret of its address; undefined if they do not match. */
  async findRoute(slug: string, secret: string): Promise<rows.TunnelRoute | undefined> {
    const route = await this.parts.db.row(rows.find, { slug });
    if (!route || route.closed || !timingSafeEqual(hashToken(secret), route.secretHash)) return undefined;
    return route.left ? this.back(slug) : route;
  }

  /**
   * Waits a while for a client that has just disconnected: a stopping process sends its clients to another one, and
   * requests would fail meanwhile.
   */
  private back(slug: string): Promise<rows.TunnelRoute | undefined> {
    const look = async (): Promise<rows.TunnelRoute | undefined> => {
      for (;;) {
        const route = await this.parts.db.row(rows.find, { slug });
        if (!route?.left || route.closed) return route;
        await delay(pollInterval);
      }
    };
    const there = this.searches.get(slug);
    if (there) return there;
    const search = look().finally(() => this.searches.delete(slug));
    this.searches.set(slug, search);
    return search;
  }

  /** Sends a request through a tunnel, directly or via the process that holds it. */
  async send(route: rows.TunnelRoute, request: (protocol: string) => TunnelRequest): Promise<TunnelResponse> {
    const own = this.held.get(route.slug);
    if (own && own.epoch === route.epoch) return own.connection.request(request(own.connection.protocol));
    if (!route.held || route.holderUrl === null || route.holderId === this.holderId) throw offline();
    return this.hops.send(route.holderUrl, route, request(route.protocol ?? ''));
  }

  /**
   * As `send`, but looks the tunnel up. A request that was not sent is retried once if another process holds the
   * tunnel by then.
   */
  async sendTo(slug: string, request: (protocol: string) => TunnelRequest): Promise<TunnelResponse> {
    const own = this.held.get(slug);
    const first = own?.connection.open
      ? { epoch: own.epoch, send: () => own.connection.request(request(own.connection.protocol)) }
      : await this.way(slug, request);
    try {
      return await first.send();
    } catch (error) {
      if (!(error instanceof TunnelFailure) || !error.notSent || error.code === 'busy') throw error;
      const now = await this.way(slug, request);
      if (now.epoch === first.epoch) throw error;
      return now.send();
    }
  }

  private async way(
    slug: string,
    request: (protocol: string) => TunnelRequest,
  ): Promise<{ epoch: number; send: () => Promise<TunnelResponse> }> {
    const now = await this.parts.db.row(rows.find, { slug });
    const route = now?.left ? await this.back(slug) : now;
    if (!route || route.closed) throw new TunnelFailure('offline', 'The tunnel is closed', true);
    return { epoch: route.epoch, send: () => this.send(route, request) };
  }

  /** Renews the leases of the tunnels held here, and drops those lost. */
  private async renew(): Promise<void> {
    const { db, log } = this.parts;
    const mine = [...this.held];
    if (mine.length === 0) return;
    try {
      const still = await db.rows(rows.renew, {
        holderId: this.holderId,
        slugs: mine.map(([slug]) => slug),
        epochs: mine.map(([, { epoch }]) => epoch),
        lease,
      });
      const kept = new Set(still.map(({ slug }) => slug));
      const lost = mine.filter(([slug, own]) => !kept.has(slug) && this.held.get(slug) === own);
      for (const [slug, { epoch, connection }] of lost) {
        const now = await db.row(rows.find, { slug });
        // A tunnel without a holder was closed or got a new token.
        if (now?.holderId && now.epoch > epoch) connection.close(closeCodes.replaced, replaced);
        else connection.close(closeCodes.withdrawn, 'The tunnel was closed, or has a new token');
      }
    } catch (error) {
      log.warn('Tunnels could not be renewed', { error: redact((error as Error).message) });
    }
  }

  private async release(slug: string, own: Held): Promise<void> {
    if (this.held.get(slug) === own) this.held.delete(slug);
    await this.letGo([[slug, own.epoch]]);
  }

  /** Gives up the leases of these tunnels. */
  private async letGo(all: [slug: string, epoch: number][]): Promise<void> {
    if (all.length === 0) return;
    const which = {
      holderId: this.holderId,
      slugs: all.map(([slug]) => slug),
      epochs: all.map(([, epoch]) => epoch),
    };
    await this.parts.db.run(rows.release, which).catch(() => {});
  }

  /** Releases the leases, lets running requests end, then tells clients to reconnect to another process. */
  async drain(): Promise<void> {
    this.stopped = true;
    const all = [...this.held];
    await this.letGo(all.map(([slug, { epoch }]) => [slug, epoch]));
    await Promise.all(
      all.map(async ([, { connection }]) => {
        await connection.idle(drainTimeout);
        connection.close(closeCodes.restart, 'The service is about to end');
        await connection.closed;
      }),
    );
  }

  async stop(): Promise<void> {
    clearInterval(this.beating);
    this.unsubscribe();
    await this.drain();
    await this.server.close();
    await this.hops.close();
  }
}

function offline(): TunnelFailure {
  return new TunnelFailure('offline', 'The tunnel is not connected', true);
}
