import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import { decisionDiagnostics, runVerdict, type VerdictDecision } from '../../../evaluation/index.ts';
import * as outcomes from '../../../platform/database/queries/eval-run-outcomes.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import { type PageRequest, pageBy } from '../../base/paging.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { findRun } from '../find.ts';
import { isOpen } from '../is-open.ts';
import type { TrialDetail } from '../stored.ts';
import { presentSummary } from '../totals.ts';
import { iterationScope, statusOf } from './iterations.ts';

type Summary = OutputOf<Operations['getEvalRunDecisionSummary']>;

/** Examines as many iterations as requested, and explains the ones that did not pass. */
export const getEvalRunDecisionSummary: Verb<'getEvalRunDecisionSummary'> = async (context, input) => {
  const run = await findRun(context, input.runId);
  const outcome = await context.db.row(outcomes.ofRun, { runId: run.id });
  const page = await pageBy(context, input, {
    scope: iterationScope(run.id),
    placeOf: ({ position }: trials.ListedTrial) => [position] as const,
    fetch: (after, most) => context.db.rows(trials.list, { runId: run.id, after: after?.[0] ?? -1, most }),
    present: (row) => row,
  });
  const place = { projectId: run.projectId, runId: run.id };
  // While the run is open, a trial without a result may still pass.
  const over = page.items.filter(({ status }) => status !== null || !isOpen(run.status));
  const trialsToExplain = await explained(context, run, over);
  const diagnostics = decisionDiagnostics(place, trialsToExplain, {
    cameWithCursor: input.cursor !== undefined,
    nextCursor: page.nextCursor,
  });
  return summaryOf(run, outcome, { ...diagnostics, scannedIterations: page.items.length });
};

/** Finds failures by index instead of scanning passed trials, so the cost of a page does not grow with the run. */
export async function failureSummary(
  context: ProjectContext,
  run: runs.RunRow,
  outcome: outcomes.OutcomeRow | undefined,
  page: PageRequest,
): Promise<Summary> {
  const trialsLeft = isOpen(run.status) ? 0 : run.trials - run.finished;
  const { items, nextCursor } = await pageBy(context, page, {
    scope: ['eval-failures', run.id],
    placeOf: ({ position }: trials.ListedTrial) => [position] as const,
    fetch: (after, most) =>
      context.db.rows(trialsLeft > 0 ? trials.unpassed : trials.failures, {
        runId: run.id,
        after: after?.[0] ?? -1,
        most,
      }),
    present: (row) => row,
  });
  const place = { projectId: run.projectId, runId: run.id };
  const diagnostics = decisionDiagnostics(place, await explained(context, run, items), {
    cameWithCursor: page.cursor !== undefined,
    nextCursor,
  });
  const last = items.at(-1);
  const all = run.finished + trialsLeft;
  // The index skipped the passed trials between two failures, so they count as scanned.
  const scanned = nextCursor === undefined || !last ? all : Math.min(last.position + 1, all);
  return summaryOf(run, outcome, { ...diagnostics, scannedIterations: scanned });
}

function summaryOf(
  run: runs.RunRow,
  outcome: outcomes.OutcomeRow | undefined,
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

type Explained = Parameters<typeof decisionDiagnostics>[1][number];

/** For trials without a result, the explanation names the case and how the run ended. */
async function explained(
  { db }: Pick<ProjectContext, 'db'>,
  run: runs.RunRow,
  rows: readonly trials.ListedTrial[],
): Promise<Explained[]> {
  const named = rows.some(({ detail }) => detail === null)
    ? await db.rows(runs.caseNames, { runId: run.id })
    : [];
  const titles = new Map(named.map(({ id, title }) => [id, title]));
  return rows.map((row) =>
    row.detail === null
      ? { ...withResult(row), title: titles.get(row.caseId) ?? undefined, error: endedWithout(run) }
      : withResult(row),
  );
}

function endedWithout({ status }: runs.RunRow): string {
  if (status === 'cancelled') return 'The run was cancelled before this trial ended';
  if (status === 'timed_out') return 'The run timed out before this trial ended';
  return 'The run ended before this trial did';
}

function withResult(row: trials.ListedTrial): Explained {
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
