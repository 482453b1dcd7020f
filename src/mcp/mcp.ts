import type { Confinement } from '../platform/confinement/confinement.ts';
import type { PolicySource } from '../platform/network/address-guard.ts';
import { counters } from '../platform/telemetry/metrics.ts';
import { inSpan } from '../platform/telemetry/tracing.ts';
import { type ConnectOptions, connect, type Participant } from './connect.ts';
import type { Answer, Connection, ServerIdentity } from './connection.ts';
import type { Wait } from './deadline.ts';
import { Eras, type EraVerdict } from './eras.ts';
import { McpFailure } from './failures.ts';
import { Outbound, type OutboundOptions } from './outbound.ts';
import { Paces } from './pace.ts';
import { Pool, type PoolLimits } from './pool.ts';
import type { Target } from './target.ts';

interface McpOptions {
  policy: PolicySource;
  clientInfo: { name: string; version: string };
  pool: PoolLimits;
  /** What commands are started through. */
  confinement: Confinement;
  outbound?: OutboundOptions;
  now: () => number;
}

/** How long something may take, and when what came of it is no longer needed. */
export interface Visit extends Wait {
  /** Runs the given function when the answer has left; left out, that is when the work is done. */
  afterwards?: (work: () => void) => void;
}

/** Of all answers in one conversation. */
const mostInOne = 64 * 1024 * 1024;
const countedFrom = 64 * 1024;

/** Talking to one server, within one deadline. */
export interface Conversation {
  identity: ServerIdentity;
  ask: (method: string, params?: Record<string, unknown>) => Promise<Answer>;
  /** What the server was told so far and must not be quoted with, tokens included. */
  secrets: () => readonly string[];
}

/** Everything the service knows about talking to MCP servers. */
export class Mcp {
  readonly outbound: Outbound;
  private readonly eras: Eras;
  private readonly pool: Pool;
  private readonly paces = new Paces();
  private readonly options: McpOptions;

  constructor(options: McpOptions) {
    const { policy, pool, outbound, now } = options;
    this.options = options;
    this.outbound = new Outbound(policy, outbound);
    this.eras = new Eras(now);
    this.pool = new Pool(pool, (target, wait) => this.open(target, wait, this.eras.get(target.key)), now);
  }

  /** Loads what the first connection needs, which takes long enough to be noticed by others. */
  async prepare(): Promise<void> {
    await Promise.all([import('@modelcontextprotocol/client'), import('../platform/undici.ts')]);
  }

  get warmConnections(): number {
    return this.pool.size;
  }

  get processes(): number {
    return this.pool.processes;
  }

  /** Over a warm connection where there is one. */
  use<T>(target: Target, visit: Visit, work: (conversation: Conversation) => Promise<T>): Promise<T> {
    const ends = performance.now() + visit.timeout;
    const whole = { allowed: visit.timeout, ...visit };
    return this.pool.use(target, whole, (connection) => this.converse(target, connection, whole, ends, work));
  }

  /** Over a connection of its own, negotiated from the beginning and closed afterwards. */
  once<T>(target: Target, visit: Visit, work: (conversation: Conversation) => Promise<T>): Promise<T> {
    const ends = performance.now() + visit.timeout;
    const whole = { allowed: visit.timeout, ...visit };
    const open = (to: Target, wait: Wait): Promise<Connection> => this.open(to, wait, undefined);
    return this.pool.alone(target, whole, open, (connection) =>
      this.converse(target, connection, whole, ends, work),
    );
  }

  /** A connection for somebody who takes part in the protocol, and closes it. */
  async join(target: Target, wait: Wait, participant: Participant): Promise<Connection> {
    return (await connect(target, this.connectOptions(target, wait, undefined, participant))).connection;
  }

  /** The server was edited, disabled or deleted: what is open to it is not used again. Left out, any of them may be. */
  serverChanged(serverId?: string): void {
    this.pool.retireWhere((target) => serverId === undefined || target.serverId === serverId);
  }

  async close(): Promise<void> {
    await this.pool.close();
    await this.outbound.close();
  }

  /** What the answers weigh is held until they are no longer needed. */
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
      // What is small is not worth counting.
      const more = answer.bytes < countedFrom ? 0 : answer.bytes;
      if (weight + more > mostInOne)
        throw new McpFailure('too-large', 'What the server answered is more than 64 MiB in all');
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

  private open(target: Target, wait: Wait, known: EraVerdict | undefined): Promise<Connection> {
    return traced('connect', target, () => this.negotiate(target, wait, known));
  }

  private async negotiate(target: Target, wait: Wait, known: EraVerdict | undefined): Promise<Connection> {
    const started = performance.now();
    const remaining = (): Wait => ({ ...wait, timeout: left(started + wait.timeout) });
    const attempt = async (verdict: EraVerdict | undefined): Promise<Connection> => {
      const options = this.connectOptions(target, remaining(), verdict);
      const { connection, verdict: learned } = await connect(target, options);
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
    target: Target,
    wait: Wait,
    verdict: EraVerdict | undefined,
    participant?: Participant,
  ): ConnectOptions {
    const { outbound } = this;
    const { clientInfo, confinement } = this.options;
    const pace = this.paces.of(target.owner);
    return { ...wait, outbound, pace, confinement, clientInfo, verdict, ...(participant && { participant }) };
  }
}

/**
 * Counted when it fails, and a span where somebody traces. The server is not told of the trace: it is under test, should
 * do what it does for everybody, and has no business with how the service works inside.
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
