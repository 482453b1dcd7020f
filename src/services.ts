import { BrowserEngine } from './browser/engine.ts';
import type { Services } from './domain/context/context.ts';
import { AccessWatch } from './domain/parts/access-watch.ts';
import { LiveBrowsers } from './domain/parts/live-browsers.ts';
import { Grants } from './domain/parts/oauth-grants.ts';
import { Trust } from './domain/parts/trust.ts';
import { Tunnels } from './domain/parts/tunnels.ts';
import { Mcp } from './mcp/mcp.ts';
import type { OutboundOptions } from './mcp/outbound.ts';
import { catalogSources, loadModelCatalog } from './models/catalog.ts';
import { openBlobs } from './platform/blobs/open.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import type { Config } from './platform/config/settings.ts';
import { Confinement } from './platform/confinement/confinement.ts';
import { type ConnectedDatabase, connectDatabase } from './platform/database/connect.ts';
import type { Timeouts } from './platform/database/connection-mode.ts';
import type { EmbeddedDatabase } from './platform/database/embedded/index.ts';
import { backgroundConnections } from './platform/database/limited-pool.ts';
import { Notifications } from './platform/database/notifications.ts';
import { addParts } from './platform/database/partitions.ts';
import { BackgroundThrottle } from './platform/flow/background-throttle.ts';
import { createLog, type Log } from './platform/log.ts';
import { Cursors } from './platform/secrets/cursors.ts';
import { GuestTokens } from './platform/secrets/guest-tokens.ts';
import {
  createKeyFile,
  keysFromEnvironment,
  keysFromFile,
  masterKeyPath,
} from './platform/secrets/master-key.ts';
import { SignedUrls } from './platform/secrets/signed-urls.ts';
import { Vault } from './platform/secrets/vault.ts';
import { version } from './platform/version.ts';

export interface OpenServices extends Services {
  connected: ConnectedDatabase;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Whether this process uses an embedded database alone. */
  exclusive: boolean;
  /** Whether an embedded database is removed when this process ends. */
  temporary?: boolean;
  /** The embedded server, if it has been started. */
  begun?: EmbeddedDatabase | undefined;
  log?: Log;
  clock?: Clock;
  /** Overrides of name resolution and of read limits. */
  outbound?: OutboundOptions;
  /** Overrides of the timeouts of the database. */
  timeouts?: Timeouts;
}

/** Opens the services for a process that serves requests. */
export async function openService(config: Config, options: OpenOptions): Promise<OpenServices> {
  const services = await openServices(config, options);
  for (const warning of services.models.warnings) services.log.warn(warning);
  return services;
}

/** Creates everything below the surfaces and connects it. */
export async function openServices(config: Config, options: OpenOptions): Promise<OpenServices> {
  const log = options.log ?? createLog(config.logLevel);
  // First, so that an unknown user is refused before anything starts.
  const confinement = new Confinement(config);
  const models = loadModelCatalog(catalogSources(config, process.env));
  const connected = await connectDatabase(config, options, log);
  try {
    const vault = await openVault(config, connected);
    const clock = options.clock ?? systemClock;
    const db = connected.database;
    // After a long downtime the partition for today is missing.
    await addParts(db, clock());
    const trust = new Trust(config, db, monotonic);
    const mcp = createMcp(config, trust, confinement, options);
    const browsers = new BrowserEngine({
      browser: config.browser,
      sessions: config.browserSessions,
      policy: () => trust.addressPolicy(),
      resolve: options.outbound?.resolve,
      log,
    });
    const notifications = new Notifications({ dial: connected.dial, log });
    const accessWatch = new AccessWatch({ db, notifications, log });
    const liveBrowsers = new LiveBrowsers({ db, vault, browsers, notifications, accessWatch, clock, log });
    const tunnels = new Tunnels({ db, vault, notifications, accessWatch, log });
    if (connected.embedded && options.exclusive) await liveBrowsers.beAlone();
    notifications.on('drydock_servers', (serverId) => mcp.serverChanged(serverId));
    return {
      db,
      vault,
      mcp,
      browsers,
      liveBrowsers,
      trust,
      confinement,
      grants: new Grants({ db, vault, mcp, clock, log }),
      cursors: new Cursors(vault.derive('cursors')),
      artifacts: new SignedUrls(vault.derive('artifact addresses')),
      guestTokens: new GuestTokens(vault.derive('directory guests')),
      blobs: openBlobs(config),
      models,
      notifications,
      accessWatch,
      tunnels,
      installation: {
        startedAt: clock(),
        embedded: connected.embedded,
        connections: () => {
          const { totalCount: total, idleCount: idle, waitingCount: waiting } = db.pool;
          return { total, idle, waiting };
        },
      },
      backgroundThrottle: new BackgroundThrottle({ now: monotonic }),
      config,
      clock,
      log,
      connected,
      close: async () => {
        await notifications.stop();
        accessWatch.stop();
        await tunnels.stop();
        await liveBrowsers.stop();
        await browsers.close();
        await mcp.close();
        await connected.close();
      },
    };
  } catch (error) {
    await connected.close();
    throw error;
  }
}

/**
 * The services for background work, which uses only a part of the database connections and leaves the rest to requests.
 */
export function backgroundServices(services: OpenServices): OpenServices {
  const { connected, config } = services;
  return { ...services, db: connected.database.within(backgroundConnections(config.databasePool)) };
}

/** A monotonic clock. */
const monotonic = (): number => performance.now();

function createMcp(
  config: Config,
  trust: Trust,
  confinement: Confinement,
  { outbound = {} }: OpenOptions,
): Mcp {
  return new Mcp({
    policy: () => trust.addressPolicy(),
    confinement,
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
