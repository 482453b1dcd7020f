import type { BrowserEngine } from '../../browser/engine.ts';
import type { Mcp } from '../../mcp/mcp.ts';
import type { ModelCatalog } from '../../models/catalog.ts';
import type { BlobStore } from '../../platform/blobs/store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import type { Confinement } from '../../platform/confinement/confinement.ts';
import type { Db } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import type { BackgroundThrottle } from '../../platform/flow/background-throttle.ts';
import type { Log } from '../../platform/log.ts';
import type { Cursors } from '../../platform/secrets/cursors.ts';
import type { GuestTokens } from '../../platform/secrets/guest-tokens.ts';
import type { SignedUrls } from '../../platform/secrets/signed-urls.ts';
import type { Vault } from '../../platform/secrets/vault.ts';

/** Facts about this process that other processes cannot know. */
interface Installation {
  startedAt: number;
  /** The database is embedded in this process. */
  embedded: boolean;
  /** Address this process listens on, once it does. */
  address?: string;
  /** Statistics of the database connection pool. */
  connections: () => { total: number; idle: number; waiting: number };
}

/** Everything below the domain: storage, secrets, and the engines for servers, models and browsers. */
export interface Engines {
  db: Db;
  vault: Vault;
  cursors: Cursors;
  /** Signs the URLs of stored screenshots and recordings. */
  artifacts: SignedUrls;
  /** Tokens of anonymous readers of the server directory. */
  guestTokens: GuestTokens;
  blobs: BlobStore;
  models: ModelCatalog;
  mcp: Mcp;
  /** Starts third-party programs in a sandbox. */
  confinement: Confinement;
  browsers: BrowserEngine;
  config: Config;
  notifications: Notifications;
  installation: Installation;
  /** Delays background work while requests are being served. */
  backgroundThrottle: BackgroundThrottle;
  clock: Clock;
  log: Log;
}
