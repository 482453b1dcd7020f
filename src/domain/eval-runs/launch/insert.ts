import type { ApiKeys } from '../../../models/resolve.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { CaseRow } from '../../../platform/database/queries/eval-cases.ts';
import * as runEvents from '../../../platform/database/queries/eval-run-events.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import * as suites from '../../../platform/database/queries/eval-suites.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import { newId } from '../../../platform/ids.ts';
import { invalidBecause } from '../../base/refusals.ts';
import { ownerIn } from '../../context/access.ts';
import { audit } from '../../context/audit.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Suite } from '../../eval-suites/suite.ts';
import { coverageFor, targetFor } from '../coverage.ts';
import { eligibilityOf } from '../import-eligibility.ts';
import type { RunSnapshot } from '../snapshot.ts';
import type { Launch } from './launch.ts';
import type { Plan } from './plan.ts';

interface Planned {
  suite: Suite;
  rows: CaseRow[];
  plan: Plan;
  snapshot: RunSnapshot;
}

/** Inserts the run with its snapshot, its trials, its first event and the audit entry. */
export async function insertRun(
  context: ProjectContext,
  db: Db,
  launch: Launch,
  { suite, rows, plan, snapshot }: Planned,
): Promise<runs.RunRow> {
  const { actor, project, clock, config } = context;
  const { environment, client } = snapshot;
  const { number: runNumber } = await db.one(suites.nextRun, { id: suite.id });
  const run = await db.one(runs.insert, {
    id: newId('run', clock()),
    organizationId: actor.organization.id,
    projectId: project.id,
    suiteId: suite.id,
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
    suiteRevision: suite.revision,
    name: null,
    tags: [],
    metadata: launch.metadata ?? null,
    importEligibility: eligibilityOf(rows, launch.overrides.approved, { id: actor.user.id, now: clock() }),
    coverage: await coverageFor(db, snapshot, {
      chosen: launch.caseIds !== undefined || launch.tests !== undefined,
      isTry: launch.isTry ?? false,
    }),
    target: targetFor(snapshot, launch.excludeSkills),
    trials: trialCount(plan),
    deadlineAt: clock() + config.evalRunTimeout * 1000,
    sealedId: await sealKeys(context, db, launch.overrides.apiKeys),
    idempotencyKey: launch.idempotencyKey ?? null,
    requestHash: launch.requestHash ?? null,
  });
  await db.run(runs.insertSnapshot, { runId: run.id, snapshot });
  await insertTrials(context, db, run.id, plan);
  const event = { type: 'run.started', runId: run.id, at: clock(), trials: run.trials };
  await db.run(runEvents.addLastEvent, { runId: run.id, data: event });
  await audit(db, context, 'eval-run.create', run.id);
  return run;
}

async function sealKeys(context: ProjectContext, db: Db, apiKeys: ApiKeys): Promise<string | null> {
  if (Object.keys(apiKeys).length === 0) return null;
  return context.vault.seal(db, ownerIn(context), apiKeys);
}

function trialCount({ cases }: Plan): number {
  return cases.reduce((sum, { trials, variants }) => sum + trials * variants.length, 0);
}

/** Inserts the trials in the order in which they run: by case, then by model, then by number. */
async function insertTrials(context: ProjectContext, db: Db, runId: string, { cases }: Plan): Promise<void> {
  const rows = cases.flatMap(({ id, trials, variants }) =>
    variants.flatMap((_, variant) =>
      Array.from({ length: trials }, (_trial, number) => ({ caseId: id, variant, number: number + 1 })),
    ),
  );
  if (rows.length === 0) throw invalidBecause('The run would have no trials', 'NO_CASES');
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
