import type { BrowserEngine } from '../browser/engine.ts';
import type { Declaration, Operation } from '../contract/operation.ts';
import type { Mcp } from '../mcp/mcp.ts';
import type { ModelCatalog } from '../models/catalog.ts';
import type { BlobStore } from '../platform/blobs/store.ts';
import type { Clock } from '../platform/clock.ts';
import { addressOf } from '../platform/config/load.ts';
import type { Config } from '../platform/config/settings.ts';
import type { Confinement } from '../platform/confinement/confinement.ts';
import type { Courtesy } from '../platform/courtesy.ts';
import type { Db } from '../platform/database/database.ts';
import type { Notifications } from '../platform/database/notifications.ts';
import type { OrganizationRole } from '../platform/database/queries/members.ts';
import type { ProjectRow } from '../platform/database/queries/projects.ts';
import type { LiveServerRow } from '../platform/database/queries/servers.ts';
import type { Mode } from '../platform/database/queries/studies.ts';
import type { VisitorRow } from '../platform/database/queries/study-visitors.ts';
import type { Log } from '../platform/log.ts';
import type { Cursors } from '../platform/secrets/cursors.ts';
import type { GuestTokens } from '../platform/secrets/guest-tokens.ts';
import type { SignedUrls } from '../platform/secrets/signed-urls.ts';
import type { Vault } from '../platform/secrets/vault.ts';
import type { LiveBrowsers } from './browser-sessions/live-browsers.ts';
import type { AccessWatch } from './identity/access-watch.ts';
import type { Grants } from './live/grants.ts';
import type { GuestExecution } from './studies/guest-execution.ts';
import type { Trust } from './trust.ts';
import type { Tunnels } from './tunnels/tunnels.ts';

/** What only this process knows about how it runs. */
interface Installation {
  startedAt: number;
  /** The database is a part of it. */
  embedded: boolean;
  /** Where this process listens, once it does. */
  address?: string;
  /** To the database. */
  connections: () => { total: number; idle: number; waiting: number };
}

/** The parts a verb works with. */
export interface Services {
  db: Db;
  vault: Vault;
  cursors: Cursors;
  /** Addresses of stored pictures and recordings. */
  artifacts: SignedUrls;
  /** Of those who may look into the directory of servers. */
  guestTokens: GuestTokens;
  blobs: BlobStore;
  models: ModelCatalog;
  mcp: Mcp;
  /** What processes that are not ours are started through. */
  confinement: Confinement;
  browsers: BrowserEngine;
  /** Those of browser sessions. */
  liveBrowsers: LiveBrowsers;
  grants: Grants;
  trust: Trust;
  config: Config;
  notifications: Notifications;
  /** What runs for somebody, so that it ends with their access. */
  accessWatch: AccessWatch;
  tunnels: Tunnels;
  installation: Installation;
  /** What requests and work in the background share a process by. */
  courtesy: Courtesy;
  clock: Clock;
  log: Log;
}

/** On whose behalf a verb runs: an account inside one organization. */
export interface Actor {
  /** Undefined where no key was shown: a job acts for the account that made it. */
  keyId: string | undefined;
  /** Of somebody who is signed in to the console. */
  sessionId?: string | undefined;
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
}

/** What a surface knows about the one who asks, besides the credential. */
export interface Occasion {
  /** Names the request or the job in the log and the audit. */
  requestId: string;
  /**
   * Aborts when the caller hangs up before the whole answer; in a verb, also when the caller may no longer do this, with
   * the refusal as the reason. Asked for only by verbs that can stop early.
   */
  callerGone: () => AbortSignal;
  /**
   * Where the caller reaches the service, without a slash at the end: for addresses that only this caller uses. Links
   * that are stored, mailed or passed on have `configuredOrigin`.
   */
  origin: () => string;
  /** Runs when the answer has left, or nobody waits for it any longer. */
  afterwards: (work: () => void) => void;
  /** Where people come from; only on surfaces they come to. */
  visit?: (() => Visit) | undefined;
}

/** The browser of somebody, as far as a verb has to do with it. */
export interface Visit {
  /** On the network. */
  address: string;
  /** What it calls itself. */
  userAgent: string | undefined;
  /** Has it show the token of a session from now on, or none. */
  keepSession(token: string | undefined): void;
  /** Has it keep a text for some minutes, for the next step of what was begun, or no longer. */
  keepState(text: string | undefined): void;
  state(): string | undefined;
  /** The same for what tells that somebody has signed in with it before. */
  keepDevice(text: string): void;
  device(): string | undefined;
}

