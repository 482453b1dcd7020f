import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { LocalToken } from './domain/identity/local-token.ts';
import { loadConfig } from './platform/config/load.ts';
import type { Config } from './platform/config/settings.ts';
import { withTimeout } from './platform/flow/deadline.ts';
import { announceService, withdrawService } from './platform/local-service.ts';
import { createLog } from './platform/log.ts';
import { OperatorProblem } from './platform/problem.ts';
import { type ServeOptions, type StartReport, startService } from './service.ts';
import { growHeapSlowly } from './surfaces/cli/commands/serve.ts';

/** Sent by a member that has loaded its program: `cluster` drops messages that arrive earlier. */
const loadedMessage = 'loaded';

/** The reply to it. */
interface Start {
  token: string;
  worker: boolean;
  /** Port of its health checks and metrics, because any member answers requests to the shared port. */
  healthPort: number | undefined;
}

/** Sent to a member to end it. */
const stopMessage = 'stop';

/** Sent by a member once it serves, or cannot. */
type Outcome = { ready: StartReport } | { failed: string; exitCode: number };

/** Milliseconds before a member that ended is replaced: after the first time, and at most. */
const restartPause = { first: 1_000, most: 30_000 };
/** Milliseconds of service after which the pause is the first one again. */
const provenAfter = 60_000;

/**
 * Serves with several processes, which share the port, the data directory and the database, like replicas. This process
 * serves nothing: it holds the embedded database, starts the members, replaces those that end, and stops them. `args`
 * are the arguments of a member.
 */
export async function startProcesses(
  config: Config,
  { worker = true, begun }: Pick<ServeOptions, 'worker' | 'begun'>,
  args: string[],
): Promise<StartReport & { stop(): Promise<void> }> {
  await begun?.join();
  cluster.setupPrimary({ args });
  const { value: token } = new LocalToken();
  const { workerPort } = config;
  const members = new Members(config, (index) => ({
    token,
    worker,
    healthPort: workerPort && workerPort + index,
  }));
  const stop = async (): Promise<void> => {
    if (begun) withdrawService(config.dataDir);
    await members.stop();
    await begun?.close();
  };
  try {
    // The first one migrates the database and creates the first API key.
    const report = await members.start(0);
    await Promise.all(Array.from({ length: config.processes - 1 }, (_, n) => members.start(n + 1)));
    if (begun) await announceService(config.dataDir, { url: report.localUrl, token });
    return { ...report, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

class Members {
  private readonly config: Config;
  private readonly startOf: (index: number) => Start;
  private readonly running = new Map<Worker, Promise<string>>();
  private readonly restarts = new Set<NodeJS.Timeout>();
  private stopping = false;

  constructor(config: Config, startOf: (index: number) => Start) {
    this.config = config;
    this.startOf = startOf;
  }

  /** Resolves when the member serves. */
  async start(index: number, failures = 0): Promise<StartReport> {
    const member = cluster.fork();
    const ended = new Promise<string>((resolve) => {
      member.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
      member.on('error', (error) => resolve(error.message));
    });
    this.running.set(member, ended);
    void ended.then(() => this.running.delete(member));
    const reported = new Promise<Outcome>((resolve) => {
      member.once('message', () => {
        member.once('message', resolve);
        member.send(this.startOf(index));
      });
    });
    const outcome = await Promise.race([reported, ended]);
    if (typeof outcome === 'string')
      throw new OperatorProblem(`A process of the service ended while it started (${outcome})`);
    if ('failed' in outcome) throw new OperatorProblem(outcome.failed, { exitCode: outcome.exitCode });
    void this.watch(index, ended, failures);
    return outcome.ready;
  }

  private async watch(index: number, ended: Promise<string>, failures: number): Promise<void> {
    const startedAt = performance.now();
    const reason = await ended;
    const proven = performance.now() - startedAt > provenAfter;
    this.replace(index, reason, proven ? 0 : failures);
  }

  private replace(index: number, reason: string, failures: number): void {
    if (this.stopping) return;
    const pause = Math.min(restartPause.first * 2 ** failures, restartPause.most);
    createLog(this.config.logLevel).error('A process of the service ended; starting another', {
      process: index,
      reason,
      pause,
    });
    const timer = setTimeout(() => {
      this.restarts.delete(timer);
      this.start(index, failures + 1).catch((error: Error) =>
        this.replace(index, error.message, failures + 1),
      );
    }, pause);
    this.restarts.add(timer);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    for (const timer of this.restarts) clearTimeout(timer);
    // Longer than the limit of the member itself.
    const limit = shutdownLimit(this.config) + 1_000;
    const ends = [...this.running].map(([member, ended]) => {
      if (member.isConnected()) member.send(stopMessage);
      return withTimeout(limit, ended, () => member.process.kill('SIGKILL'));
    });
    await Promise.all(ends);
  }
}

/** A process that `startProcesses` has started. */
export async function runMember(demo: ServeOptions['demo']): Promise<void> {
  process.send?.(loadedMessage);
  const [{ token, worker, healthPort }] = (await once(process, 'message')) as [Start];
  const { config } = loadConfig();
  const starting = startService(config, { worker, ...(demo && { demo }), member: { token, healthPort } });
  let ending = false;
  const end = (): void => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), shutdownLimit(config)).unref();
    starting
      .then((service) => service.stop())
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  };
  // Without the supervisor, a member completes its requests, although nothing replaces it.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  process.on('message', (message) => message === stopMessage && end());
  process.once('disconnect', end).once('SIGTERM', end);
  // Ctrl-C in a terminal reaches all processes; the supervisor ends its members.
  process.on('SIGINT', () => {});
  try {
    const { address, localUrl, baseUrl, docsUrl, consoleUrl, ...others } = await starting;
    const { firstKey, firstKeyGenerated, demoServer, warning } = others;
    growHeapSlowly();
    const told = { firstKey, firstKeyGenerated, demoServer, warning };
    process.send?.({ ready: { address, localUrl, baseUrl, docsUrl, consoleUrl, ...told } });
  } catch (error) {
    const known = error instanceof OperatorProblem;
    const text = known || !(error instanceof Error) ? String(error) : (error.stack ?? error.message);
    const failure: Outcome = { failed: known ? error.message : text, exitCode: known ? error.exitCode : 1 };
    process.send?.(failure, () => process.exit(1));
  }
}

/** Milliseconds after which a member that was told to end exits with its work unfinished. */
function shutdownLimit({ shutdownNotice, shutdownTimeout }: Config): number {
  return (shutdownNotice + shutdownTimeout) * 1000;
}
