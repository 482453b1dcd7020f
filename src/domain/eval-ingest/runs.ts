import type { Refusal } from '../../contract/errors.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { type Db, violates } from '../../platform/database/database.ts';
import * as runEvents from '../../platform/database/queries/eval-run-events.ts';
import * as runs from '../../platform/database/queries/eval-runs.ts';
import * as suites from '../../platform/database/queries/eval-suites.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { decision } from '../eval-runs/execute/decide.ts';
import { findRun, snapshotOf } from '../eval-runs/find.ts';
import { isOpen } from '../eval-runs/is-open.ts';
import type { RunSnapshot } from '../eval-runs/snapshot.ts';
import { presentSummary } from '../eval-runs/totals.ts';
import { minimumOf } from '../eval-suites/settings.ts';
import { type Suite, suiteOf } from '../eval-suites/suite.ts';
import { type Header, hashOf, keyOf, type Result } from './header.ts';
import { recognize, requestHashOf } from './recognize.ts';
import { type Added, addResults, type Prepared, prepare } from './store.ts';
import { suiteCalled } from './suite.ts';

/** Stores the run and its results in one transaction, then decides the run. */
export const reportEvalRun: Verb<'reportEvalRun'> = (context, { body }) => {
  const { results, ...header } = body;
  return wholeRun(context, header, results);
};

export async function wholeRun(
  context: ProjectContext,
  header: Header,
  results: readonly Result[],
): Promise<Ended> {
  const known = await recognize(context, results);
  const requestHash = requestHashOf(header, known);
  const { run, reused } = await begun(context, header, requestHash, () => prepare(context, known));
  return ended(await finalized(context, run.id), reused);
}

export const startEvalIngestRun: Verb<'startEvalIngestRun'> = async (context, { body }) => {
  const { run, reused } = await begun(context, body, hashOf(body));
  const over = !isOpen(run.status);
  const { id: runId, suiteId, projectId, status, result } = run;
  return {
    ok: true,
    suiteId,
    runId,
    projectId,
    ...(reused && { reused, status }),
    ...(reused && over && { result, summary: summaryOf(run) }),
  };
};

export const ingestEvalRunIterations: Verb<'ingestEvalRunIterations'> = async (context, { body }) => ({
  ok: true,
  ...(await addToRun(context, await reportedRun(context, body.runId), body.results)),
});

export async function addToRun(
  context: ProjectContext,
  run: runs.RunRow,
  results: readonly Result[],
): Promise<Added> {
  if (!isOpen(run.status)) throw isOver(run);
  const prepared = await prepare(context, await recognize(context, results));
  return writeInProject(context, async (db) => {
    const locked = await db.row(runs.lock, { id: run.id });
    if (!locked || !isOpen(locked.status)) throw isOver(locked ?? run);
    // Cases may be added, so the suite is locked too, after the run: the lock order of code that ends runs.
    const which = { projectId: context.project.id, id: run.suiteId };
    const suite = suiteOf(found(await db.row(suites.lock, which), 'suite'));
    const snapshot = await snapshotOf({ db }, run.id);
    const added = await addResults(context, db, suite, locked, snapshot, prepared);
    await audit(db, context, 'eval-run.add-results', run.id);
    return added;
  });
}

export const finalizeEvalIngestRun: Verb<'finalizeEvalIngestRun'> = async (context, { body }) => {
  const run = await reportedRun(context, body.runId, body.externalRunId);
  return ended(await finalized(context, run.id), false);
};

interface Begun {
  run: runs.RunRow;
  reused: boolean;
}

/** Finds the run with this external ID, or creates it with its first results. */
async function begun(
  context: ProjectContext,
  header: Header,
  requestHash: string,
  results?: () => Promise<Prepared[]>,
): Promise<Begun> {
  const earlier = await reusable(context, header, requestHash);
  if (earlier) return { run: earlier, reused: true };
  const prepared = await results?.();
  try {
    const run = await writeInProject(context, (db) => write(context, db, header, requestHash, prepared));
    return { run, reused: false };
  } catch (error) {
    // A concurrent request may have created it first.
    const first = violates(error, 'eval_runs_key') ? await reusable(context, header, requestHash) : undefined;
    if (first) return { run: first, reused: true };
    throw error;
  }
}

async function knownRun(
  { db, project }: ProjectContext,
  header: Pick<Header, 'externalRunId'>,
): Promise<(runs.RunRow & { requestHash: string | null }) | undefined> {
  const idempotencyKey = keyOf(header);
  if (idempotencyKey === null) return undefined;
  return db.row(runs.byKey, { projectId: project.id, idempotencyKey });
}

async function reusable(
  context: ProjectContext,
  header: Header,
  requestHash: string,
): Promise<runs.RunRow | undefined> {
  const known = await knownRun(context, header);
  if (!known || known.requestHash === requestHash) return known;
  throw conflict(
    `A run with externalRunId "${header.externalRunId}" was already reported with different content. Use another externalRunId`,
    'EXTERNAL_RUN_CONFLICT',
    { runId: known.id },
  );
}

