import { Refusal } from '../../contract/errors.ts';
import type { Declared } from '../../contract/readiness-declared.ts';
import type { Db } from '../../platform/database/database.ts';
import { violates } from '../../platform/database/database.ts';
import * as runs from '../../platform/database/queries/readiness-runs.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { newId } from '../../platform/ids.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { version } from '../../platform/version.ts';
import { engineVersion, policySnapshotDate } from '../../readiness/index.ts';
import { identityOf } from '../base/idempotency.ts';
import { jobKinds } from '../base/job-kinds.ts';
import { found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ServerContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { shownUrl } from './gather/endpoint.ts';
import type { RunOptions } from './job.ts';
import type { ObservationState } from './present.ts';

/** Limits per organization. */
const maxOpen = 4;
const maxADay = 200;

interface Asked {
  kind: 'claude' | 'openai';
  submissionMode: 'mcp-only' | 'mcp-imported-skills' | null;
  body: {
    idempotencyKey?: string | undefined;
    includeLlmObservations: boolean;
    allowSideEffects: boolean;
    declared?: Declared | undefined;
  };
  idempotencyKey?: string;
}

export const startClaudeReadinessRun: Verb<'startClaudeReadinessRun'> = (context, { body, ...input }) =>
  start(context, { ...input, kind: 'claude', submissionMode: null, body });

export const startOpenAIReadinessRun: Verb<'startOpenAIReadinessRun'> = (context, { body, ...input }) =>
  start(context, { ...input, kind: 'openai', submissionMode: body.submissionMode, body });

async function start(context: ServerContext, asked: Asked) {
  const { server } = context;
  if (server.transportType !== 'http' || server.url === null)
    throw new Refusal(
      'VALIDATION_ERROR',
      'Only servers that are reached over HTTP can be listed in a directory',
      {
        details: { reason: 'NOT_HTTP', transport: server.transportType },
      },
    );
  const identity = identityOf(context, asked, asked.body.idempotencyKey, asked.body);
  const earlier = await replayed(context, asked, identity);
  if (earlier) return earlier;
  try {
    const run = await writeInProject(context, (db) => write(context, db, asked, identity));
    return receiptOf(run, false);
  } catch (error) {
    // A concurrent request with the same key may have been faster, and its run may have taken the last slot.
    const overtaken = violates(error, 'readiness_runs_key') || error instanceof Refusal;
    const first = overtaken ? await replayed(context, asked, identity) : undefined;
    if (first) return first;
    throw error;
  }
}

type Identity = ReturnType<typeof identityOf>;

/** The run an earlier request with this key created. */
async function replayed(
  { db, project, server }: ServerContext,
  { kind }: Asked,
  { idempotencyKey, requestHash }: Identity,
) {
  if (idempotencyKey === undefined) return undefined;
  const row = await db.row(runs.byKey, { projectId: project.id, serverId: server.id, kind, idempotencyKey });
  if (!row) return undefined;
  if (row.requestHash !== requestHash)
    throw new Refusal('CONFLICT', 'This idempotency key was used with another request. Use a new key', {
      details: { reason: 'IDEMPOTENCY_KEY_REUSED', runId: row.id },
    });
  return receiptOf(row, true);
}

function receiptOf(row: runs.ReadinessRunRow, deduped: boolean) {
  const { id, projectId, serverId, kind, status, includeLlmObservations } = row;
  return { runId: id, projectId, serverId, readinessKind: kind, status, deduped, includeLlmObservations };
}

async function write(
  context: ServerContext,
  db: Db,
  { kind, submissionMode, body }: Asked,
  { idempotencyKey, requestHash }: Identity,
): Promise<runs.ReadinessRunRow> {
  const { actor, project, server, clock } = context;
  found(await db.row(servers.find, { projectId: project.id, id: server.id }), 'server');
  const organizationId = actor.organization.id;
  await checkRoom(db, organizationId);
  const id = newId('rdy', clock());
  const onBehalfOf = { organizationId, userId: actor.user.id };
  const jobId = await enqueue(db, jobKinds.assessReadiness, { runId: id }, { uniqueKey: id, onBehalfOf });
  const { includeLlmObservations, allowSideEffects, declared = {} } = body;
  const llmObservations: ObservationState = includeLlmObservations
    ? { status: 'pending' }
    : { status: 'not-requested', reason: 'not_requested' };
  const run = await db.one(runs.insert, {
    id,
    organizationId,
    projectId: project.id,
    serverId: server.id,
    serverUrl: shownUrl(server.url ?? ''),
    kind,
    submissionMode,
    policySnapshotDate,
    engineVersion,
    sdkVersion: version,
    includeLlmObservations,
    llmObservations,
    options: { allowSideEffects, declared } satisfies RunOptions,
    startedBy: actor.user.id,
    jobId: jobId ?? null,
    idempotencyKey: idempotencyKey ?? null,
    requestHash: requestHash ?? null,
  });
  await audit(db, context, 'readiness-run.start', id);
  return run;
}

/** Locks the organization until the transaction ends, so that concurrent starts are counted. */
async function checkRoom(db: Db, organizationId: string): Promise<void> {
  await db.row(runs.lockStarts, { organizationId });
  const open = (await db.one(runs.countOpen, { organizationId })).count;
  if (open >= maxOpen)
    throw limited(
      `${open} readiness runs of this organization are running. Wait for one to finish, or cancel one`,
      {
        reason: 'CONCURRENT_RUN_LIMIT',
        limit: maxOpen,
      },
    );
  const today = (await db.one(runs.countToday, { organizationId })).count;
  if (today >= maxADay)
    throw limited(`${maxADay} readiness runs were started today. Start the next one after midnight, UTC`, {
      reason: 'DAILY_RUN_LIMIT',
      limit: maxADay,
    });
}

function limited(message: string, details: Record<string, unknown>): Refusal {
  return new Refusal('RATE_LIMITED', message, { details });
}
