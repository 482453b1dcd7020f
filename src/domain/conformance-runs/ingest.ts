import type { startConformanceIngestRun as Start } from '../../contract/conformance-ingest.ts';
import type { InputOf } from '../../contract/operation.ts';
import { type Db, violates } from '../../platform/database/database.ts';
import * as runs from '../../platform/database/queries/conformance-runs.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, invalid } from '../base/refusals.ts';
import { ownerIn, writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { type ConformanceRun, hostedNames, isOpen, lockConformanceRun } from './find.ts';
import { runUrlOf } from './present.ts';
import { settle } from './settle.ts';
import { addReport, isOver, type Prepared, prepareReport, type Reported } from './store.ts';

type Header = InputOf<typeof Start>['body'];

/** Stores all reports in one transaction, or none. */
export const reportConformanceRun: Verb<'reportConformanceRun'> = async (context, { body }) => {
  const { reports, suiteKind, report, durationMs, ...header } = body;
  const single = suiteKind && report && [{ suiteKind, report, durationMs }];
  const given: Reported[] = reports ?? single ?? [];
  const requestedSuites = body.requestedSuites ?? given.map((one) => one.suiteKind);
  const prepared: Prepared[] = [];
  for (const one of given) prepared.push(await prepareReport(context, ownerIn(context), one));
  const { run, reused } = await begun(context, { ...header, requestedSuites }, async (db, begunRun) => {
    if (!isOpen(begunRun)) return refuseOthers(db, begunRun, prepared);
    for (const one of prepared) await addReport(db, begunRun, one);
    await audit(db, context, 'conformance-run.report', begunRun.id);
    return settle(db, begunRun, { status: 'completed' });
  });
  const { id: runId, projectId, status, outcome, score } = run;
  return { ok: true, runId, projectId, status, outcome, score, runUrl: runUrlOf(context, run), reused };
};

/** A run that is over is accepted again only if it already has each of these reports. */
async function refuseOthers(
  db: Db,
  run: ConformanceRun,
  prepared: readonly Prepared[],
): Promise<ConformanceRun> {
  const rows = await db.rows(runs.reportsOf, { runIds: [run.id] });
  const known = new Map(rows.map(({ suiteKind, contentHash }) => [suiteKind, contentHash]));
  const other = prepared.find(({ suiteKind, contentHash }) => known.get(suiteKind) !== contentHash);
  if (!other) return run;
  throw conflict(
    `The run with externalRunId "${run.externalRunId}" has ended with a different report of the suite ${other.suiteKind}. Use another externalRunId`,
    'EXTERNAL_RUN_CONFLICT',
    { runId: run.id, suiteKind: other.suiteKind },
  );
}

export const startConformanceIngestRun: Verb<'startConformanceIngestRun'> = async (context, { body }) => {
  const { run, reused } = await begun(context, body, async (db, one, isNew) => {
    if (isNew) await audit(db, context, 'conformance-run.start', one.id);
    return one;
  });
  const { id: runId, projectId, status } = run;
  return { ok: true, runId, projectId, status, runUrl: runUrlOf(context, run), reused };
};

export const upsertConformanceIngestReport: Verb<'upsertConformanceIngestReport'> = async (
  context,
  { body },
) => {
  const prepared = await prepareReport(context, ownerIn(context), body);
  return writeInProject(context, async (db) => {
    const run = await reportedRun(context, db, body.runId);
    const { row, known } = await addReport(db, run, prepared);
    if (!known) await audit(db, context, 'conformance-run.add-report', run.id, { suite: body.suiteKind });
    const { outcome, score } = row;
    return { ok: true as const, runId: run.id, suiteKind: body.suiteKind, outcome, score, reused: known };
  });
};

export const heartbeatConformanceIngestRun: Verb<'heartbeatConformanceIngestRun'> = (context, { body }) =>
  writeInProject(context, async (db) => {
    const run = await reportedRun(context, db, body.runId);
    if (!isOpen(run)) throw isOver(run);
    await db.run(runs.recordHeartbeat, { id: run.id });
    await audit(db, context, 'conformance-run.heartbeat', run.id);
    return { ok: true as const, runId: run.id, status: 'running' };
  });

export const finalizeConformanceIngestRun: Verb<'finalizeConformanceIngestRun'> = (context, { body }) =>
  writeInProject(context, async (db) => {
    const before = await reportedRun(context, db, body.runId);
    const run = await settle(db, before, { status: 'completed' });
    if (isOpen(before)) await audit(db, context, 'conformance-run.finalize', run.id);
    const { id: runId, projectId, status, outcome, score } = run;
    return { ok: true as const, runId, projectId, status, outcome, score, runUrl: runUrlOf(context, run) };
  });

/** Locks a run reported by a client. */
async function reportedRun({ project }: ProjectContext, db: Db, id: string): Promise<ConformanceRun> {
  const run = await lockConformanceRun(db, project.id, id);
  if (run.hosted)
    throw conflict(
      'This run is executed by this service, so results cannot be reported to it',
      'NOT_AN_INGESTED_RUN',
      { runId: id },
    );
  return run;
}

interface Begun {
  run: ConformanceRun;
  reused: boolean;
}

/** Finds or creates the run with this external ID and applies the work, in one transaction. */
async function begun(
  context: ProjectContext,
  header: Header,
  work: (db: Db, run: ConformanceRun, isNew: boolean) => Promise<ConformanceRun>,
): Promise<Begun> {
  const attempt = (): Promise<Begun> =>
    writeInProject(context, async (db) => {
      const known = await knownRun(context, db, header);
      const run = known ?? (await insertRun(context, db, header));
      return { run: await work(db, run, known === undefined), reused: known !== undefined };
    });
  try {
    return await attempt();
  } catch (error) {
    // A concurrent request may have created it first.
    if (violates(error, 'conformance_runs_key')) return attempt();
    throw error;
  }
}

async function knownRun(
  { project }: ProjectContext,
  db: Db,
  { externalRunId }: Header,
): Promise<ConformanceRun | undefined> {
  if (externalRunId == null) return undefined;
  const run = await db.row(runs.byKey, { projectId: project.id, externalRunId });
  // The prefix is reserved even before such a run exists; otherwise starting one would return the reported run.
  if (run?.hosted || externalRunId.startsWith(hostedNames(project.id)))
    throw conflict(
      `externalRunId: "${externalRunId}" belongs to a run of this service. Use another one`,
      'NOT_AN_INGESTED_RUN',
      { ...(run && { runId: run.id }) },
    );
  return run;
}

async function insertRun(context: ProjectContext, db: Db, header: Header): Promise<ConformanceRun> {
  const { actor, project, clock } = context;
  const { target } = header;
  const serverId = target.kind === 'server' ? (target.serverId ?? null) : null;
  if (serverId !== null && !(await db.row(servers.find, { projectId: project.id, id: serverId })))
    throw invalid('target.serverId: No such server in this project');
  return db.one(runs.insert, {
    id: newId('cfr', clock()),
    organizationId: actor.organization.id,
    projectId: project.id,
    serverId,
    hosted: false,
    source: header.source ?? 'api',
    target: targetOf(target),
    requestedSuites: header.requestedSuites,
    protocolVersion: header.protocolVersion ?? null,
    engineVersion: header.engineVersion ?? null,
    actorLabel: header.actorLabel ?? null,
    ci: header.ci ?? null,
    externalRunId: header.externalRunId ?? null,
    startedBy: actor.user.id,
    status: 'running',
    startedAt: clock(),
  });
}

/** The target as shown. Drops query and credentials of the URL, which may be secret. */
function targetOf({ kind, serverId, serverRef, serverUrl }: Header['target']): ConformanceRun['target'] {
  const url = serverUrl != null && URL.canParse(serverUrl) ? new URL(serverUrl) : undefined;
  return {
    kind,
    ...(serverId != null && { serverId }),
    ...(serverRef != null && { serverRef }),
    ...(url && { serverUrl: `${url.origin === 'null' ? url.protocol : url.origin}${url.pathname}` }),
  };
}
