import type { z } from 'zod';
import type { Declaration, Operation } from '../../contract/operation.ts';
import type { GuestExecutionFields } from '../../contract/studies.ts';
import { addressOf } from '../../platform/config/load.ts';
import type { Db } from '../../platform/database/database.ts';
import type { ProjectRow } from '../../platform/database/queries/projects.ts';
import type { LiveServerRow } from '../../platform/database/queries/servers.ts';
import type { Mode } from '../../platform/database/queries/studies.ts';
import type { VisitorRow } from '../../platform/database/queries/study-visitors.ts';
import type { OrganizationRole } from '../../platform/database/queries/visibility.ts';
import type { Engines } from '../base/engines.ts';
import type { AccessWatch } from '../parts/access-watch.ts';
import type { LiveBrowsers } from '../parts/live-browsers.ts';
import type { Grants } from '../parts/oauth-grants.ts';
import type { Trust } from '../parts/trust.ts';
import type { Tunnels } from '../parts/tunnels.ts';

/** Everything a verb works with: the engines, and the long-lived parts of the domain. */
export interface Services extends Engines {
  liveBrowsers: LiveBrowsers;
  grants: Grants;
  trust: Trust;
  /** Aborts work that runs for an account when the account loses access. */
  accessWatch: AccessWatch;
  tunnels: Tunnels;
}

/** The account on whose behalf a verb runs, inside one organization. */
export interface Actor {
  /** Undefined without an API key, as in a job. */
  keyId: string | undefined;
  /** Set for users signed in to the console. */
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

/** Facts about a request besides its credential, provided by the surface. */
export interface RequestInfo {
  /** Identifies the request or job in logs and audit. */
  requestId: string;
  /**
   * Aborts when the caller disconnects before the response is complete. In a verb it also aborts when the caller
   * loses access, with the refusal as reason. Only for verbs that can stop early.
   */
  callerGone: () => AbortSignal;
  /**
   * Base URL the caller used, without trailing slash, for URLs in this response. For stored, mailed or shared links
   * use `configuredOrigin`.
   */
  origin: () => string;
  /** Runs after the response is sent or the caller has disconnected. */
  afterwards: (work: () => void) => void;
  /** The browser; only on surfaces for people. */
  visit?: (() => Visit) | undefined;
}

/** The browser of a request. */
export interface Visit {
  /** IP address. */
  address: string;
  userAgent: string | undefined;
  /** Sets the session cookie, or deletes it. */
  keepSession(token: string | undefined): void;
  /** Sets a short-lived cookie for the next step of a flow, or deletes it. */
  keepState(text: string | undefined): void;
  state(): string | undefined;
  /** Sets the cookie of accounts this browser has signed in to. */
  keepDevice(text: string): void;
  device(): string | undefined;
}

/** A signed-in user, with or without an organization. */
export interface Person {
  sessionId: string;
  user: Actor['user'];
  /** Operates this installation. */
  operator: boolean;
}

export interface PublicContext extends Services, RequestInfo {}

/** A database and the project to read from. */
export interface InProject {
  db: Db;
  project: { id: string };
}

export interface Context extends PublicContext {
  actor: Actor;
}

/** For console operations, which always come from a browser. */
export interface VisitorContext extends PublicContext {
  visitor: Visit;
  person: Person | undefined;
}

export interface SessionContext extends VisitorContext {
  person: Person;
}

/** A visitor admitted to a study. */
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
    guestExecution: z.output<typeof GuestExecutionFields>;
  };
  project: ProjectRow;
  /** To check whether the grant is still valid. */
  tokenHash: Buffer;
}

export interface GrantContext extends PublicContext {
  grant: Grant;
}

/**
 * Base URL of links: the public URL, otherwise the listening address. Never taken from a request, whose host can be
 * forged.
 */
export function configuredOrigin({
  config,
  installation,
}: Pick<Services, 'config'> & Partial<Pick<Services, 'installation'>>): string {
  return config.publicUrl?.replace(/\/+$/, '') ?? installation?.address ?? addressOf(config);
}

/** Copies field by field: spreading the services took 10% of the time of a short request. */
export function publicContext(services: Services, requestInfo: RequestInfo): PublicContext {
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
    backgroundThrottle: services.backgroundThrottle,
    clock: services.clock,
    log: services.log,
    requestId: requestInfo.requestId,
    callerGone: requestInfo.callerGone,
    origin: requestInfo.origin,
    afterwards: requestInfo.afterwards,
    visit: requestInfo.visit,
  };
}

/** The caller's access to the project has been checked. */
export interface ProjectContext extends Context {
  project: ProjectRow;
}

/** The server of the path, read in the same query as the caller. */
export interface ServerContext extends ProjectContext {
  server: LiveServerRow;
}

/** Result of an operation, as text for a model. */
export interface ToolText {
  /** Third-party content is marked as data. */
  text: string;
  isError: boolean;
  /** The response value, if there is one. */
  value?: unknown;
}

/**
 * Operations as tools for a model. Calls are authorized like requests of the caller, but are not charged again.
 * Implemented by a surface, which knows how to describe operations and phrase results.
 */
export interface OperationTools {
  /** Arguments as JSON Schema: path and query parameters at the top level, the JSON body under `body`. */
  describe(operation: Operation): { description: string; inputSchema: Record<string, unknown> };
  /** A refusal is returned as an error result. `most`: characters of data in the text. */
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
