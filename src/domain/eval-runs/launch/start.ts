import { Refusal } from '../../../contract/errors.ts';
import { maxTargets } from '../../../contract/eval-launch.ts';
import { type Db, violates } from '../../../platform/database/database.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import * as suites from '../../../platform/database/queries/eval-suites.ts';
import { found } from '../../base/refusals.ts';
import { writeInProject } from '../../context/access.ts';
import type { ProjectContext } from '../../context/context.ts';
import { addSuite } from '../../eval-suites/create.ts';
import { type Suite, suiteOf } from '../../eval-suites/suite.ts';
import { requireUnchanged } from '../../execution/require-unchanged.ts';
import { limitsOf } from '../../limits/plan.ts';
import { refuseSpent } from '../../limits/spend-budget.ts';
import { casesOfRun } from './cases.ts';
import { insertRun } from './insert.ts';
import type { Launch } from './launch.ts';
import { planRun } from './plan.ts';
import { replayed, type Started } from './replay.ts';
import { snapshotOf } from './take-snapshot.ts';

/**
 * Creates the run, its trials and its snapshot in one transaction. If the idempotency key was used before, returns the
 * run of that request.
 */
export async function startRun(context: ProjectContext, launch: Launch): Promise<Started> {
  try {
    return await writeInProject(context, (db) => write(context, db, launch));
  } catch (error) {
    // A concurrent request with the same key may have created the run, and taken the last slot with it.
    const overtaken = violates(error, 'eval_runs_key') || error instanceof Refusal;
    const first = overtaken ? await replayed(context, launch) : undefined;
    if (first) return first;
    throw error;
  }
}

async function write(context: ProjectContext, db: Db, launch: Launch): Promise<Started> {
  const { selection, overrides } = launch;
  const suite = await suiteOfRun(context, db, launch.suite);
  await requireUnchanged(db, context, selection);
  const { rows, committed, revision } = await casesOfRun(context, db, suite, launch);
  const planned = { ...suite, revision };
  const plan = planRun(context, planned, rows, selection, overrides);
  const snapshot = await snapshotOf(context, db, planned, plan, launch);
  await refuseSpent(context, db, plan.routes);
  await takeSlot(context, db, launch.runGroupId);
  const run = await insertRun(context, db, launch, { suite: planned, rows, plan, snapshot });
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

/** Refuses a run beyond the plan's limit of concurrent runs. Up to `maxTargets` runs of a group count as one. */
async function takeSlot(context: ProjectContext, db: Db, runGroupId: string | undefined): Promise<void> {
  const organizationId = context.actor.organization.id;
  await db.row(runs.lockStarts, { organizationId });
  const { limits } = await limitsOf({ ...context, db }, organizationId);
  const maxRuns = limits['concurrentEvalRuns'] ?? null;
  const which = { organizationId, runGroupId: runGroupId ?? null, most: maxTargets };
  const { count, ofGroup } = await db.one(runs.open, which);
  if (ofGroup % maxTargets !== 0) return;
  if (maxRuns !== null && count >= maxRuns)
    throw new Refusal(
      'RATE_LIMITED',
      `The limit of ${maxRuns} concurrent eval runs is reached (${count} running). Wait for one to finish, or cancel one`,
      { details: { reason: 'CONCURRENT_RUN_LIMIT', maxConcurrentRuns: maxRuns } },
    );
}
