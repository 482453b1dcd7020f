import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from '../../../contract/errors.ts';
import { looksAtWidgets, type SetupAttempt, type SetupFailure } from '../../../evaluation/index.ts';
import { McpFailure } from '../../../mcp/failures.ts';
import * as rows from '../../../platform/database/queries/servers.ts';
import type { TrialServer } from '../../../trials/tools.ts';
import type { Services } from '../../context.ts';
import { UndeliverableSecret } from '../../secrets/bring.ts';
import { declaringWidgets } from '../../server-widgets/support.ts';
import type { PlaceSnapshot } from '../launch/take-snapshot.ts';
import type { RunSnapshot } from '../snapshot.ts';
import { trialPlan } from '../trial-plan.ts';
import { openServer } from './open-server.ts';
import type { RunInProcess } from './run-in-process.ts';

/** What a run's servers came to: all of them with their tools, or why there are none. */
export type Connected = { attempts: SetupAttempt[] } & (
  | { servers: TrialServer[] }
  | { failure: SetupFailure }
);

const waits = [0, 1_000, 3_000];
/** How many runs are kept at hand. */
const mostKept = 32;

interface Entry {
  connected: Promise<Connected>;
  serverIds: ReadonlySet<string>;
  failedAt?: number;
}

/** A run as far as its servers go: of an eval, or of a journey with one target. */
export type ConnectingRun = Pick<
  RunInProcess,
  'id' | 'organizationId' | 'projectId' | 'apiKeys' | 'secrets' | 'secretsIncomplete' | 'secretsKey'
> & { snapshot: PlaceSnapshot | RunSnapshot };

/** The server is not the one that the run was launched with. */
class ServerChanged extends Error {}

/** Connects to the servers of a run and lists their tools, once for all its trials in this process. */
export class RunServers {
  private readonly services: Services;
  private readonly connected = new Map<string, Entry>();

  constructor(services: Services) {
    this.services = services;
  }

  /** Rejects when nobody can say what is wrong, as while the database is away. */
  get(run: ConnectingRun): Promise<Connected> {
    const known = this.connected.get(run.id);
    if (known && (known.failedAt === undefined || performance.now() - known.failedAt < 10_000))
      return known.connected;
    const serverIds = new Set(run.snapshot.servers.map(({ id }) => id));
    const entry: Entry = { connected: this.connect(run), serverIds };
    this.connected.delete(run.id);
    this.connected.set(run.id, entry);
    const [oldest = ''] = this.connected.keys();
    if (this.connected.size > mostKept) this.connected.delete(oldest);
    void this.noteFailure(run.id, entry);
    return entry.connected;
  }

  /** A failure is told to those who come within a few seconds; then it is tried again. */
  private async noteFailure(runId: string, entry: Entry): Promise<void> {
    try {
      if ('failure' in (await entry.connected)) entry.failedAt = performance.now();
    } catch {
      if (this.connected.get(runId) === entry) this.connected.delete(runId);
    }
  }

  /** The run is over, with all its targets; left out, any of them may be. */
  forget(runId?: string): void {
    for (const id of this.connected.keys())
      if (runId === undefined || id === runId || id.startsWith(`${runId} `)) this.connected.delete(id);
  }

  /** The server was edited or deleted: whoever comes next finds out which. Left out, any of them may be. */
  serverChanged(serverId?: string): void {
    for (const [runId, { serverIds }] of this.connected)
      if (serverId === undefined || serverIds.has(serverId)) this.connected.delete(runId);
  }

  private async connect(run: ConnectingRun): Promise<Connected> {
    const attempts: SetupAttempt[] = [];
    const outcomes = await Promise.all(
      run.snapshot.servers.map((server) => this.connectPatiently(run, server, attempts)),
    );
    const servers: TrialServer[] = [];
    for (const outcome of outcomes) {
      if ('phase' in outcome) return { failure: outcome, attempts };
      servers.push(outcome);
    }
    return { servers, attempts };
  }

  /** A server that is being restarted is given a moment. */
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
    // Without it the server would be judged by what it says to somebody it does not know.
    if (run.secretsIncomplete)
      throw new UndeliverableSecret(
        'A secret that the environment grants was deleted, or is no longer shared, after the run was launched',
      );
    const party = { ...run, connection: connectionOf(run, row.settings.clientCapabilities) };
    const opened = await openServer(this.services, party, row, { onConnected: () => setup.connected() });
    return { ...opened, name };
  }
}

/** Servers may name interfaces only to clients that show them; a client of the own says itself what it is. */
function connectionOf(
  { snapshot }: ConnectingRun,
  saved: Record<string, unknown> | undefined,
): PlaceSnapshot['connection'] {
  const { connection } = snapshot;
  const looks =
    'cases' in snapshot && snapshot.cases.some((planned) => looksAtWidgets(trialPlan(planned, snapshot)));
  if (!looks || connection.clientCapabilities) return connection;
  return { ...connection, clientCapabilities: declaringWidgets(saved) };
}

/** How long each phase of one attempt took; an attempt that reached the second one has connected. */
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

/** Anything else is trouble of ours, of which a trial is not told: it is tried again. */
function isAboutServer(error: unknown): error is Error {
  return [McpFailure, UndeliverableSecret, ServerChanged, Refusal].some((kind) => error instanceof kind);
}

/** Trouble that may be over in a moment; not what somebody has to change. */
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
