import { timingSafeEqual } from 'node:crypto';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import * as rows from '../../platform/database/queries/tunnels.ts';
import { newId } from '../../platform/ids.ts';
import { redact } from '../../platform/log.ts';
import { Room } from '../../tunnels/body.ts';
import { HopClient, HopServer } from '../../tunnels/hop.ts';
import {
  RelayConnection,
  TunnelFailure,
  type TunnelRequest,
  type TunnelResponse,
} from '../../tunnels/relay-connection.ts';
import { closeCodes, type TunnelProtocol } from '../../tunnels/wire.ts';
import type { Services } from '../context.ts';
import { hashToken } from '../identity/token.ts';

/** Milliseconds for which a silent process keeps its tunnels, and how often it says that it lives. */
const lease = 15_000;
const renewEvery = 5_000;

/** Milliseconds that requests under way in a tunnel get when this process ends. */
const lastWords = 2_000;
/** How often it is looked whether a client that went just now is back, in milliseconds. */
const lookEvery = 100;

/** Bytes of answers that wait for slow readers, in this process. */
const mostHeld = 256 * 1024 * 1024;

const replaced = 'Another client opened this tunnel';
const unattended = 'The account or key that opened this tunnel no longer has access';

interface Held {
  epoch: number;
  connection: RelayConnection;
}

type Parts = Pick<Services, 'db' | 'vault' | 'notifications' | 'accessWatch' | 'log'>;

/**
 * The tunnels whose clients are connected to this process, and the way to those of others. The database says who holds
 * which, by a number that grows with each client: a request that was handed on for an older one is not served.
 */
export class Tunnels {
  private readonly parts: Parts;
  private readonly holderId = newId('tuh');
  private readonly held = new Map<string, Held>();
  private readonly room = new Room(mostHeld);
  private readonly hops: HopClient;
  private readonly server: HopServer;
  private readonly unsubscribe: () => void;
  /** By slug: everybody waits for the same search. */
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

  /** Lets other processes of this installation hand requests on to this one. */
  async listen({ host, port }: { host: string; port: number }): Promise<void> {
    const taken = await this.server.listen(host, port);
    this.url = `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
  }

  /** A client has connected and shows its token. */
  async adopt(socket: WebSocket, token: string, protocol: TunnelProtocol): Promise<void> {
    const { db, log, accessWatch } = this.parts;
    // Only later is anybody there who would hear of it.
    socket.on('error', () => {});
    if (this.stopped) return socket.close(closeCodes.restart, 'The service is about to end');
    // The caller of a process that stood still may have gone long ago, and be back at another one: it is heard of when the
    // loop has looked at all sockets once, and must not take the tunnel from itself.
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
    // It may have gone while the database was asked.
    if (socket.readyState !== socket.OPEN) return this.letGo([[slug, epoch]]);
    const other = this.held.get(slug);
    const late = other !== undefined && other.epoch > epoch;
    if (late) return socket.close(closeCodes.replaced, replaced);
    other?.connection.close(closeCodes.replaced, replaced);
    const connection = new RelayConnection(socket, { slug, protocol, room: this.room });
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

  /** Of the address with this slug and secret; undefined when there is no such. */
  async knock(slug: string, secret: string): Promise<rows.TunnelRoute | undefined> {
    const route = await this.parts.db.row(rows.find, { slug });
    if (!route || route.closed || !timingSafeEqual(hashToken(secret), route.secretHash)) return undefined;
    return route.left ? this.back(slug) : route;
  }

  /**
   * Of a tunnel whose client went just now: once it is back, or when it has been away for too long to be waited for. A
   * process that ends sends its clients to another one, and requests meanwhile would find nobody.
   */
  private back(slug: string): Promise<rows.TunnelRoute | undefined> {
    const look = async (): Promise<rows.TunnelRoute | undefined> => {
      for (;;) {
        const route = await this.parts.db.row(rows.find, { slug });
        if (!route?.left || route.closed) return route;
        await delay(lookEvery);
      }
    };
    const there = this.searches.get(slug);
    if (there) return there;
    const search = look().finally(() => this.searches.delete(slug));
    this.searches.set(slug, search);
    return search;
  }

  /** Sends a request through a tunnel, here or by way of the process that holds it. */
  async send(route: rows.TunnelRoute, request: (protocol: string) => TunnelRequest): Promise<TunnelResponse> {
    const own = this.held.get(route.slug);
    if (own && own.epoch === route.epoch) return own.connection.request(request(own.connection.protocol));
    if (!route.held || route.holderUrl === null || route.holderId === this.holderId) throw offline();
    return this.hops.send(route.holderUrl, route, request(route.protocol ?? ''));
  }

  /** The same for what nobody has looked up yet. What did not get there is tried once more where the tunnel is by then. */
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

  /** Says that what is held here still is, and lets go of what is not. */
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
        // A new token and the end of the tunnel leave it without a holder.
        if (now?.holderId && now.epoch > epoch) connection.close(closeCodes.replaced, replaced);
        else connection.close(closeCodes.withdrawn, 'The tunnel was closed, or has a new token');
      }
    } catch (error) {
      log.warn('Tunnels were not renewed', { error: redact((error as Error).message) });
    }
  }

  private async release(slug: string, own: Held): Promise<void> {
    if (this.held.get(slug) === own) this.held.delete(slug);
    await this.letGo([[slug, own.epoch]]);
  }

  /** Nobody holds them here any longer. */
  private async letGo(all: [slug: string, epoch: number][]): Promise<void> {
    if (all.length === 0) return;
    const which = {
      holderId: this.holderId,
      slugs: all.map(([slug]) => slug),
      epochs: all.map(([, epoch]) => epoch),
    };
    await this.parts.db.run(rows.release, which).catch(() => {});
  }

  /** Lets everybody go who is to come back at once, to another process, when what is under way has ended. */
  async drain(): Promise<void> {
    this.stopped = true;
    const all = [...this.held];
    await this.letGo(all.map(([slug, { epoch }]) => [slug, epoch]));
    await Promise.all(
      all.map(async ([, { connection }]) => {
        await connection.idle(lastWords);
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
  return new TunnelFailure('offline', 'Nobody holds the tunnel open', true);
}
