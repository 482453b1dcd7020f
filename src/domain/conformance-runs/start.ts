import { gradableRevisions, isGradable } from '../../conformance/scenarios.ts';
import { suiteVersion } from '../../conformance/suite-process.ts';
import { Refusal } from '../../contract/errors.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { McpFailure } from '../../mcp/failures.ts';
import { type Db, violates } from '../../platform/database/database.ts';
import * as runs from '../../platform/database/queries/conformance-runs.ts';
import { newId } from '../../platform/ids.ts';
import { invalid } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext, ServerContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { tunnelRoute } from '../tunnels/route.ts';
import { enqueueRun } from './execute/job.ts';
import { type ConformanceRun, hostedNames } from './find.ts';

type Started = OutputOf<Operations['startConformanceRun']>;

/** Runs per organization and day. */
const maxInDay = 200;

export const startConformanceRun: Verb<'startConformanceRun'> = async (context, input) => {
  const { body } = input;
  refuseUngradable(context, body);
  const key = body.idempotencyKey ?? input.idempotencyKey;
  const { project, server } = context;
  const externalRunId = key === undefined ? null : `${hostedNames(project.id)}${server.id}:${key}`;
  const earlier = await known(context, externalRunId);
  if (earlier) return started(earlier, true);
  await refuseAddress(context);
  const wanted = {
    externalRunId,
    requestedSuites: body.suites ?? (['protocol', 'apps', 'tasks'] as const).slice(),
    protocolVersion: body.protocolVersion ?? null,
  };
  try {
    return started(await writeInProject(context, (db) => insert(context, db, wanted)), false);
  } catch (error) {
    // A concurrent request with the same key may have been faster.
    const first = violates(error, 'conformance_runs_key') ? await known(context, externalRunId) : undefined;
    if (first) return started(first, true);
    throw error;
  }
};

function refuseUngradable(
  { server }: ServerContext,
  { suites, protocolVersion, engineVersion }: Parameters<typeof startConformanceRun>[1]['body'],
): void {
  if (suites?.includes('oauth'))
    throw invalid(
      'suites: The oauth suite is not run by this service. Run it yourself and report the results',
    );
  if (server.transportType === 'stdio')
    throw invalid('Conformance runs require an HTTP server. Save the server with its URL');
  if (protocolVersion !== undefined && !isGradable(protocolVersion))
    throw invalid(`protocolVersion: One of ${gradableRevisions.join(', ')}`);
  if (engineVersion !== undefined && engineVersion !== suiteVersion)
    throw invalid(`engineVersion: Must be ${suiteVersion}`);
}

async function known(
  { db, project }: ProjectContext,
  externalRunId: string | null,
): Promise<ConformanceRun | undefined> {
  if (externalRunId === null) return undefined;
  return db.transaction((trx) => trx.row(runs.byKey, { projectId: project.id, externalRunId }));
}

/** Checks the address at once, so that a forbidden one is refused by the request instead of failing the run. */
async function refuseAddress(context: ServerContext): Promise<void> {
  const { mcp, server } = context;
  try {
    await mcp.outbound.through(tunnelRoute(context, server)).look(server.url ?? '');
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    throw new Refusal('SERVER_UNREACHABLE', error.message, {
      details: { cause: error.kind, ...(error.kind === 'address' && { code: 'URL_NOT_ALLOWED' }) },
    });
  }
}

async function insert(
  context: ServerContext,
  db: Db,
  wanted: Pick<ConformanceRun, 'externalRunId' | 'requestedSuites' | 'protocolVersion'>,
): Promise<ConformanceRun> {
  const { actor, project, server, clock } = context;
  const organizationId = actor.organization.id;
  await db.row(runs.lockStarts, { organizationId });
  const { count } = await db.one(runs.countOfDay, { organizationId });
  if (count >= maxInDay)
    throw new Refusal(
      'RATE_LIMITED',
      `An organization can start at most ${maxInDay} conformance runs a day`,
      {
        details: { reason: 'TOO_MANY_CONFORMANCE_RUNS', limit: maxInDay },
      },
    );
  const run = await db.one(runs.insert, {
    ...wanted,
    id: newId('cfr', clock()),
    organizationId,
    projectId: project.id,
    serverId: server.id,
    hosted: true,
    source: 'api',
    target: { kind: 'server', serverId: server.id, serverRef: server.name },
    engineVersion: suiteVersion,
    actorLabel: null,
    ci: null,
    startedBy: actor.user.id,
    status: 'pending',
    startedAt: null,
  });
  await enqueueRun(db, { projectId: project.id, runId: run.id }, { organizationId, userId: actor.user.id });
  await audit(db, context, 'conformance-run.create', run.id);
  return run;
}

function started(
  { id: runId, projectId, serverId, status, requestedSuites }: ConformanceRun,
  deduped: boolean,
): Started {
  return { runId, projectId, serverId: serverId ?? '', status, deduped, requestedSuites };
}
