import type { Refusal } from '../../../contract/errors.ts';
import { compareRuns } from '../../../evaluation/index.ts';
import type { CaseRow } from '../../../platform/database/queries/eval-cases.ts';
import * as cases from '../../../platform/database/queries/eval-cases.ts';
import type { RunRow } from '../../../platform/database/queries/eval-runs.ts';
import { identityOf } from '../../base/idempotency.ts';
import { conflict } from '../../base/refusals.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { findSuite, type Suite } from '../../eval-suites/suite.ts';
import { selectTarget, type Wanted } from '../../execution/selection.ts';
import { sideOf } from '../compare/side.ts';
import { findRun, snapshotOf } from '../find.ts';
import { isOpen } from '../is-open.ts';
import type { PlannedCase, RunSnapshot } from '../snapshot.ts';
import { answerOf, launcherOf, sharedLaunch, sharedOverrides } from './launch.ts';
import { replayed } from './replay.ts';
import { startRun } from './start.ts';

/** The failed cases of a run, and where they would run again. */
interface Again {
  run: RunRow;
  suite: Suite;
  snapshot: RunSnapshot;
  /** Failed cases that still exist in the suite; `missing` has the deleted ones. */
  rows: CaseRow[];
  missing: PlannedCase[];
  problem: Refusal | undefined;
}

export const getEvalRunRerunPreview: Verb<'getEvalRunRerunPreview'> = async (context, { runId }) => {
  const { run, suite, snapshot, rows, missing, problem } = await againOf(context, runId);
  const trialsOf = new Map(snapshot.cases.map(({ id, trials, variants }) => [id, trials * variants.length]));
  return {
    sourceRunId: run.id,
    suiteId: suite.id,
    scope: 'failed_cases',
    canRerun: problem === undefined,
    ...(problem && { reason: String(problem.details?.['code']), message: problem.message }),
    cases: rows.map(presentCase),
    missingCases: missing.map(presentCase),
    trials: rows.reduce((sum, { id }) => sum + (trialsOf.get(id) ?? 0), 0),
    servers: snapshot.reported ? [] : snapshot.servers.map(({ id, name }) => ({ id, name })),
    environment: run.environment,
    model: run.modelSource === 'override' ? run.modelId : null,
  };
};

export const rerunEvalRun: Verb<'rerunEvalRun'> = async (context, input) => {
  const { body, runId } = input;
  const identity = identityOf(context, input, body.idempotencyKey, { ...body, rerunOf: runId });
  const earlier = await replayed(context, identity);
  if (earlier) return answerOf(earlier);
  const { run, suite, snapshot, rows, problem } = await againOf(context, runId);
  if (problem) throw problem;
  const started = await startRun(context, {
    suite,
    selection: await selectTarget(context, suite, placeOf(suite, snapshot)),
    ...sharedLaunch(body),
    ...identity,
    caseIds: rows.map(({ id }) => id),
    ...(snapshot.policy === 1 && { minimumPassRate: snapshot.minimumPassRate }),
    overrides: {
      ...sharedOverrides(body),
      ...(run.modelSource === 'override' && run.modelId !== null && { model: run.modelId }),
    },
    source: 'api',
    launcher: launcherOf(input),
    ci: input.headers['x-mcpjam-ci'],
    metadata: { rerunOf: run.id, scope: body.scope },
  });
  return answerOf(started);
};

async function againOf(context: ProjectContext, runId: string): Promise<Again> {
  const { db } = context;
  const run = await findRun(context, runId);
  const [suite, snapshot] = [await findSuite(context, run.suiteId), await snapshotOf(context, run.id)];
  const failed = isOpen(run.status) ? [] : await failedCases(context, run, snapshot);
  const ids = failed.map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await db.rows(cases.all, { suiteId: suite.id, ids });
  const there = new Set(rows.map(({ id }) => id));
  const missing = failed.filter(({ id }) => !there.has(id));
  return { run, suite, snapshot, rows, missing, problem: problemOf(run, snapshot, failed, rows) };
}

/** Cases below their pass threshold with any model, and cases that were not measured. */
async function failedCases(
  { db }: ProjectContext,
  run: RunRow,
  snapshot: RunSnapshot,
): Promise<PlannedCase[]> {
  const side = await sideOf(db, run);
  const outcomes = compareRuns([], side.cases).cases;
  // One outcome per model of each case, in snapshot order.
  const passed = outcomes.map(({ compare }) => compare.outcome === 'passed');
  let at = 0;
  return snapshot.cases.filter(({ variants }) => {
    const own = passed.slice(at, at + variants.length);
    at += variants.length;
    return !own.every(Boolean);
  });
}

function problemOf(
  { status }: RunRow,
  { reported }: RunSnapshot,
  failed: readonly PlannedCase[],
  rows: readonly CaseRow[],
): Refusal | undefined {
  if (reported)
    return conflict('The run was reported by another system. Run it again there', 'RAN_ELSEWHERE');
  if (isOpen(status)) return conflict(`The run is ${status}. Wait until it has ended`, 'RUN_NOT_TERMINAL');
  if (failed.length === 0) return conflict('No cases to rerun: every case passed', 'NO_FAILED_CASES');
  if (rows.length === 0) return conflict('The suite no longer has the cases that did not pass', 'CASES_GONE');
  return undefined;
}

/** Where the source run took place. The suite's own servers need not be named. */
function placeOf(suite: Suite, { environment, servers, client }: RunSnapshot): Wanted {
  if (environment) return { environmentId: environment.id, ephemeralEnvironment: true };
  const namedHostId = suite.hosts.find(({ id }) => id === client?.id)?.id;
  return {
    ...(suite.environmentIds.length === 0 && { serverIds: servers.map(({ id }) => id) }),
    ...(namedHostId !== undefined && { namedHostId }),
  };
}

function presentCase({ id, declaredId, title }: Pick<CaseRow, 'id' | 'declaredId' | 'title'>) {
  return { testCaseId: id, caseKey: declaredId, title };
}
