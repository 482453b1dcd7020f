import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Services } from './domain/context.ts';
import { housekeeping } from './domain/housekeeping.ts';
import { bootstrap } from './domain/identity/bootstrap.ts';
import { LastUse } from './domain/identity/last-use.ts';
import { RateLimiter } from './domain/limits/rate-limiter.ts';
import { Grants } from './domain/live/grants.ts';
import { projectJobs } from './domain/projects/remove-content.ts';
import { connectionJobs } from './domain/server-connections/advance.ts';
import { Mcp } from './mcp/mcp.ts';
import type { OutboundOptions } from './mcp/outbound.ts';
import { loadModelCatalog } from './models/catalog.ts';
import { FileBlobStore } from './platform/blobs/store.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { addressPolicy, stdioAllowed } from './platform/config/load.ts';
import { type Config, settings } from './platform/config/settings.ts';
import { type ConnectedDatabase, connectDatabase } from './platform/database/connect.ts';
import { Notifications } from './platform/database/notifications.ts';
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
import { createHealthServer, type HealthOptions } from './surfaces/http/health.ts';
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
    const mcp = createMcp(config, options.outbound);
    const notifications = new Notifications({ dial: connected.dial, log });
    return {
      db,
      notifications,
      vault,
      mcp,
      grants: new Grants({ db, vault, mcp, clock, log }),
      cursors: new Cursors(vault.derive('cursors')),
      blobs: new FileBlobStore(blobsFolder(config)),
      models,
      config,
      clock,
      log,
      connected,
      close: async () => {
        await notifications.stop();
        await mcp.close();
        await connected.close();
      },
    };
  } catch (error) {
    await connected.close();
    throw error;
  }
}

function createMcp(config: Config, outbound: OutboundOptions = {}): Mcp {
  return new Mcp({
    policy: addressPolicy(config),
    clientInfo: { name: 'drydock', version },
    outbound,
    pool: {
      connections: config.warmConnections,
      processes: config.warmProcesses,
      idle: config.warmSeconds * 1000,
      checkAfter: 10_000,
    },
    // Idleness is measured on a clock that cannot be set.
    now: () => performance.now(),
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

export interface RunningService {
  /** Where clients send requests: the origin and `/api/v1`. */
  baseUrl: string;
  docsUrl: string;
  /** On the first boot only. */
  firstKey: string | undefined;
  /** Path of the demo server, when it was saved just now. */
  demoServer: string | undefined;
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
  const services = await openServices(config, { ...options, exclusive: true });
  const { db, log, clock, connected } = services;
  const limiter = config.rateLimit && new RateLimiter(config.rateLimit, clock, db);
  const polls = config.rateLimit && new RateLimiter(pollRate, clock, db);
  const lastUse = new LastUse(db, clock, log);
  const worker = (options.worker ?? true) ? createWorker(services) : undefined;
  let draining = false;
  const app = createHttpServer({
    services,
    log,
    charge: (keyId, budget) => (budget === 'polls' ? polls : limiter)?.charge(keyId),
    used: (keyId) => lastUse.note(keyId),
    ...health(services, worker, () => draining),
    bodyLimit: config.bodyLimit,
    checkResponses: options.checkResponses ?? false,
  });

  const stop = async (): Promise<void> => {
    draining = true;
    // Both at once: whatever requests still wait for, no further job is begun here.
    await Promise.all([app.close(), worker?.stop((config.shutdownTimeout * 1000) / 2)]);
    await lastUse.flush();
    await limiter?.leave();
    await services.close();
  };

  try {
    // An embedded database serves one service, so only a shared one can have other replicas.
    if (!connected.embedded) await limiter?.join();
    await services.notifications.start();
    await worker?.start();
    const address = await listen(app, config.host, config.port, settings.port.env);
    const origin = config.publicUrl?.replace(/\/+$/, '') ?? address;
    // Last, so that the key is not made and lost when anything before it fails.
    const demo = connected.embedded && stdioAllowed(config) ? options.demo : undefined;
    const first = await bootstrap(db, { key: config.bootstrapKey, demo });
    return {
      baseUrl: `${origin}${basePath}`,
      docsUrl: `${origin}/docs`,
      firstKey: first?.key,
      demoServer: first?.demoServer,
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
export async function startWorker(
  config: Config,
): Promise<{ healthUrl: string | undefined; stop(): Promise<void> }> {
  const services = await openServices(config, { exclusive: false });
  const worker = createWorker(services);
  let draining = false;
  const app = createHealthServer(health(services, worker, () => draining));
  const stop = async (): Promise<void> => {
    draining = true;
    await worker.stop((config.shutdownTimeout * 1000) / 2);
    await app.close();
    await services.close();
  };
  try {
    const { host, workerPort: port } = config;
    const healthUrl = port === undefined ? undefined : await listen(app, host, port, settings.workerPort.env);
    await services.notifications.start();
    await worker.start();
    return { healthUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function createWorker(services: OpenServices): Worker {
  const { db, log, notifications } = services;
  return new Worker({
    db,
    notifications,
    log,
    kinds: [...housekeeping(services), ...projectJobs(services), ...connectionJobs(services)],
  });
}

function health(
  { connected, mcp }: OpenServices,
  worker: Worker | undefined,
  draining: () => boolean,
): HealthOptions {
  const { database } = connected;
  const { pool } = database;
  const gauges = () => ({
    database: { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount },
    mcpConnections: mcp.warmConnections,
  });
  return { draining, probe: () => database.ping(), metrics: new Metrics(gauges, worker) };
}

/** The address it listens on. `variable` is where the port was set. */
async function listen(app: FastifyInstance, host: string, port: number, variable: string): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const where = `${host}:${port}`;
    if (code === 'EADDRINUSE')
      throw new OperatorProblem(
        `Port ${port} is taken on ${host}. Set ${variable} to another one, or to 0 for any`,
      );
    if (code === 'EACCES')
      throw new OperatorProblem(`Not allowed to listen on ${where}. Ports below 1024 need root`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new OperatorProblem(`${host} is not an address of this machine. Set DRYDOCK_HOST`);
    throw new OperatorProblem(`Cannot listen on ${where}: ${message}`);
  }
  const address = app.server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  const reachable = /^(0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${taken}`;
}