/** Somebody who is signed in, in an organization or not. */
export interface Person {
  sessionId: string;
  user: Actor['user'];
  /** Runs this installation. */
  operator: boolean;
}

export interface PublicContext extends Services, Occasion {}

/** Where something is looked up. */
export interface InProject {
  db: Db;
  project: { id: string };
}

export interface Context extends PublicContext {
  actor: Actor;
}

/** Of the console: whoever has a browser. */
export interface VisitorContext extends PublicContext {
  visitor: Visit;
  person: Person | undefined;
}

export interface SessionContext extends VisitorContext {
  person: Person;
}

/** Somebody who was let in to a study. */
export interface Grant {
  visitor: VisitorRow;
  study: {
    id: string;
    organizationId: string;
    plan: string;
    environmentId: string;
    name: string;
    description: string | null;
    mode: Mode;
    guestExecution: GuestExecution;
  };
  project: ProjectRow;
  /** To find out whether it still holds. */
  tokenHash: Buffer;
}

export interface GrantContext extends PublicContext {
  grant: Grant;
}

/** What links begin with: the public URL, or else where the service listens. No request has a say in it. */
export function configuredOrigin({
  config,
  installation,
}: Pick<Services, 'config'> & Partial<Pick<Services, 'installation'>>): string {
  return config.publicUrl?.replace(/\/+$/, '') ?? installation?.address ?? addressOf(config);
}

/** Field by field: spreading the services took a tenth of the time of a short request. */
export function publicContext(services: Services, occasion: Occasion): PublicContext {
  return {
    db: services.db,
    vault: services.vault,
    cursors: services.cursors,
    artifacts: services.artifacts,
    guestTokens: services.guestTokens,
    blobs: services.blobs,
    models: services.models,
    mcp: services.mcp,
    confinement: services.confinement,
    browsers: services.browsers,
    liveBrowsers: services.liveBrowsers,
    grants: services.grants,
    trust: services.trust,
    config: services.config,
    notifications: services.notifications,
    accessWatch: services.accessWatch,
    tunnels: services.tunnels,
    installation: services.installation,
    courtesy: services.courtesy,
    clock: services.clock,
    log: services.log,
    requestId: occasion.requestId,
    callerGone: occasion.callerGone,
    origin: occasion.origin,
    afterwards: occasion.afterwards,
    visit: occasion.visit,
  };
}

/** Access to the project is settled: whoever has this context may see it. */
export interface ProjectContext extends Context {
  project: ProjectRow;
}

/** The server in the path, read together with the caller. */
export interface ServerContext extends ProjectContext {
  server: LiveServerRow;
}

/** What calling an operation came to, in words for a model. */
export interface ToolText {
  /** What others have written is marked as data in it. */
  text: string;
  isError: boolean;
  /** The answer itself, where there is one. */
  value?: unknown;
}

/**
 * Other operations as tools for a model, entered as whoever asked: same credential, same rules, not charged once more.
 * Made by a surface, since describing operations and wording answers is what surfaces do.
 */
export interface OperationTools {
  /** The arguments in JSON Schema: path and query side by side, the JSON body under `body`. */
  describe(operation: Operation): { description: string; inputSchema: Record<string, unknown> };
  /** A refusal is an answer too. `most`: characters of data in it. */
  call(
    operation: Operation,
    args: Record<string, unknown>,
    options: { signal: AbortSignal; most: number },
  ): Promise<ToolText>;
}

export interface PerformingContext extends ProjectContext {
  tools: OperationTools;
}

export type ContextFor<O extends Declaration> = O['access'] extends 'public' | 'directory reader'
  ? PublicContext
  : O['access'] extends 'visitor'
    ? VisitorContext
    : O['access'] extends 'grant'
      ? GrantContext
      : O['access'] extends 'session' | 'operator'
        ? SessionContext
        : O['access'] extends
              | 'key'
              | 'organization member'
              | 'organization admin'
              | 'requester'
              | 'project viewer'
              | 'project member or visitor'
          ? Context
          : O['path'] extends `${string}/servers/{serverId}${string}`
            ? ServerContext
            : O extends { performs: true }
              ? PerformingContext
              : ProjectContext;
