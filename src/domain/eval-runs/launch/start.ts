import { Refusal } from '../../../contract/errors.ts';
import { mostTargets } from '../../../contract/eval-launch.ts';
import type { ApiKeys } from '../../../models/resolve.ts';
import { type Db, violates } from '../../../platform/database/database.ts';
import type { CaseRow } from '../../../platform/database/queries/eval-cases.ts';
import * as runEvents from '../../../platform/database/queries/eval-run-events.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import * as suites from '../../../platform/database/queries/eval-suites.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import { newId } from '../../../platform/ids.ts';
import { ownerIn, writeInProject } from '../../access.ts';
import { audit } from '../../audit.ts';
import type { ProjectContext } from '../../context.ts';
import type { CaseDefinition } from '../../eval-cases/definition.ts';
import { addSuite } from '../../eval-suites/create.ts';
import { type Suite, suiteOf } from '../../eval-suites/suite.ts';
import { limitsOf } from '../../limits/plan.ts';
import { refuseSpent } from '../../limits/spend-budget.ts';
import { found } from '../../refusals.ts';
import { coverageFor, targetFor } from '../coverage.ts';
import { eligibilityOf } from '../import-eligibility.ts';
import { casesNamed, casesWritten } from './cases.ts';
import { type Overrides, type Plan, planRun } from './plan.ts';
import { refused, requireUnchanged, type Selection } from './select.ts';
import { snapshotOf } from './take-snapshot.ts';

/** How a request is recognized when it comes again. */
export interface Identity {
  idempotencyKey?: string | undefined;
  requestHash?: string | undefined;
}

/** A run that was checked as far as it can be without writing anything. */
export interface Launch extends Identity {
  /** A saved suite, or what a new one is made of. */
  suite: Suite | NewSuite;
  selection: Selection;
  overrides: Overrides;
  tests?: { title: string; definition: CaseDefinition }[] | undefined;
  caseIds?: string[] | undefined;
  minimumPassRate?: number | undefined;
  excludeSkills: boolean;
  /** Of a case that is being written: nobody compares with it. */
  isTry?: boolean | undefined;
  notes?: string | undefined;
  source: 'api' | 'schedule';
  runGroupId?: string | undefined;
  launcher?: Record<string, string> | undefined;
  ci?: Record<string, string> | undefined;
  metadata?: Record<string, unknown>;
}

export type NewSuite = Omit<Parameters<typeof addSuite>[2], 'hosts'> & { hosts: Suite['hosts']; isNew: true };

export interface Started {
  run: runs.RunRow;
  servers: { id: string; name: string }[];
  committed: { id: string; name: string }[];
  deduped: boolean;
}

/** The run, its trials and its snapshot, in one transaction: all of it is there, or nothing. */
export async function startRun(context: ProjectContext, launch: Launch): Promise<Started> {
  const earlier = await replayed(context, launch);
  if (earlier) return earlier;
  try {
    return await writeInProject(context, (db) => write(context, db, launch));
  } catch (error) {
    // Perhaps only because the same request was faster: its run may have taken the last slot.
    const overtaken = violates(error, 'eval_runs_key') || error instanceof Refusal;
    const first = overtaken ? await replayed(context, launch) : undefined;
    if (first) return first;
    throw error;
  }
}

/** The run that this key has made already. */
export async function replayed(
  { db, project }: ProjectContext,
  { idempotencyKey, requestHash }: Identity,
): Promise<Started | undefined> {
  if (idempotencyKey === undefined) return undefined;
  const row = await db.row(runs.byKey, { projectId: project.id, idempotencyKey });
  if (!row) return undefined;
  const { requestHash: first, ...run } = row;
  if (first !== requestHash)
    throw new Refusal('CONFLICT', 'This idempotency key was used with another request. Use a new key', {
      details: { reason: 'IDEMPOTENCY_KEY_REUSED', runId: run.id },
    });
  const { servers } = await db.one(runs.servers, { runId: run.id });
  return { run, servers: servers.map(({ id, name }) => ({ id, name })), committed: [], deduped: true };
}

