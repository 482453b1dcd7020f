import type { Wait } from '../../mcp/deadline.ts';
import { McpFailure } from '../../mcp/failures.ts';
import { probe } from '../../mcp/probe.ts';
import type { Db } from '../../platform/database/database.ts';
import * as projects from '../../platform/database/queries/projects.ts';
import * as connections from '../../platform/database/queries/server-connections.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';

import { asStorable } from '../../platform/json/storable.ts';
import { jobKinds } from '../base/job-kinds.ts';
import { namesOfSecrets } from '../base/server-secrets.ts';
import { auditAccount } from '../context/audit.ts';
import type { Services } from '../context/context.ts';
import { adviceFor } from '../live/advice.ts';
import { noteOAuthDemand } from '../live/oauth-demand.ts';
import { examineProbe } from '../live/probe-report.ts';
import { refusalOf } from '../live/refusal.ts';
import { targetOf } from '../live/target.ts';
import { isAccessEnded } from '../parts/access-watch.ts';
import { usableGrant } from '../servers/auth-method.ts';
import { saveUnderFreeName } from '../servers/rows.ts';
import { tokensNeeded, tokensRefused } from './tokens.ts';
import { withdraw } from './withdraw.ts';

type ConnectionRow = connections.ConnectionRow;
type ConnectionChange = connections.ConnectionChange;

/** Milliseconds for the probe, and for the attempt to connect. */
const timeout = 10_000;

const unfinished = {
  code: 'INTERNAL_ERROR',
  message: 'Drydock could not finish validating the server. Retry with retry-validation',
  retryable: true,
};

/** Enqueues the next step of a request, on behalf of its creator. */
export async function enqueueAdvance(db: Db, row: ConnectionRow): Promise<void> {
  const { id, organizationId, userId } = row;
  await enqueue(db, jobKinds.advanceServerConnection, { id }, { onBehalfOf: { organizationId, userId } });
}

/** Processes connection requests: probes the server, tries it, and saves it. */
export function advanceHandler(services: Services): JobHandler {
  return {
    handle: async (payload, signal) => {
      const row = await workOn(services.db, payload);
      if (!row) return undefined;
      const { organizationId, userId, projectId } = row;
      const holder = { organizationId, userId, projectId: projectId ?? undefined };
      const advance = row.status === 'discovering' ? discover : validate;
      try {
        return await services.accessWatch.during(holder, signal, (ends) =>
          advance(services, row, { timeout, signal: ends }),
        );
      } catch (error) {
        if (!isAccessEnded(error)) throw error;
        return cancelled(services, row);
      }
    },
    // Otherwise the request would stay in progress forever.
    givenUp: (payload) => async (db) => {
      const row = await workOn(db, payload);
      if (row) await connections.change(db, row, { status: 'failed', error: unfinished });
    },
  };
}

/** Ends requests that nobody went on with. */
export function expireHandler(services: Services): JobHandler {
  return {
    handle: async () => async (db) => {
      for (const row of await db.rows(connections.overdue)) {
        await connections.change(db, row, { status: 'expired' });
        await withdraw(services, db, row);
      }
    },
  };
}

/** The request of a job, if it still needs work. */
async function workOn(db: Db, payload: unknown): Promise<ConnectionRow | undefined> {
  const row = await db.row(connections.findForWork, payload as { id: string });
  if (!row || row.projectId === null) return undefined;
  return row.status === 'discovering' || row.status === 'validating' ? row : undefined;
}

type Outcome = (db: Db) => Promise<void>;

/** Writes nothing if the request was cancelled meanwhile. */
function settle(row: ConnectionRow, { error, ...changes }: ConnectionChange): Outcome {
  const said = error && { ...error, message: asStorable(error.message) };
  return async (db) => void (await connections.change(db, row, { ...changes, ...(said && { error: said }) }));
}

/** Cancels the request because its creator has lost access. */
function cancelled(services: Services, row: ConnectionRow): Outcome {
  return async (db) => {
    const current = await connections.change(db, row, { status: 'cancelled' });
    if (current) await withdraw(services, db, current);
  };
}

