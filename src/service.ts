import { setTimeout as delay } from 'node:timers/promises';
import { configuredOrigin, type Services } from './domain/context/context.ts';
import { bootstrap } from './domain/first-boot/bootstrap.ts';
import { LastUse } from './domain/identity/last-use.ts';
import { LocalToken } from './domain/identity/local-token.ts';
import { Entrance } from './domain/invoke.ts';
import { RateLimiter } from './domain/limits/rate-limiter.ts';
import { addressOfLink } from './domain/people/links.ts';
import { listen, listenForReplicas } from './listening.ts';
import { runsAsRoot } from './platform/accounts.ts';
import { Certificate } from './platform/certificate.ts';
import { type Config, settings } from './platform/config/settings.ts';
import { loadSheddingForProcess } from './platform/load-shedder.ts';
import { announceService, withdrawService } from './platform/local-service.ts';
import { createLog } from './platform/log.ts';
import { Presence } from './platform/presence.ts';
import { startTelemetry } from './platform/telemetry/start.ts';
import {
  backgroundServices,
  type OpenOptions,
  type OpenServices,
  openService,
  openServices,
} from './services.ts';
import { createHealthServer, type HealthOptions } from './surfaces/http/health.ts';
import { Metrics } from './surfaces/http/metrics.ts';
import { basePath, createHttpServer } from './surfaces/http/server.ts';
import { Workers } from './workers.ts';

/** Milliseconds after the start at which the MCP libraries are loaded. */
const preloadDelay = 200;

/** Limit for reads that wait for a change. Each process counts its own. */
const pollRate = { perMinute: 240, burst: 240 };
/** Limit for each guest token of the directory. */
const guestRate = { perMinute: 60, burst: 60 };
/** Limit for each visitor of a study, whose page sends few requests, and for each address that several share. */
const visitRate = { perMinute: 240, burst: 120 };

const commandsRunAsRoot =
  'Commands of stdio servers run as root (DRYDOCK_COMMAND_USER). Remove the setting, or name an unprivileged user';

const mailNeedsPublicUrl =
  'Mail with links is refused: DRYDOCK_SMTP_URL is set, and DRYDOCK_PUBLIC_URL, which links begin with, is not';

/** Printed for the operator after a start. */
export interface StartReport {
  /** Where the service listens. */
  address: string;
  /** Where this machine reaches the service. */
  localUrl: string;
  /** Where clients send requests: the origin and `/api/v1`. */
  baseUrl: string;
  docsUrl: string;
  /** On the first boot a link that signs the owner in. */
  consoleUrl: string;
  /** The key that the first boot created. */
  firstKey: string | undefined;
  /** Whether `firstKey` is generated; a key from the configuration is never printed. */
  firstKeyGenerated: boolean;
  /** Path of the demo server, if this start saved it. */
  demoServer: string | undefined;
  /** A warning to show to the operator. */
  warning: string | undefined;
}