async function write(context: ProjectContext, db: Db, launch: Launch): Promise<Started> {
  const { selection, overrides } = launch;
  const suite = await suiteOfRun(context, db, launch.suite);
  await requireUnchanged(db, context, selection);
  const { rows, committed, revision } = await casesOfRun(context, db, suite, launch);
  const plan = planRun(context, suite, rows, selection, overrides);
  const snapshot = await snapshotOf(context, db, { ...suite, revision }, plan, launch);
  await refuseSpent(context, db, plan.routes);
  await takeSlot(context, db, launch.runGroupId);
  const { id: suiteId } = suite;
  const { number: runNumber } = await db.one(suites.nextRun, { id: suiteId });
  const { environment, client } = snapshot;
  const { actor, project, clock, config } = context;
  const run = await db.one(runs.insert, {
    id: newId('run', clock()),
    organizationId: actor.organization.id,
    projectId: project.id,
    suiteId,
    runNumber,
    source: launch.source,
    notes: launch.notes ?? null,
    startedBy: actor.user.id,
    keyId: actor.keyId ?? null,
    environment,
    client: client && {
      id: client.id,
      name: client.name,
      source: environment ? 'environment' : 'attached_host',
    },
    launcher: launch.launcher ?? null,
    ci: launch.ci ?? null,
    policy: snapshot.policy,
    runGroupId: launch.runGroupId ?? null,
    modelId: plan.modelId ?? null,
    modelSource: plan.modelSource ?? null,
    suiteRevision: revision,
    name: null,
    tags: [],
    metadata: launch.metadata ?? null,
    importEligibility: eligibilityOf(rows, overrides.approved, { id: actor.user.id, now: clock() }),
    coverage: await coverageFor(db, snapshot, {
      chosen: launch.caseIds !== undefined || launch.tests !== undefined,
      isTry: launch.isTry ?? false,
    }),
    target: targetFor(snapshot, launch.excludeSkills),
    trials: trialCount(plan),
    deadlineAt: clock() + config.evalRunTimeout * 1000,
    sealedId: await sealKeys(context, db, overrides.apiKeys),
    idempotencyKey: launch.idempotencyKey ?? null,
    requestHash: launch.requestHash ?? null,
  });
  await db.run(runs.insertSnapshot, { runId: run.id, snapshot });
  await insertTrials(context, db, run.id, plan);
  const event = { type: 'run.started', runId: run.id, at: clock(), trials: run.trials };
  await db.run(runEvents.addLastEvent, { runId: run.id, data: event });
  await audit(db, context, 'eval-run.create', run.id);
  return { run, servers: selection.servers, committed, deduped: false };
}

async function suiteOfRun(context: ProjectContext, db: Db, suite: Launch['suite']): Promise<Suite> {
  if ('isNew' in suite) {
    const { isNew: _, ...fields } = suite;
    return addSuite(context, db, fields);
  }
  const which = { projectId: context.project.id, id: suite.id };
  return suiteOf(found(await db.row(suites.lock, which), 'suite'));
}

/** Those of the suite that are named, or all; with tests in the request, those. */
async function casesOfRun(
  context: ProjectContext,
  db: Db,
  suite: Suite,
  { tests, caseIds }: Launch,
): Promise<{ rows: CaseRow[]; committed: { id: string; name: string }[]; revision: number }> {
  if (!tests)
    return { rows: await casesNamed(db, suite.id, caseIds), committed: [], revision: suite.revision };
  const { rows, revision } = await casesWritten(context, db, suite, tests);
  return { rows, committed: rows.map(({ id, title }) => ({ id, name: title })), revision };
}

/** An organization runs so many at once; runs of one group, up to as many as a group has, count as one. */
async function takeSlot(context: ProjectContext, db: Db, runGroupId: string | undefined): Promise<void> {
  const organizationId = context.actor.organization.id;
  await db.row(runs.lineUp, { organizationId });
  const { limits } = await limitsOf({ ...context, db }, organizationId);
  const most = limits['concurrentEvalRuns'] ?? null;
  const which = { organizationId, runGroupId: runGroupId ?? null, most: mostTargets };
  const { count, ofGroup } = await db.one(runs.open, which);
  if (ofGroup % mostTargets !== 0) return;
  if (most !== null && count >= most)
    throw new Refusal(
      'RATE_LIMITED',
      `${count} of ${most} eval runs at once are under way. Wait for one, or cancel it`,
      { details: { reason: 'CONCURRENT_RUN_LIMIT', maxConcurrentRuns: most } },
    );
}

async function sealKeys(context: ProjectContext, db: Db, apiKeys: ApiKeys): Promise<string | null> {
  if (Object.keys(apiKeys).length === 0) return null;
  return context.vault.seal(db, ownerIn(context), apiKeys);
}

function trialCount({ cases }: Plan): number {
  return cases.reduce((sum, { trials, variants }) => sum + trials * variants.length, 0);
}

/** Case by case, in each model by model, in each trial by trial. */
async function insertTrials(context: ProjectContext, db: Db, runId: string, { cases }: Plan): Promise<void> {
  const rows = cases.flatMap(({ id, trials, variants }) =>
    variants.flatMap((_, variant) =>
      Array.from({ length: trials }, (_trial, number) => ({ caseId: id, variant, number: number + 1 })),
    ),
  );
  if (rows.length === 0) throw refused('The run would have no trials', 'NO_CASES');
  await db.run(trials.insert, {
    organizationId: context.actor.organization.id,
    projectId: context.project.id,
    runId,
    ids: rows.map(() => newId('itr', context.clock())),
    positions: rows.map((_, position) => position),
    caseIds: rows.map(({ caseId }) => caseId),
    variants: rows.map(({ variant }) => variant),
    numbers: rows.map(({ number }) => number),
  });
}