async function discover(services: Services, row: ConnectionRow, wait: Wait): Promise<Outcome> {
  const server = await serverOf(services, row);
  const findings = await probe(services.mcp.outbound, row.url, {}, wait);
  const { probe: seen, check } = examineProbe(row.url, findings, false);
  if (seen.status === 'oauth_required') {
    if (server && usableGrant(server) !== undefined && !row.request.reauthorize)
      return validate(services, row, wait);
    // The probe used no stored headers, which the server may require.
    if (server && server.settings.headerNames.length === 0) await noteOAuthDemand(services, server, {}, true);
    return save(services, row, 'awaiting_authorization', { useOAuth: true });
  }
  if (seen.status === 'ready' || server) return validate(services, row, wait);
  const code = findings.unauthorized ? 'UNSUPPORTED_AUTH_METHOD' : codeOf(findings.failure);
  const retryable = code !== 'UNSUPPORTED_AUTH_METHOD' && code !== 'URL_NOT_ALLOWED';
  return settle(row, { status: 'failed', error: { code, message: check.detail, retryable } });
}

function codeOf(failure: McpFailure | undefined): string {
  if (failure?.kind === 'address') return 'URL_NOT_ALLOWED';
  return failure?.kind === 'timeout' ? 'TIMEOUT' : 'SERVER_UNREACHABLE';
}

async function validate(services: Services, row: ConnectionRow, wait: Wait): Promise<Outcome> {
  const server = await serverOf(services, row);
  const target = server
    ? targetOf(services, row.organizationId, server, {})
    : {
        key: row.id,
        owner: row.organizationId,
        kind: 'http' as const,
        protocol: {},
        address: async () => ({ kind: 'http' as const, url: row.url, headers: {} }),
      };
  try {
    await services.mcp.once(target, wait, async () => {});
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    const code = server ? refusalOf(error, server).code : codeOf(error);
    const message = code === 'OAUTH_REQUIRED' ? tokensRefused(row, error) : adviceFor(error);
    return settle(row, { status: 'failed', error: { code, message, retryable: true } });
  }
  if (server) await noteOAuthDemand(services, server, {}, false);
  return save(services, row, 'ready', {});
}

/** Updates the status first: a request cancelled meanwhile saves nothing. */
function save(
  services: Services,
  row: ConnectionRow,
  status: ConnectionRow['status'],
  settings: { useOAuth?: boolean },
): Outcome {
  return async (db) => {
    const current = await connections.change(db, row, { status });
    if (!current) return;
    const saved = await saveServer(services, db, current, settings);
    const error = status === 'awaiting_authorization' ? tokensNeeded({ ...current, ...saved }) : null;
    if (saved || error) await connections.change(db, current, { status, ...saved, error });
  };
}

async function serverOf({ db }: Services, row: ConnectionRow): Promise<servers.LiveServerRow | undefined> {
  const { projectId, serverId: id } = row;
  return projectId === null || id === null ? undefined : db.row(servers.findLive, { projectId, id });
}

/** Saves the server under a free name, unless it is saved already. */
async function saveServer(
  { clock }: Services,
  db: Db,
  row: ConnectionRow,
  settings: { useOAuth?: boolean },
): Promise<ConnectionChange | undefined> {
  const { projectId, url } = row;
  if (row.serverId !== null || projectId === null) return undefined;
  if (!(await db.row(projects.hold, { id: projectId }))) return undefined;
  // Locks the project, so that of two requests for one URL the second finds the first one's server.
  await db.row(projects.lockForUpdate, { id: projectId });
  const [existing] = await db.rows(servers.at, { projectId, url });
  if (existing) return { serverId: existing.id };
  const server = await saveUnderFreeName(
    db,
    {
      projectId,
      name: row.request.name ?? new URL(url).host,
      enabled: true,
      transportType: 'http',
      url,
      settings: { ...settings, ...namesOfSecrets({}) },
      sealedId: null,
      pluginVersionId: null,
    },
    clock(),
  );
  await auditAccount(db, row, 'server.create', server.id);
  return { serverId: server.id, request: { ...row.request, created: true } };
}