export interface RunningService extends StartReport {
  services: Services;
  /** Stores the times of last use of keys now. */
  flushLastUse(): Promise<void>;
  /** Exchanges rate limits with the other replicas at once. */
  meetReplicas(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServeOptions extends Omit<OpenOptions, 'exclusive'> {
  worker?: boolean;
  /** Set if this is one of several processes that share the port and the data directory (`processes.ts`). */
  member?: {
    /** The local token of all of them. */
    token: string;
    /** Port of the health checks and metrics of this process. */
    healthPort: number | undefined;
  };
  /** How to run the demo server, which an embedded database gets on its first boot. */
  demo?: { command: string; args: string[] };
  checkResponses?: boolean;
}

/**
 * How the parts are put together: the services that every verb works with (`services.ts`), the entrance through which
 * each surface reaches the verbs, the HTTP server, and the background work (`workers.ts`).
 */
export async function startService(config: Config, options: ServeOptions = {}): Promise<RunningService> {
  const log = options.log ?? createLog(config.logLevel);
  const { member } = options;
  const opening = openService(config, { ...options, log, exclusive: member === undefined });
  let late: { services: OpenServices; entrance: Entrance; workers: Workers | undefined } | undefined;
  const required = () => {
    if (!late) throw new Error('the services are not open yet');
    return late;
  };
  let started = false;
  let draining = false;
  const healthy: HealthOptions = {
    started: () => started,
    draining: () => draining,
    probe: () => required().services.connected.database.ping(),
    metrics: new Metrics(
      () => gaugesOf(required().services),
      () => late?.workers,
    ),
  };
  // Made while the database starts.
  const { certificate, telemetry, app } = await orClose(opening, async () => {
    const tls = Certificate.open(config, log);
    // Before the server, which registers hooks only if telemetry is on.
    const exporting = await startTelemetry(process.env, log, () => healthy.metrics.families());
    const server = createHttpServer({
      entrance: () => required().entrance,
      tunnels: () => required().services.tunnels,
      certificate: tls,
      secure: config.publicUrl?.startsWith('https:') ?? tls !== undefined,
      loadShedder: loadSheddingForProcess(config.maxRequests),
      log,
      publicUrl: config.publicUrl,
      trustedProxies: config.trustedProxies,
      host: config.host,
      shutdownTimeout: config.shutdownTimeout * 1000,
      ...healthy,
      bodyLimit: config.bodyLimit,
      checkResponses: options.checkResponses ?? false,
    });
    await server.ready();
    return { certificate: tls, telemetry: exporting, app: server };
  });
  const services = await opening.catch(async (error: unknown) => {
    certificate?.close();
    await telemetry?.stop();
    throw error;
  });
  const { db, clock, connected, trust } = services;
  const presence = new Presence(db, 'service');
  const limits = rateLimitsOf(services, presence);
  const lastUse = new LastUse(db, clock, log);
  const workers = (options.worker ?? true) ? new Workers(backgroundServices(services)) : undefined;
  // Commands in the data folder use the service of its embedded database, by this token.
  const local = connected.embedded ? new LocalToken(member?.token) : undefined;
  const health = member?.healthPort === undefined ? undefined : createHealthServer(healthy);
  const entrance = new Entrance({
    services,
    local,
    tools: async (caller) =>
      (await import('./surfaces/mcp/tools-for-models.ts')).operationTools(services, caller),
    charge: (payerId, budget) => limits[budget ?? 'keys']?.charge(payerId),
    used: (keyId) => lastUse.note(keyId),
    seen: (use, address) => lastUse.noteSession(use, address),
  });
  late = { services, entrance, workers };

  const stop = async (): Promise<void> => {
    draining = true;
    if (local && !member) withdrawService(config.dataDir);
    const close = async (): Promise<void> => {
      if (started) await delay(config.shutdownNotice * 1000);
      await app.close();
    };
    // Both at once: no further job starts here while the last requests are served.
    await Promise.all([close(), workers?.stop((config.shutdownTimeout * 1000) / 2)]);
    await lastUse.flush();
    limits.keys?.leave();
    await presence.end();
    await health?.close();
    await telemetry?.stop();
    await services.close();
  };

  try {
    // An embedded database serves one service, so only a shared one can have other replicas.
    if (!connected.embedded || member) {
      await presence.begin();
      await limits.keys?.join();
      await listenForReplicas(services.tunnels, config);
    }
    await services.notifications.start();
    workers?.start();
    const address = await listen(app, config, settings.port.env);
    services.installation.address = address;
    if (health)
      await listen(health, { host: config.host, port: member?.healthPort ?? 0 }, settings.workerPort.env);
    const origin = configuredOrigin(services);
    // Last, so that the key is not made and lost when anything before it fails.
    const commands = (await trust.commandsRefused()) === undefined;
    const first = await firstBoot(services, config.bootstrapKey, options.demo);
    // A certificate is for the name that others use; without one the nearest address is the safest.
    const localUrl = certificate ? origin : address;
    started = true;
    if (local && !member) await announceService(config.dataDir, { url: localUrl, token: local.value });
    setTimeout(() => void (draining || services.mcp.prepare()), preloadDelay).unref();
    if (commands) void tellConfinement(services);
    const warning = commands && runsAsRoot() && config.commandUser === 'root' ? commandsRunAsRoot : undefined;
    if (warning !== undefined) log.warn(warning);
    if (config.smtpUrl !== undefined && config.publicUrl === undefined) log.warn(mailNeedsPublicUrl);
    return {
      address,
      localUrl,
      baseUrl: `${origin}${basePath}`,
      docsUrl: `${origin}/docs`,
      consoleUrl:
        first?.consoleToken === undefined ? `${origin}/console/` : addressOfLink(origin, first.consoleToken),
      firstKey: first?.key,
      firstKeyGenerated: config.bootstrapKey === undefined,
      demoServer: first?.demoServer,
      warning,
      services,
      flushLastUse: () => lastUse.flush(),
      meetReplicas: async () => limits.keys?.meet(),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Rate limits by what a request is charged to. Only keys share their limit with other replicas. */
function rateLimitsOf({ config, clock, db }: OpenServices, presence: Presence) {
  const { rateLimit, consoleRateLimit } = config;
  return {
    keys: rateLimit && new RateLimiter(rateLimit, clock, db, 'API key', presence),
    polls: rateLimit && new RateLimiter(pollRate, clock, db),
    guests: rateLimit && new RateLimiter(guestRate, clock, db, 'Guest token'),
    console: consoleRateLimit && new RateLimiter(consoleRateLimit, clock, db, 'Session'),
    visits: consoleRateLimit && new RateLimiter(visitRate, clock, db, 'Visitor'),
  };
}

/** Closes the services, and with them an embedded database, when another step of the start fails. */
async function orClose<T>(opening: Promise<OpenServices>, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    await opening.then(
      (services) => services.close(),
      () => {},
    );
    throw error;
  }
}

/** Logs the level of confinement. Finding it takes a moment, so the start does not wait for it. */
async function tellConfinement({ confinement, log }: OpenServices): Promise<void> {
  const reached = await confinement.reached().catch((error: Error) => {
    log.warn('Confinement of commands: unknown', { error: error.message });
  });
  if (!reached) return;
  const { level, detail, missing } = reached;
  const tell = { confinement: level, ...(missing.length > 0 && { missing: missing.join('. ') }) };
  const text = `Confinement of commands: ${level}; ${detail}`;
  if (level === 'namespaces') log.info(text, tell);
  else log.warn(text, tell);
}

/** The demo server comes with an embedded database only, and only where commands may be run. */
export async function firstBoot(
  { db, trust, connected }: OpenServices,
  key: string | null | undefined,
  demo: ServeOptions['demo'],
): ReturnType<typeof bootstrap> {
  const allowed = connected.embedded && (await trust.commandsRefused()) === undefined;
  return bootstrap(db, { key, demo: allowed ? demo : undefined });
}

/** Starts a process for background work and health checks only; other processes serve the API. */
export async function startWorker(
  config: Config,
): Promise<{ healthUrl: string | undefined; stop(): Promise<void> }> {
  const services = await openServices(config, { exclusive: false });
  const presence = new Presence(services.db, 'worker');
  const workers = new Workers(services);
  let started = false;
  let draining = false;
  const healthy: HealthOptions = {
    started: () => started,
    draining: () => draining,
    probe: () => services.connected.database.ping(),
    metrics: new Metrics(
      () => gaugesOf(services),
      () => workers,
    ),
  };
  const telemetry = await orClose(Promise.resolve(services), () =>
    startTelemetry(process.env, services.log, () => healthy.metrics.families()),
  );
  const app = createHealthServer(healthy);
  const stop = async (): Promise<void> => {
    draining = true;
    await workers.stop((config.shutdownTimeout * 1000) / 2);
    await presence.end();
    await app.close();
    await telemetry?.stop();
    await services.close();
  };
  try {
    await presence.begin();
    const { host, workerPort: port } = config;
    const healthUrl =
      port === undefined ? undefined : await listen(app, { host, port }, settings.workerPort.env);
    await services.notifications.start();
    workers.start();
    started = true;
    if ((await services.trust.commandsRefused()) === undefined) void tellConfinement(services);
    return { healthUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts background work in this process, for a command that waits for a run without a service. Returns its end. */
export function startWorkers(services: OpenServices): () => Promise<void> {
  const workers = new Workers(services);
  workers.start();
  return () => workers.stop(0);
}

function gaugesOf({ installation, mcp, config, confinement }: OpenServices) {
  return {
    database: { ...installation.connections(), most: config.databasePool },
    mcpConnections: mcp.warmConnections,
    commands: mcp.processes,
    confinement: confinement.level,
  };
}
