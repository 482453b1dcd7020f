import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Services } from './domain/context.ts';
import { housekeeping } from './domain/housekeeping.ts';
import { bootstrap } from './domain/identity/bootstrap.ts';
import { LastUse } from './domain/identity/last-use.ts';
import { Entrance } from './domain/invoke.ts';
import { RateLimiter } from './domain/limits/rate-limiter.ts';
import { Grants } from './domain/live/grants.ts';
import { connectionJobs } from './domain/server-connections/advance.ts';
import { Trust } from './domain/trust.ts';
import { Mcp } from './mcp/mcp.ts';
import type { OutboundOptions } from './mcp/outbound.ts';
import { loadModelCatalog } from './models/catalog.ts';
import { type Account, commandAccount, runsAsRoot } from './platform/accounts.ts';
import { FileBlobStore } from './platform/blobs/store.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { listensOnLoopback } from './platform/config/load.ts';
import type { Config } from './platform/config/settings.ts';
import { type ConnectedDatabase, connectDatabase } from './platform/database/connect.ts';
import { Notifications } from './platform/database/notifications.ts';
import type { Timeouts } from './platform/database/timeouts.ts';
import { Worker } from './platform/jobs/worker.ts';
import { createLog, type Log } from './platform/log.ts';
import { OperatorProblem } from './platform/problem.ts';
import { Cursors } from './platform/secrets/cursors.ts';
import {
  createKeyFile,
  keysFromEnvironment,
  keysFromFile,
  masterKeyPath,
} from './platform/secrets/master-key.ts';
import { Vault } from './platform/secrets/vault.ts';
import { version } from './platform/version.ts';
import { Metrics } from './surfaces/http/metrics.ts';
import { basePath, createHttpServer } from './surfaces/http/server.ts';

export interface OpenServices extends Services {
  connected: ConnectedDatabase;
  close(): Promise<void>;
}

interface OpenOptions {
  /** Whether this process wants an embedded database for itself. */
  exclusive: boolean;
  log?: Log;
  clock?: Clock;
  /** How names are resolved, and how much is read, when not as usual. */
  outbound?: OutboundOptions;
  /** How long the database may take, when not as long as usual. */
  timeouts?: Timeouts;
  /** Whom commands run as, when not as this process. */
  commandUser?: Account | undefined;
}

/** Everything below the surfaces, put together. */
export async function openServices(config: Config, options: OpenOptions): Promise<OpenServices> {
  const log = options.log ?? createLog(config.logLevel);
  const models = loadModelCatalog(config.modelsFile);
  const connected = await connectDatabase(config, options, log);
  try {
    const vault = await openVault(config, connected);
    const clock = options.clock ?? systemClock;
    const db = connected.database;
    const trust = new Trust(config, db, monotonic);
    const mcp = createMcp(config, trust, options);
    const notifications = new Notifications(connected.dial, log);
    notifications.on('drydock_servers', (serverId) => mcp.serverChanged(serverId));
    return {
      db,
      vault,
      mcp,
      trust,
      grants: new Grants({ db, vault, mcp, clock, log }),
      cursors: new Cursors(vault.derive('cursors')),
      blobs: new FileBlobStore(blobsFolder(config)),
      models,
      notifications,
      config,
      clock,
      log,
      connected,
      close: async () => {
        await mcp.close();
        await notifications.stop();
        await connected.close();
      },
    };
  } catch (error) {
    await connected.close();
    throw error;
  }
}

/** A clock that cannot be set. */
const monotonic = (): number => performance.now();

function createMcp(config: Config, trust: Trust, { outbound = {}, commandUser }: OpenOptions): Mcp {
  return new Mcp({
    policy: () => trust.addressPolicy(),
    commandUser,
    clientInfo: { name: 'drydock', version },
    outbound,
    pool: {
      connections: config.warmConnections,
      processes: config.warmProcesses,
      idle: config.warmSeconds * 1000,
      checkAfter: 10_000,
    },
    now: monotonic,
  });
}

async function openVault(config: Config, { database }: ConnectedDatabase): Promise<Vault> {
  const path = masterKeyPath(config.dataDir);
  if (config.masterKey === undefined && !(await Vault.inUse(database))) await createKeyFile(path);
  const vault = new Vault(
    config.masterKey === undefined ? keysFromFile(path) : keysFromEnvironment(config.masterKey),
  );
  await vault.attach(database);
  return vault;
}

export function blobsFolder(config: Config): string {
  return config.blobsUrl === undefined ? join(config.dataDir, 'blobs') : fileURLToPath(config.blobsUrl);
}

/** For reads that wait for something; counted in each process by itself. */
const pollRate = { perMinute: 240, burst: 240 };

const commandsRunAsRoot =
  'Commands of stdio servers run as root. Set DRYDOCK_COMMAND_USER to a user that may do less';

