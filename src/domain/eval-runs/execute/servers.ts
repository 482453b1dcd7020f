import { setTimeout as delay } from 'node:timers/promises';
import type { DeclaredTool, SetupAttempt, SetupFailure } from '../../../evaluation/index.ts';
import { McpFailure } from '../../../mcp/failures.ts';
import type { Target } from '../../../mcp/target.ts';
import * as rows from '../../../platform/database/queries/servers.ts';
import type { CallOutcome, TrialServer } from '../../../trials/tools.ts';
import type { Services } from '../../context.ts';
import { drain } from '../../live/drain.ts';
import { type Brought, targetOf } from '../../live/reach.ts';
import { broughtTo, UndeliverableSecret } from '../../secrets/bring.ts';
import { openSecrets } from '../../servers/secrets.ts';
import { hiding } from './hide.ts';
import type { RunInProcess } from './run-in-process.ts';

/** What a run's servers came to: all of them with their tools, or why there are none. */
export type Connected = { attempts: SetupAttempt[] } & (
  | { servers: TrialServer[] }
  | { failure: SetupFailure }
);

const callTimeout = 30_000;
const waits = [0, 1_000, 3_000];

/** Connects to the servers of a run and lists their tools, once for all its trials in this process. */
export class RunServers {
  private readonly services: Services;
  private readonly connected = new Map<string, { connected: Promise<Connected>; failedAt?: number }>();

  constructor(services: Services) {
    this.services = services;
  }

  get(run: RunInProcess): Promise<Connected> {
    const known = this.connected.get(run.id);
    if (known && (known.failedAt === undefined || performance.now() - known.failedAt < 10_000))
      return known.connected;
    const entry: { connected: Promise<Connected>; failedAt?: number } = { connected: this.connect(run) };
    this.connected.set(run.id, entry);
    void this.noteFailure(run.id, entry);
    return entry.connected;
  }

  /** A failure is told to those who come within a few seconds; then it is tried again. */
  private async noteFailure(
    runId: string,
    entry: { connected: Promise<Connected>; failedAt?: number },
  ): Promise<void> {
    try {
      if ('failure' in (await entry.connected)) entry.failedAt = performance.now();
    } catch {
      this.connected.delete(runId);
    }
  }

  forget(runId: string): void {
    this.connected.delete(runId);
  }

  private async connect(run: RunInProcess): Promise<Connected> {
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
    run: RunInProcess,
    server: { id: string; name: string; revision: number },
    attempts: SetupAttempt[],
  ): Promise<TrialServer | SetupFailure> {
    let failure: SetupFailure = { phase: 'connection', attributed: 'unknown' };
    for (const [nth, wait] of waits.entries()) {
      if (wait > 0) await delay(wait);
      const began = performance.now();
      const phase: { name: SetupFailure['phase'] } = { name: 'connection' };
      const note = (failed?: SetupFailure['attributed']): void => {
        const ms = Math.round(performance.now() - began);
        attempts.push({ attemptId: `${server.id} ${nth}`, phase: phase.name, failure: failed, ms });
      };
      try {
        const connected = await this.connectOnce(run, server, phase);
        note();
        return connected;
      } catch (error) {
        const attributed = error instanceof McpFailure && error.kind !== 'busy' ? 'server' : 'ours';
        note(attributed);
        const said = error instanceof Error ? error.message : String(error);
        failure = { phase: phase.name, attributed, message: `${server.name}: ${said}`.slice(0, 500) };
        if (!worthRepeating(error)) break;
      }
    }
    return failure;
  }

  private async connectOnce(
    run: RunInProcess,
    { id, name, revision }: { id: string; name: string; revision: number },
    phase: { name: SetupFailure['phase'] },
  ): Promise<TrialServer> {
    const { db, mcp } = this.services;
    const row = await db.row(rows.findLive, { projectId: run.projectId, id });
    if (!row) throw new Error('The server was deleted after the run was launched');
    if (row.revision !== revision) throw new Error('The server was edited after the run was launched');
    const { connection } = run.snapshot;
    const given = broughtTo(row, run.secrets);
    const brought: Brought = {
      key: run.secretsKey,
      headers: { ...connection.headers, ...given.headers },
      env: given.env,
    };
    const options = {
      clientInfo: connection.clientInfo,
      clientCapabilities: connection.clientCapabilities,
      mcpProtocolVersion: connection.protocolVersion,
      supportedProtocolVersions: connection.supportedVersions,
    };
    const target = targetOf(this.services, run.organizationId, row, options, brought);
    const timeout = row.settings.timeout ?? callTimeout;
    const own = await openSecrets(this.services, db, row);
    const hide = hiding([
      ...Object.values(own.headers ?? {}),
      ...Object.values(own.env ?? {}),
      ...(own.clientSecret === undefined ? [] : [own.clientSecret]),
      ...run.secrets.map(({ value }) => value),
      ...Object.values(run.apiKeys).filter((key) => key !== undefined),
    ]);
    const tools = await mcp.use(target, { timeout }, async (conversation) => {
      phase.name = 'discovery';
      return (await drain(conversation, 'tools'))?.items ?? [];
    });
    const declared = (await hide(tools)).map(
      (tool) => ({ ...tool, serverId: id }) as unknown as DeclaredTool,
    );
    return {
      id,
      name,
      tools: declared.filter((tool) => typeof tool.name === 'string' && tool.name !== ''),
      call: (toolName, input, signal) => this.call(target, timeout, toolName, input, signal, hide),
    };
  }

  private async call(
    target: Target,
    timeout: number,
    name: string,
    input: Record<string, unknown>,
    signal: AbortSignal,
    hide: ReturnType<typeof hiding>,
  ): Promise<CallOutcome> {
    try {
      return await this.services.mcp.use(target, { timeout, signal }, async ({ ask }) => {
        const { result, bytes } = await ask('tools/call', { name, arguments: input });
        return { result: await hide(result), bytes };
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof McpFailure)) throw error;
      const { kind, facts, message } = error;
      const code = facts.rpc?.code;
      return {
        failure: {
          message: facts.rpc?.message ?? message,
          ...(code !== undefined && { code }),
          attributed: kind === 'busy' ? 'ours' : 'server',
        },
      };
    }
  }
}

/** Trouble that may be over in a moment; not what somebody has to change. */
function worthRepeating(error: unknown): boolean {
  if (error instanceof UndeliverableSecret || !(error instanceof McpFailure)) return false;
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
