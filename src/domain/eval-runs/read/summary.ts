import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import { decisionDiagnostics, runVerdict, type VerdictDecision } from '../../../evaluation/index.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import type { ProjectContext } from '../../context.ts';
import { type PageRequest, pageBy } from '../../paging.ts';
import type { Verb } from '../../verb.ts';
import type { TrialDetail } from '../execute/stored.ts';
import { findRun } from './find.ts';
import { iterationScope, statusOf } from './iterations.ts';

type Summary = OutputOf<Operations['getEvalRunDecisionSummary']>;

/** As many iterations as asked for are examined, and those that did not pass are explained. */
export const getEvalRunDecisionSummary: Verb<'getEvalRunDecisionSummary'> = async (context, input) => {
  const run = await findRun(context, input.runId);
  const outcome = await context.db.row(runs.outcome, { runId: run.id });
  const page = await pageBy(context, input, {
    scope: iterationScope(run.id),
    placeOf: ({ position }: trials.ListedTrial) => [position] as const,
    fetch: (after, most) => context.db.rows(trials.list, { runId: run.id, after: after?.[0] ?? -1, most }),
    present: (row) => row,
  });
  const place = { projectId: run.projectId, runId: run.id };
  const ended = page.items.filter(({ status }) => status !== null);
  const diagnostics = decisionDiagnostics(place, ended.map(explained), {
    cameWithCursor: input.cursor !== undefined,
    nextCursor: page.nextCursor,
  });
  return summaryOf(run, outcome, { ...diagnostics, scannedIterations: page.items.length });
};

/**
 * The first failures of a run, found without walking past what passed: a page costs the same however many trials there
 * are.
 */
export async function failureSummary(
  context: ProjectContext,
  run: runs.RunRow,
  outcome: runs.OutcomeRow | undefined,
  page: PageRequest,
): Promise<Summary> {
  const { items, nextCursor } = await pageBy(context, page, {
    scope: ['eval-failures', run.id],
    placeOf: ({ position }: trials.ListedTrial) => [position] as const,
    fetch: (after, most) =>
      context.db.rows(trials.failures, { runId: run.id, after: after?.[0] ?? -1, most }),
    present: (row) => row,
  });
  const place = { projectId: run.projectId, runId: run.id };
  const diagnostics = decisionDiagnostics(place, items.map(explained), {
    cameWithCursor: page.cursor !== undefined,
    nextCursor,
  });
  const last = items.at(-1);
  // Whatever lies between two failures was looked at by the index.
  const scanned =
    nextCursor === undefined || !last ? run.finished : Math.min(last.position + 1, run.finished);
  return summaryOf(run, outcome, { ...diagnostics, scannedIterations: scanned });
}

function summaryOf(
  run: runs.RunRow,
  outcome: runs.OutcomeRow | undefined,
  diagnostics: ReturnType<typeof decisionDiagnostics>,
): Summary {
  const isPolicyV2 = run.policy === 2;
  const verdict = runVerdict({
    status: run.status,
    isPolicyV2,
    ...(isPolicyV2 && outcome?.decision ? { decision: outcome.decision as VerdictDecision } : {}),
    ...(run.error !== null && !outcome?.decision && { integrityError: run.error }),
    result: run.result,
    summary: presentSummary(run),
  });
  const { decision, ...rest } = verdict;
  return {
    schemaVersion: 1,
    runId: run.id,
    runStatus: run.status,
    ...rest,
    ...(decision && { decision: { ...decision } }),
    diagnostics: diagnostics as unknown as Summary['diagnostics'],
  };
}

/** Over the trials that have ended. */
export function presentSummary({ finished, passed, failed }: runs.RunRow): {
  total: number;
  passed: number;
  failed: number;
  passRate: number;
} | null {
  if (finished === 0) return null;
  return { total: finished, passed, failed, passRate: passed / finished };
}

function explained(row: trials.ListedTrial): Parameters<typeof decisionDiagnostics>[1][number] {
  const detail = row.detail as TrialDetail | null;
  return {
    iterationId: row.id,
    iterationNumber: row.number,
    testCaseId: row.caseId,
    status: statusOf(row),
    result: row.result,
    ...(detail && {
      caseId: detail.caseId,
      title: detail.title,
      expectedToolCalls: detail.expectedToolCalls,
      actualToolCalls: detail.actualToolCalls,
      error: detail.error,
      stageResults: detail.stageResults,
      firstFailedStage: detail.firstFailedStage,
      failureCategory: detail.failureCategory,
      stageAnalyzerVersion: detail.stageAnalyzerVersion,
    }),
  };
}
