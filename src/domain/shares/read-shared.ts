import type { OutputOf } from '../../contract/operation.ts';
import type { VisitOperations } from '../../contract/visit/index.ts';
import { quantile } from '../../evaluation/index.ts';
import type { Db } from '../../platform/database/database.ts';
import * as conformanceRuns from '../../platform/database/queries/conformance-runs.ts';
import * as runs from '../../platform/database/queries/eval-runs.ts';
import * as suites from '../../platform/database/queries/eval-suites.ts';
import * as trials from '../../platform/database/queries/eval-trials.ts';
import * as shares from '../../platform/database/queries/shares.ts';
import { hashToken } from '../../platform/secrets/tokens.ts';
import { deadLink } from '../base/refusals.ts';
import { presentSuites } from '../conformance-runs/present.ts';
import { failingChecks } from '../conformance-runs/read.ts';
import type { PublicContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { presentSummary } from '../eval-runs/totals.ts';

type Shown = OutputOf<VisitOperations['readShared']>;
type Case = Extract<Shown, { kind: 'evalRun' }>['run']['cases'][number];

const maxTrials = 5_000;

/** Shows the results of a run in numbers. Prompts, answers and tool data require an account. */
export const readShared: Verb<'readShared'> = async (context, { body }) => {
  const share = await context.db.row(shares.byLink, { linkHash: hashToken(body.link) });
  if (!share) throw deadLink();
  return share.kind === 'evalRun' ? evalRun(context, share) : conformanceRun(context, share);
};

async function evalRun({ db }: PublicContext, share: shares.ShareRow): Promise<Shown> {
  const run = await db.row(runs.find, { projectId: share.projectId, id: share.targetId });
  if (!run) throw deadLink();
  const suite = await db.row(suites.find, { projectId: run.projectId, id: run.suiteId });
  const states = await db.rows(trials.states, { runId: run.id, after: -1, most: maxTrials + 1 });
  const cases = await casesOf(db, run, states.slice(0, maxTrials));
  return {
    kind: 'evalRun',
    title: suite?.name ?? `Run ${run.runNumber}`,
    expiresAt: share.expiresAt,
    run: {
      runNumber: run.runNumber,
      status: run.status,
      result: run.result,
      ...(run.warnings !== null && { warnings: run.warnings }),
      summary: presentSummary(run),
      models: [...new Set(cases.map(({ model }) => model))],
      createdAt: run.createdAt,
      completedAt: run.completedAt,
      cases,
      truncated: states.length > maxTrials,
    },
  };
}

/** Shows only titles of checks: errors may quote the server or its address. */
async function conformanceRun(context: PublicContext, share: shares.ShareRow): Promise<Shown> {
  const { db } = context;
  const run = await db.row(conformanceRuns.find, { projectId: share.projectId, id: share.targetId });
  if (!run) throw deadLink();
  const reports = await db.rows(conformanceRuns.reportsOf, { runIds: [run.id] });
  const { checks, total } =
    reports.length === 0 ? { checks: [], total: 0 } : await failingChecks(context, run);
  const { serverRef } = run.target;
  const { status, outcome, score, createdAt, completedAt } = run;
  return {
    kind: 'conformanceRun',
    title: typeof serverRef === 'string' && !serverRef.includes('://') ? serverRef : 'Conformance run',
    expiresAt: share.expiresAt,
    run: {
      status,
      outcome,
      score,
      createdAt,
      completedAt,
      suites: presentSuites(run, reports).map((suite) => ({
        suiteKind: suite.suiteKind,
        status: suite.status,
        outcome: suite.outcome,
        score: suite.score,
        passed: suite.passed,
        failed: suite.failed,
        skipped: suite.skipped,
        pending: suite.pending,
      })),
      checks: checks.map((check) => ({
        suiteKind: check.suiteKind,
        group: check.groupTitle ?? check.groupId,
        title: check.title ?? check.id,
        status: check.status,
      })),
      truncated: total > checks.length,
    },
  };
}

/** One row per case and model, in suite order. */
async function casesOf(db: Db, run: runs.RunRow, states: readonly trials.TrialStateRow[]): Promise<Case[]> {
  const named = await db.rows(runs.caseNames, { runId: run.id });
  const known = new Map(named.map((one) => [one.id, one]));
  const groups = new Map<string, trials.TrialStateRow[]>();
  for (const state of states) {
    const key = `${state.caseId} ${state.variant}`;
    groups.set(key, [...(groups.get(key) ?? []), state]);
  }
  return [...groups.values()].map((group) => {
    const [{ caseId, variant }] = group as [trials.TrialStateRow];
    const { title, variants } = known.get(caseId) ?? {};
    const times = group.flatMap(({ durationMs }) => (durationMs === null ? [] : [durationMs]));
    const stages = group.flatMap(({ firstFailedStage, result }) =>
      firstFailedStage === null || result === 'passed' ? [] : [firstFailedStage],
    );
    return {
      title: title ?? 'A case',
      model: variants?.[variant]?.model ?? 'unknown',
      trials: group.length,
      passed: group.filter(({ result }) => result === 'passed').length,
      failed: group.filter(({ result }) => result === 'failed').length,
      medianMs: quantile(times, 0.5) ?? null,
      failedAt: [...new Set(stages)],
    };
  });
}
