import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from '../../contract/errors.ts';
import type { SetupAttempt, SetupFailure } from '../../evaluation/index.ts';
import { McpFailure } from '../../mcp/failures.ts';
import * as rows from '../../platform/database/queries/servers.ts';
import type { TrialServer } from '../../trials/tools.ts';
import type { Services } from '../context/context.ts';
import { UndeliverableSecret } from '../secrets/for-server.ts';
import { declaringWidgets } from '../server-widgets/support.ts';
import { openServer, type ServerCaller } from './open-server.ts';
import type { PlaceSnapshot } from './place.ts';

/** Result of connecting a run's servers: all of them with their tools, or the failure. */
export type Connected = { attempts: SetupAttempt[] } & (
  | { servers: TrialServer[] }
  | { failure: SetupFailure }
);

/** Milliseconds to wait before each attempt to connect. */
const waits = [0, 1_000, 3_000];
/** Maximum number of runs whose connections are cached. */
const maxKept = 32;

interface Entry {
  connected: Promise<Connected>;
  serverIds: ReadonlySet<string>;
  failedAt?: number;
}

/** The part of a run its servers depend on: of an eval run, or of one target of a journey run. */
export interface ConnectingRun extends ServerCaller {
  id: string;
  projectId: string;
  /** A secret was deleted after the launch. */
  secretsIncomplete: boolean;
  servers: PlaceSnapshot['servers'];
  /** Whether cases use widgets, which some servers offer only to clients that declare support. */
  showsWidgets: boolean;
}

/** The server was edited since the launch. */
class ServerChanged extends Error {}

/** Connects to the servers of a run and lists their tools, once per process for all its trials. */
export class RunServers {
  private readonly services: Services;
  private readonly connected = new Map<string, Entry>();

  constructor(services: Services) {
    this.services = services;
  }

  /** Rejects on internal errors, such as a database outage; failures of servers are returned. */
  get(run: ConnectingRun): Promise<Connected> {
    const known = this.connected.get(run.id);
    if (known && (known.failedAt === undefined || performance.now() - known.failedAt < 10_000))
      return known.connected;
    const serverIds = new Set(run.servers.map(({ id }) => id));
    const entry: Entry = { connected: this.connect(run), serverIds };
    this.connected.delete(run.id);
    this.connected.set(run.id, entry);
    const [oldest = ''] = this.connected.keys();
    if (this.connected.size > maxKept) this.connected.delete(oldest);
    void this.noteFailure(run.id, entry);
    return entry.connected;
  }

  /** Caches a failure for a few seconds, then connects again. */
  private async noteFailure(runId: string, entry: Entry): Promise<void> {
    try {
      if ('failure' in (await entry.connected)) entry.failedAt = performance.now();
    } catch {
      if (this.connected.get(runId) === entry) this.connected.delete(runId);
    }
  }

  /** Drops the connections of a run with all its targets; without an ID, of all runs. */
  forget(runId?: string): void {
    for (const id of this.connected.keys())
      if (runId === undefined || id === runId || id.startsWith(`${runId} `)) this.connected.delete(id);
  }

  /**
   * Drops cached runs that use an edited or deleted server, so that the next use detects the change; without an ID,
   * all.
   */
  serverChanged(serverId?: string): void {
    for (const [runId, { serverIds }] of this.connected)
      if (serverId === undefined || serverIds.has(serverId)) this.connected.delete(runId);
  }

  private async connect(run: ConnectingRun): Promise<Connected> {
    const attempts: SetupAttempt[] = [];
    const outcomes = await Promise.all(
      run.servers.map((server) => this.connectPatiently(run, server, attempts)),
    );
    const servers: TrialServer[] = [];
    for (const outcome of outcomes) {
      if ('phase' in outcome) return { failure: outcome, attempts };
      servers.push(outcome);
    }
    return { servers, attempts };
  }

  /** Retries, since the server may be restarting. */
  private async connectPatiently(
    run: ConnectingRun,
    server: { id: string; name: string; revision: number },
    attempts: SetupAttempt[],
  ): Promise<TrialServer | SetupFailure> {
    let failure: SetupFailure = { phase: 'connection', attributed: 'unknown' };
    for (const [nth, wait] of waits.entries()) {
      if (wait > 0) await delay(wait);
      const setup = new Setup(`${server.id} ${nth}`, attempts);
      try {
        const connected = await this.connectOnce(run, server, setup);
        setup.ended();
        return connected;
      } catch (error) {
        if (!isAboutServer(error)) throw error;
        const attributed = error instanceof McpFailure && error.kind !== 'busy' ? 'server' : 'ours';
        setup.ended(attributed);
        const message = `${server.name}: ${error.message}`.slice(0, 500);
        failure = { phase: setup.phase, attributed, message };
        if (!worthRepeating(error)) break;
      }
    }
    return failure;
  }

  private async connectOnce(
    run: ConnectingRun,
    { id, name, revision }: { id: string; name: string; revision: number },
    setup: Setup,
  ): Promise<TrialServer> {
    const { db } = this.services;
    const row = await db.row(rows.findLive, { projectId: run.projectId, id });
    if (!row) throw new ServerChanged('The server was deleted after the run was launched');
    if (row.revision !== revision)
      throw new ServerChanged('The server was edited after the run was launched');
    // Without the secret, the run would measure the server's responses to an unknown user.
    if (run.secretsIncomplete)
      throw new UndeliverableSecret(
        'A secret that the environment grants was deleted, or is no longer shared, after the run was launched',
      );
    const caller = { ...run, connection: connectionOf(run, row.settings.clientCapabilities) };
    const opened = await openServer(this.services, caller, row, { onConnected: () => setup.connected() });
    return { ...opened, name };
  }
}

/** Declares widget support for runs that use widgets, unless the client declares its own capabilities. */
function connectionOf(
  { connection, showsWidgets }: ConnectingRun,
  saved: Record<string, unknown> | undefined,
): PlaceSnapshot['connection'] {
  if (!showsWidgets || connection.clientCapabilities) return connection;
  return { ...connection, clientCapabilities: declaringWidgets(saved) };
}

/** Times the phases of one attempt; one that reached the second phase has connected. */
class Setup {
  phase: SetupFailure['phase'] = 'connection';
  private since = performance.now();
  private readonly attemptId: string;
  private readonly attempts: SetupAttempt[];

  constructor(attemptId: string, attempts: SetupAttempt[]) {
    this.attemptId = attemptId;
    this.attempts = attempts;
  }

  connected(): void {
    this.ended();
    this.phase = 'discovery';
    this.since = performance.now();
  }

  ended(failure?: SetupFailure['attributed']): void {
    const { attemptId, phase } = this;
    this.attempts.push({ attemptId, phase, failure, ms: Math.round(performance.now() - this.since) });
  }
}

/** Whether the error is a failure of the setup. Any other error is internal: the trial is retried. */
function isAboutServer(error: unknown): error is Error {
  return [McpFailure, UndeliverableSecret, ServerChanged, Refusal].some((kind) => error instanceof kind);
}

/** Whether the failure may be transient, so that another attempt makes sense. */
function worthRepeating(error: Error): boolean {
  if (!(error instanceof McpFailure)) return false;
  return [
    'refused',
    'reset',
    'network',
    'closed',
    'timeout',
    'busy',
    'rate-limited',
    'status',
    'session',
  ].includes(error.kind);
}