async function write(
  context: ProjectContext,
  db: Db,
  header: Header,
  requestHash: string,
  prepared: readonly Prepared[] | undefined,
): Promise<runs.RunRow> {
  const { actor, project, clock, config } = context;
  const suite = await suiteCalled(context, db, header);
  const { number: runNumber } = await db.one(suites.nextRun, { id: suite.id });
  const snapshot = emptySnapshot(suite, header);
  const run = await db.one(runs.insert, {
    id: newId('run', clock()),
    organizationId: actor.organization.id,
    projectId: project.id,
    suiteId: suite.id,
    runNumber,
    source: 'sdk',
    notes: header.notes ?? null,
    startedBy: actor.user.id,
    keyId: actor.keyId ?? null,
    environment: null,
    client: null,
    launcher: header.framework == null ? null : { kind: 'sdk', client: header.framework },
    ci: header.ci ?? null,
    policy: 1,
    runGroupId: null,
    modelId: null,
    modelSource: null,
    suiteRevision: suite.revision,
    name: header.name ?? null,
    tags: header.tags ?? [],
    metadata: header.runMetadata ?? null,
    importEligibility: null,
    // The cases and models are unknown until results arrive.
    coverage: 'suite',
    target: null,
    trials: 0,
    deadlineAt: clock() + config.evalRunTimeout * 1000,
    sealedId: null,
    idempotencyKey: keyOf(header),
    requestHash,
  });
  await db.run(runs.insertSnapshot, { runId: run.id, snapshot });
  if (prepared) await addResults(context, db, suite, run, snapshot, prepared);
  const event = { type: 'run.started', runId: run.id, at: clock(), trials: prepared?.length ?? 0 };
  await db.run(runEvents.addLastEvent, { runId: run.id, data: event });
  await audit(db, context, 'eval-run.report', run.id);
  return run;
}

function emptySnapshot(suite: Suite, { passCriteria, serverNames }: Header): RunSnapshot {
  const { id, name, revision, settings } = suite;
  return {
    version: 1,
    reported: true,
    suite: { id, name, revision },
    policy: 1,
    minimumPassRate: minimumOf(passCriteria ?? undefined) ?? settings.minimumPassRate ?? 100,
    validity: {},
    cases: [],
    servers: (serverNames ?? []).map((named) => ({ id: '', name: named, revision: 0 })),
    client: null,
    environment: null,
    connection: { headers: {} },
    skills: [],
    secretIds: [],
    pluginVersions: [],
  };
}

/** A run reported by a client, checked against the external ID if one is given. */
export async function reportedRun(
  context: ProjectContext,
  runId: string,
  externalRunId?: string | null,
): Promise<runs.RunRow> {
  const run = await findRun(context, runId);
  if (run.source !== 'sdk')
    throw conflict(
      'This run was launched by this service, so results cannot be added to it',
      'NOT_AN_INGESTED_RUN',
    );
  if (externalRunId == null) return run;
  const own = await knownRun(context, { externalRunId });
  if (own?.id !== run.id)
    throw conflict(
      `The run ${runId} does not have externalRunId "${externalRunId}"`,
      'EXTERNAL_RUN_MISMATCH',
    );
  return run;
}

function isOver({ id, status }: Pick<runs.RunRow, 'id' | 'status'>): Refusal {
  return conflict(
    `The run ${id} is ${status}. Results cannot be added to it. Report a new run`,
    'RUN_IS_OVER',
    {
      runId: id,
      status,
    },
  );
}

/** Decides the run unless it is over; repeats if results arrived meanwhile. */
async function finalized(context: ProjectContext, runId: string): Promise<runs.RunRow> {
  for (;;) {
    const commit = await decision(context, runId);
    if (commit)
      await writeInProject(context, async (db) => {
        await commit(db);
        const run = await db.row(runs.get, { id: runId });
        if (run && !isOpen(run.status)) await audit(db, context, 'eval-run.finalize', runId);
      });
    const run = await findRun(context, runId);
    if (!isOpen(run.status)) return run;
  }
}

type Ended = OutputOf<Operations['finalizeEvalIngestRun']>;

export function ended(run: runs.RunRow, reused: boolean): Ended {
  const { suiteId, id: runId, projectId, status, result } = run;
  return {
    ok: true as const,
    suiteId,
    runId,
    projectId,
    ...(reused && { reused: true as const }),
    status,
    result,
    summary: summaryOf(run),
  };
}

function summaryOf(run: runs.RunRow) {
  // Reported trials have ended already, so the rate exists from the first trial on; before it, all figures are 0.
  return { total: 0, passed: 0, failed: 0, passRate: 0, ...presentSummary(run) };
}