export interface RunningService {
  /** Where clients send requests: the origin and `/api/v1`. */
  baseUrl: string;
  docsUrl: string;
  /** On the first boot only. */
  firstKey: string | undefined;
  /** Path of the demo server, when it was saved just now. */
  demoServer: string | undefined;
  /** What the operator should know before going on. */
  warning: string | undefined;
  services: Services;
  /** Writes down at once when keys were last used. */
  flushLastUse(): Promise<void>;
  /** Exchanges rate limits with the other replicas at once. */
  meetReplicas(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServeOptions extends Omit<OpenOptions, 'exclusive'> {
  worker?: boolean;
  /** How to run the demo server, which an embedded database gets on its first boot. */
  demo?: { command: string; args: string[] };
  checkResponses?: boolean;
}

export async function startService(config: Config, options: ServeOptions = {}): Promise<RunningService> {
  const commandUser = commandAccount(config.commandUser);
  const services = await openServices(config, { ...options, commandUser, exclusive: true });
  const { db, log, clock, connected, trust } = services;
  const limiter = config.rateLimit && new RateLimiter(config.rateLimit, clock, db);
  const polls = config.rateLimit && new RateLimiter(pollRate, clock, db);
  const lastUse = new LastUse(db, clock, log);
  const worker = createWorker(services);
  const { pool } = connected.database;
  let started = false;
  let draining = false;
  const entrance = new Entrance({
    services,
    charge: (keyId, budget) => (budget === 'polls' ? polls : limiter)?.charge(keyId),
    used: (keyId) => lastUse.note(keyId),
  });
  const app = createHttpServer({
    entrance,
    log,
    publicUrl: config.publicUrl,
    shutdownTimeout: config.shutdownTimeout * 1000,
    metrics: new Metrics(() => ({
      database: { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount },
      mcpConnections: services.mcp.warmConnections,
    })),
    bodyLimit: config.bodyLimit,
    checkResponses: options.checkResponses ?? false,
    started: () => started,
    draining: () => draining,
    probe: () => connected.database.ping(),
  });

  const stop = async (): Promise<void> => {
    draining = true;
    await app.close();
    await worker.stop((config.shutdownTimeout * 1000) / 2);
    await lastUse.flush();
    await limiter?.leave();
    await services.close();
  };

  try {
    // An embedded database serves one service, so only a shared one can have other replicas.
    if (!connected.embedded) await limiter?.join();
    await services.notifications.start();
    if (options.worker ?? true) await worker.start();
    const origin = await listen(app, config);
    // Last, so that the key is not made and lost when anything before it fails.
    const commands = (await trust.commandsRefused()) === undefined;
    const demo = connected.embedded && commands ? options.demo : undefined;
    const first = await bootstrap(db, { key: config.bootstrapKey, demo });
    started = true;
    const warning = commands && runsAsRoot() && !commandUser ? commandsRunAsRoot : undefined;
    if (warning !== undefined) log.warn(warning);
    return {
      baseUrl: `${origin}${basePath}`,
      docsUrl: `${origin}/docs`,
      firstKey: first?.key,
      demoServer: first?.demoServer,
      warning,
      services,
      flushLastUse: () => lastUse.flush(),
      meetReplicas: async () => limiter?.meet(),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Background jobs only; requests are served by other processes. */
export async function startWorker(config: Config): Promise<{ stop(): Promise<void> }> {
  const commandUser = commandAccount(config.commandUser);
  const services = await openServices(config, { exclusive: false, commandUser });
  const worker = createWorker(services);
  await worker.start();
  return {
    stop: async () => {
      await worker.stop((config.shutdownTimeout * 1000) / 2);
      await services.close();
    },
  };
}

function createWorker(services: OpenServices): Worker {
  const { db, log, connected } = services;
  return new Worker({
    db,
    dial: connected.dial,
    log,
    kinds: [...housekeeping(services), ...connectionJobs(services)],
  });
}

async function listen(app: FastifyInstance, config: Config): Promise<string> {
  try {
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const where = `${config.host}:${config.port}`;
    if (code === 'EADDRINUSE')
      throw new OperatorProblem(
        `Port ${config.port} is taken on ${config.host}. Set DRYDOCK_PORT to another one, or to 0 for any`,
      );
    if (code === 'EACCES')
      throw new OperatorProblem(`Not allowed to listen on ${where}. Ports below 1024 need root`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new OperatorProblem(`${config.host} is not an address of this machine. Set DRYDOCK_HOST`);
    throw new OperatorProblem(`Cannot listen on ${where}: ${message}`);
  }
  if (config.publicUrl !== undefined) return config.publicUrl.replace(/\/+$/, '');
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  const host =
    listensOnLoopback(config) || !/^(0\.0\.0\.0|::)$/.test(config.host) ? config.host : '127.0.0.1';
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
