import type { AddressPolicy } from './address-guard.ts';
import { type ConnectOptions, connect, type Participant } from './connect.ts';
import type { Answer, Connection, ServerIdentity } from './connection.ts';
import type { Wait } from './deadline.ts';
import { Eras, type EraVerdict } from './eras.ts';
import { McpFailure } from './failures.ts';
import { Outbound, type OutboundOptions } from './outbound.ts';
import { Pool, type PoolLimits } from './pool.ts';
import { mostProbeBytes } from './probe-answer.ts';
import type { Target } from './target.ts';

interface McpOptions {
  policy: AddressPolicy;
  clientInfo: { name: string; version: string };
  pool: PoolLimits;
  outbound?: OutboundOptions;
  now: () => number;
}

/** Talking to one server, within one deadline. */
export interface Conversation {
  identity: ServerIdentity;
  ask: (method: string, params?: Record<string, unknown>) => Promise<Answer>;
}

/** Everything the service knows about talking to MCP servers. */
export class Mcp {
  readonly outbound: Outbound;
  /** For probes, which read little of an answer. */
  readonly probing: Outbound;
  private readonly eras: Eras;
  private readonly pool: Pool;
  private readonly clientInfo: McpOptions['clientInfo'];

  constructor({ policy, clientInfo, pool, outbound, now }: McpOptions) {
    this.outbound = new Outbound(policy, outbound);
    this.probing = new Outbound(policy, { ...outbound, messageBytes: mostProbeBytes });
    this.eras = new Eras(now);
    this.clientInfo = clientInfo;
    this.pool = new Pool(pool, (target, wait) => this.open(target, wait, this.eras.get(target.key)), now);
  }

  get warmConnections(): number {
    return this.pool.size;
  }

  /** Over a warm connection where there is one. */
  use<T>(target: Target, wait: Wait, work: (conversation: Conversation) => Promise<T>): Promise<T> {
    const ends = performance.now() + wait.timeout;
    const whole = { allowed: wait.timeout, ...wait };
    return this.pool.use(target, whole, (connection) => work(converse(connection, whole, ends)));
  }

  /** Over a connection of its own, negotiated from the beginning and closed afterwards. */
  async once<T>(target: Target, wait: Wait, work: (conversation: Conversation) => Promise<T>): Promise<T> {
    const ends = performance.now() + wait.timeout;
    const whole = { allowed: wait.timeout, ...wait };
    const connection = await this.open(target, whole, undefined);
    try {
      return await work(converse(connection, whole, ends));
    } finally {
      void connection.close();
    }
  }

  /** A connection for somebody who takes part in the protocol, and closes it. */
  async join(target: Target, wait: Wait, participant: Participant): Promise<Connection> {
    return (await connect(target, this.connectOptions(wait, undefined, participant))).connection;
  }

  private async open(target: Target, wait: Wait, known: EraVerdict | undefined): Promise<Connection> {
    const started = performance.now();
    const remaining = (): Wait => ({ ...wait, timeout: left(started + wait.timeout) });
    const attempt = async (verdict: EraVerdict | undefined): Promise<Connection> => {
      const { connection, verdict: learned } = await connect(
        target,
        this.connectOptions(remaining(), verdict),
      );
      this.eras.learn(target.key, learned);
      return connection;
    };
    try {
      return await attempt(known);
    } catch (error) {
      if (!(error instanceof McpFailure)) throw error;
      if (known && mayBeStale(error)) {
        this.eras.forget(target.key);
        return attempt(undefined);
      }
      // Some old servers break on a request they do not know.
      if (!known && isServerError(error) && target.kind === 'http' && !target.protocol.protocolVersion)
        return attempt({ era: 'legacy', transport: 'streamable-http' }).catch(() => Promise.reject(error));
      throw error;
    }
  }

  private connectOptions(
    wait: Wait,
    verdict: EraVerdict | undefined,
    participant?: Participant,
  ): ConnectOptions {
    const { outbound, clientInfo } = this;
    return { ...wait, outbound, clientInfo, verdict, ...(participant && { participant }) };
  }

  async close(): Promise<void> {
    await this.pool.close();
    await Promise.all([this.outbound.close(), this.probing.close()]);
  }
}

function converse(connection: Connection, wait: Wait, ends: number): Conversation {
  return {
    identity: connection.identity,
    ask: (method, params = {}) => connection.request(method, params, { ...wait, timeout: left(ends) }),
  };
}

function left(ends: number): number {
  return Math.max(1, ends - performance.now());
}

function mayBeStale({ kind }: McpFailure): boolean {
  return ['version', 'status', 'not-mcp', 'rpc', 'unknown'].includes(kind);
}

function isServerError({ kind, facts }: McpFailure): boolean {
  return kind === 'status' && (facts.status ?? 0) >= 500;
}
