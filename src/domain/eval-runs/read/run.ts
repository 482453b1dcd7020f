import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as evaluations from '../../../platform/database/queries/case-evaluations.ts';
import * as outcomes from '../../../platform/database/queries/eval-run-outcomes.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import { pageBy } from '../../base/paging.ts';
import type { Verb } from '../../context/verb.ts';
import { findSuite } from '../../eval-suites/suite.ts';
import { coverageOf } from '../coverage.ts';
import { findRun } from '../find.ts';
import { waiverOf } from '../gate/waivers.ts';
import { presentEligibility } from '../import-eligibility.ts';
import { insightsOf } from '../insights.ts';
import { isOpen } from '../is-open.ts';
import { judgesOf } from '../judge/read.ts';
import { presentSummary } from '../totals.ts';
import { failureSummary } from './summary.ts';

type Run = OutputOf<Operations['cancelEvalRun']>;
type Detail = OutputOf<Operations['getEvalRun']>;

export const getEvalRun: Verb<'getEvalRun'> = async (context, input) => {
  const { db } = context;
  const run = await findRun(context, input.runId);
  const over = !isOpen(run.status);
  const outcome = over ? await db.row(outcomes.ofRun, { runId: run.id }) : undefined;
  const decision = (outcome?.decision ?? null) as Record<string, unknown> | null;
  const running = over ? 0 : (await db.one(trials.running, { runId: run.id })).count;
  return {
    ...presentRun(run, running),
    gateWaiver: await waiverOf(context, run.id),
    importEligibility: presentEligibility(run.importEligibility),
    ...(run.source === 'sdk' && (await evaluationsOf(db, run.id))),
    decision,
    decisionSummary: await failureSummary(context, run, outcome, input),
    ...(run.policy === 2 && decision && { verdictSummary: decision }),
    ...(run.policy === 2 &&
      over &&
      !decision &&
      run.error !== null && { verdictPolicyIntegrityError: run.error }),
    statistics: (outcome?.statistics ?? null) as Detail['statistics'],
    judges: await judgesOf(db, run.id),
    insights: await insightsOf(db, run),
    usage: {
      inputTokens: run.inputTokens,
      outputTokens: run.outputTokens,
      totalTokens: run.inputTokens + run.outputTokens,
      modelCalls: run.modelCalls,
      estimatedCostUsd: run.costMicros === null ? null : run.costMicros / 1_000_000,
      creditsSpent: run.billedMicros / 10_000,
    },
  };
};

/** Only reported runs have evaluations. */
async function evaluationsOf(db: Db, runId: string): Promise<Pick<Detail, 'runEvaluationsByCase'>> {
  const rows = await db.rows(evaluations.ofRun, { runId });
  if (rows.length === 0) return {};
  return { runEvaluationsByCase: rows.map(({ evaluation }) => evaluation as Record<string, unknown>) };
}

export const listEvalRuns: Verb<'listEvalRuns'> = async (context, input) => {
  const { suiteId = null, status = null, result = null, coverage } = input;
  const projectId = context.project.id;
  return pageBy(context, input, {
    scope: ['eval-runs-of-project', projectId, suiteId, status, result, coverage ?? null],
    placeOf: ({ id }: runs.RunRow) => [id] as const,
    fetch: (after, most) =>
      context.db.rows(runs.ofProject, {
        projectId,
        suiteId,
        status,
        result,
        whole: coverage === 'suite',
        before: after?.[0] ?? '~',
        most,
      }),
    present: (run) => presentRun(run, 0),
  });
};

export const listEvalSuiteRuns: Verb<'listEvalSuiteRuns'> = async (context, input) => {
  const { id: suiteId } = await findSuite(context, input.suiteId);
  return pageBy(context, input, {
    scope: ['eval-runs', suiteId, input.coverage ?? null],
    placeOf: ({ id }: runs.RunRow) => [id] as const,
    // `~` sorts after every ID.
    fetch: (after, most) =>
      context.db.rows(runs.ofSuite, {
        suiteId,
        whole: input.coverage === 'suite',
        before: after?.[0] ?? '~',
        most,
      }),
    present: (run) => presentRun(run, 0),
  });
};

export function presentRun(run: runs.RunRow, running: number): Run {
  const { client, launcher, ci, runGroupId, modelId, modelSource } = run;
  return {
    id: run.id,
    suiteId: run.suiteId,
    runNumber: run.runNumber,
    status: run.status,
    result: run.result,
    ...(run.stopReason !== null && { stopReason: run.stopReason }),
    ...(run.error !== null && { error: run.error }),
    ...(run.warnings !== null && { warnings: run.warnings }),
    summary: presentSummary(run),
    progress: { trials: run.trials, finished: run.finished, running },
    source: run.source as Run['source'],
    notes: run.notes,
    environment: run.environment,
    ...(client !== null && { client: client as NonNullable<Run['client']> }),
    ...(launcher !== null && { launcher: launcher as Record<string, unknown> }),
    ...(ci !== null && { ciMetadata: ci as Record<string, unknown> }),
    attribution: attributionOf(run),
    // Reported runs (`sdk`) used the reporter's own engine.
    ...(run.source !== 'sdk' && { executionEngine: 'emulated' as const }),
    ...(run.name !== null && { name: run.name }),
    ...(run.tags.length > 0 && { tags: run.tags }),
    ...(run.metadata !== null && { runMetadata: run.metadata as Record<string, unknown> }),
    ...(run.policy === 2 && { verdictPolicyVersion: 2 as const }),
    ...(runGroupId !== null && { runGroupId }),
    ...(modelId !== null && { effectiveModelId: modelId }),
    ...(modelSource !== null && { modelSource: modelSource as NonNullable<Run['modelSource']> }),
    suiteRevision: run.suiteRevision,
    coverage: coverageOf(run),
    ...(run.scoreIntegrity !== null && { scoreIntegrity: run.scoreIntegrity }),
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    completedAt: run.completedAt,
  };
}

/** A run with an API key came over HTTP. Without one, the scheduler or the command line started it. */
function attributionOf({ keyId, source }: runs.RunRow): Run['attribution'] {
  if (keyId !== null) return { surface: 'rest', apiKeyId: keyId };
  return { surface: source === 'schedule' ? 'workspace' : 'cli' };
}
