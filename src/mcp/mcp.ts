import type { Confinement } from '../platform/confinement/confinement.ts';
import { ConnectionPacers } from '../platform/flow/pacer.ts';
import type { PolicySource } from '../platform/network/address-guard.ts';
import { counters } from '../platform/telemetry/metrics.ts';
import { inSpan } from '../platform/telemetry/tracing.ts';
import { type ConnectOptions, connect, type Participant } from './connect.ts';
import type { Answer, Connection, ServerIdentity } from './connection.ts';
import type { Wait } from './deadline.ts';
import { McpFailure } from './failures.ts';
import { Outbound, type OutboundOptions } from './outbound.ts';
import { Pool, type PoolLimits } from './pool.ts';
import { type DetectedProtocol, ProtocolCache } from './protocol-cache.ts';
import type { Target } from './target.ts';

interface McpOptions {
  policy: PolicySource;
  clientInfo: { name: string; version: string };
  pool: PoolLimits;
  /** Runs the commands of stdio servers. */
  confinement: Confinement;
  outbound?: OutboundOptions;
  now: () => number;
}

/** The timeout of the work, and how to learn that its results are no longer needed. */
export interface Visit extends Wait {
  /** Runs a function when the answer has been sent. Default: when the work is done. */
  afterwards?: (work: () => void) => void;
}

/** Maximum bytes of all answers in one conversation. */
const maxInOne = 64 * 1024 * 1024;
/** Bytes from which an answer counts towards the limits. */
const countedFrom = 64 * 1024;

/** Requests to one server within one deadline. */
export interface Conversation {
  identity: ServerIdentity;
  ask: (method: string, params?: Record<string, unknown>) => Promise<Answer>;
  /** Values sent to the server that must not be quoted, tokens included. */
  secrets: () => readonly string[];
}

/** The client for MCP servers. */
export class Mcp {
  readonly outbound: Outbound;
  private readonly protocols: ProtocolCache;
  private readonly pool: Pool;
  private readonly pacers = new ConnectionPacers();
  private readonly options: McpOptions;

  constructor(options: McpOptions) {
    const { policy, pool, outbound, now } = options;
    this.options = options;
    this.outbound = new Outbound(policy, outbound);
    this.protocols = new ProtocolCache(now);
    this.pool = new Pool(
      pool,
      (target, wait) => this.open(target, wait, this.protocols.get(target.key)),
      now,
    );
  }

  /** Loads the libraries for the first connection, which takes noticeably long. */
  async prepare(): Promise<void> {
    await Promise.all([import('@modelcontextprotocol/client'), import('../platform/undici.ts')]);
  }

  get warmConnections(): number {
    return this.pool.size;
  }

  get processes(): number {
    return this.pool.processes;
  }

  /** Uses the warm connection to the target, or opens one. */
  use<T>(target: Target, visit: Visit, work: (conversation: Conversation) => Promise<T>): Promise<T> {
    const ends = performance.now() + visit.timeout;
    const whole = { allowed: visit.timeout, ...visit };
    return this.pool.use(target, whole, (connection) => this.converse(target, connection, whole, ends, work));
  }

  /** Uses a dedicated connection, negotiated anew and closed afterwards. */
  once<T>(target: Target, visit: Visit, work: (conversation: Conversation) => Promise<T>): Promise<T> {
    const ends = performance.now() + visit.timeout;
    const whole = { allowed: visit.timeout, ...visit };
    const open = (to: Target, wait: Wait): Promise<Connection> => this.open(to, wait, undefined);
    return this.pool.alone(target, whole, open, (connection) =>
      this.converse(target, connection, whole, ends, work),
    );
  }

  /** Opens a connection for a participant in the protocol, who closes it. */
  async join(target: Target, wait: Wait, participant: Participant): Promise<Connection> {
    return (await connect(target, this.connectOptions(target, wait, undefined, participant))).connection;
  }

  /** Retires the connections of a server that was edited, disabled or deleted. Without an ID, those of all servers. */
  serverChanged(serverId?: string): void {
    this.pool.retireWhere((target) => serverId === undefined || target.serverId === serverId);
  }

  async close(): Promise<void> {
    await this.pool.close();
    await this.outbound.close();
  }

  /** Counts the bytes of the answers against the budget until the results are no longer needed. */
  private async converse<T>(
    target: Target,
    connection: Connection,
    visit: Visit,
    ends: number,
    work: (conversation: Conversation) => Promise<T>,
  ): Promise<T> {
    const { held } = this.outbound;
    let weight = 0;
    const ask: Conversation['ask'] = async (method, params = {}) => {
      const answer = await traced(method, target, () =>
        connection.request(method, params, { ...visit, timeout: left(ends) }),
      );
      // Small answers are not counted.
      const more = answer.bytes < countedFrom ? 0 : answer.bytes;
      if (weight + more > maxInOne)
        throw new McpFailure('too-large', 'The answers of the server exceed 64 MiB in total');
      held.take(more);
      weight += more;
      return answer;
    };
    try {
      const identity = await connection.shownIdentity();
      return await work({ identity, ask, secrets: () => connection.secrets() });
    } finally {
      if (weight > 0) (visit.afterwards ?? atOnce)(() => held.giveBack(weight));
    }
  }

  private open(target: Target, wait: Wait, known: DetectedProtocol | undefined): Promise<Connection> {
    return traced('connect', target, () => this.negotiate(target, wait, known));
  }

  private async negotiate(
    target: Target,
    wait: Wait,
    known: DetectedProtocol | undefined,
  ): Promise<Connection> {
    const started = performance.now();
    const remaining = (): Wait => ({ ...wait, timeout: left(started + wait.timeout) });
    const attempt = async (detected: DetectedProtocol | undefined): Promise<Connection> => {
      const options = this.connectOptions(target, remaining(), detected);
      const { connection, detected: learned } = await connect(target, options);
      this.protocols.learn(target.key, learned);
      return connection;
    };
    try {
      return await attempt(known);
    } catch (error) {
      if (!(error instanceof McpFailure)) throw error;
      if (known && mayBeStale(error)) {
        this.protocols.forget(target.key);
        return attempt(undefined);
      }
      // Some old servers fail on unknown requests.
      if (!known && isServerError(error) && target.kind === 'http' && !target.protocol.protocolVersion)
        return attempt({ era: 'legacy', transport: 'streamable-http' }).catch(() => Promise.reject(error));
      throw error;
    }
  }

  private connectOptions(
    target: Target,
    wait: Wait,
    detected: DetectedProtocol | undefined,
    participant?: Participant,
  ): ConnectOptions {
    const { outbound } = this;
    const { clientInfo, confinement } = this.options;
    const pace = this.pacers.create(target.owner);
    return {
      ...wait,
      outbound,
      pace,
      confinement,
      clientInfo,
      detected,
      ...(participant && { participant }),
    };
  }
}

/**
 * Counts failures and records a span. The trace is not propagated to the server, which is under test and should behave
 * as with any client.
 */
async function traced<T>(method: string, { serverId, kind }: Target, work: () => Promise<T>): Promise<T> {
  const attributes = {
    'mcp.method.name': method,
    'drydock.server.id': serverId,
    'drydock.server.kind': kind,
  };
  try {
    return await inSpan(`mcp ${method}`, { kind: 'client', attributes }, work);
  } catch (error) {
    if (error instanceof McpFailure) counters.mcpFailures.add(error.kind);
    throw error;
  }
}

function atOnce(work: () => void): void {
  work();
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
