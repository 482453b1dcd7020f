import type { Access } from '../contract/operation.ts';
import type { Mcp } from '../mcp/mcp.ts';
import type { ModelCatalog } from '../models/catalog.ts';
import type { BlobStore } from '../platform/blobs/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config/settings.ts';
import type { Db } from '../platform/database/database.ts';
import type { Notifications } from '../platform/database/notifications.ts';
import type { OrganizationRole } from '../platform/database/queries/identity.ts';
import type { ProjectRow } from '../platform/database/queries/projects.ts';
import type { LiveServerRow } from '../platform/database/queries/servers.ts';
import type { Log } from '../platform/log.ts';
import type { Cursors } from '../platform/secrets/cursors.ts';
import type { Vault } from '../platform/secrets/vault.ts';
import type { Grants } from './live/grants.ts';

/** The parts a verb works with. */
export interface Services {
  db: Db;
  notifications: Notifications;
  vault: Vault;
  cursors: Cursors;
  blobs: BlobStore;
  models: ModelCatalog;
  mcp: Mcp;
  grants: Grants;
  config: Config;
  clock: Clock;
  log: Log;
}

/** On whose behalf a verb runs: the key's owner, inside the key's one organization. */
export interface Actor {
  keyId: string;
  user: {
    id: string;
    email: string;
    name: string;
    imageUrl: string | null;
    createdAt: number;
    updatedAt: number;
  };
  organization: { id: string; plan: string };
  role: OrganizationRole;
  /** What the path names, read together with the key. */
  path: { project: ProjectRow | undefined; server: LiveServerRow | undefined };
}

export interface PublicContext extends Services {
  requestId: string;
  /** Aborts when the caller hangs up before the answer. Asked for only by verbs that can stop early. */
  callerGone: () => AbortSignal;
}

export interface Context extends PublicContext {
  actor: Actor;
}

/** Access to the project is settled: whoever has this context may see it. */
export interface ProjectContext extends Context {
  project: ProjectRow;
}

export type ContextFor<Who extends Access> = Who extends 'public'
  ? PublicContext
  : Who extends 'key' | 'requester' | 'project viewer'
    ? Context
    : ProjectContext;
