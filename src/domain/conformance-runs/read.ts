import { type FailingCase, failingCases, type SuiteReport } from '../../conformance/report.ts';
import { Refusal } from '../../contract/errors.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { groupBy } from '../../evaluation/index.ts';
import * as runs from '../../platform/database/queries/conformance-runs.ts';
import { redact } from '../../platform/log.ts';
import { readTrace } from '../artifacts/traces.ts';
import { pageByLatest } from '../base/paging.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { type ConformanceRun, findConformanceRun } from './find.ts';
import { presentConformanceRun, presentedRun, presentSuites } from './present.ts';

type Check = OutputOf<Operations['getConformanceReport']>['checks'][number];

const maxChecks = 50;
/** Maximum number of characters of an error. */
const maxError = 2_000;

export const listConformanceRuns: Verb<'listConformanceRuns'> = async (context, { serverId, ...page }) => {
  const { db, project } = context;
  const projectId = project.id;
  const { items, ...rest } = await pageByLatest(
    context,
    ['conformance-runs', projectId, serverId ?? null],
    page,
    (before, most) =>
      serverId === undefined
        ? db.rows(runs.list, { projectId, before, most })
        : db.rows(runs.listOfServer, { projectId, serverId, before, most }),
    (run: ConformanceRun) => run,
  );
  const reports = await db.rows(runs.reportsOf, { runIds: items.map(({ id }) => id) });
  const byRun = groupBy(reports, ({ runId }) => runId);
  return { items: items.map((run) => presentConformanceRun(run, byRun.get(run.id) ?? [])), ...rest };
};

export const getConformanceRun: Verb<'getConformanceRun'> = async (context, { conformanceRunId }) =>
  presentedRun(context, await findConformanceRun(context, conformanceRunId));

export const getConformanceReport: Verb<'getConformanceReport'> = async (context, { conformanceRunId }) => {
  const run = await findConformanceRun(context, conformanceRunId);
  const { checks, total } = await failingChecks(context, run);
  const reports = await context.db.rows(runs.reportsOf, { runIds: [run.id] });
  const sum = (field: 'totalCases' | 'pending'): number => reports.reduce((all, one) => all + one[field], 0);
  const { id: runId, projectId, status, outcome, score } = run;
  return {
    runId,
    projectId,
    status,
    outcome,
    score,
    suites: presentSuites(run, reports),
    checks,
    totalCases: sum('totalCases'),
    totalFailingCases: total,
    truncated: total > checks.length,
    pending: sum('pending'),
  };
};

/** The most informative failures of all suites, and their total number. */
export async function failingChecks(
  context: Pick<ProjectContext, 'db' | 'blobs' | 'log'>,
  run: ConformanceRun,
): Promise<{ checks: Check[]; total: number }> {
  const stored = await context.db.rows(runs.bodiesOf, { runId: run.id });
  if (stored.length === 0)
    throw new Refusal(
      'NOT_FOUND',
      'This run has no report: none was received yet, or the run ended without one',
      {
        details: { reason: 'REPORT_NOT_AVAILABLE' },
      },
    );
  const failing: (FailingCase & { suiteKind: runs.SuiteKind })[] = [];
  for (const { suiteKind, ...text } of stored)
    failing.push(...failingCases(await reportIn(context, text)).map((one) => ({ ...one, suiteKind })));
  const ranked = failing.toSorted((a, b) => a.rank - b.rank);
  return { checks: ranked.slice(0, maxChecks).map(presentCheck), total: failing.length };
}

async function reportIn(
  { blobs, log }: Pick<ProjectContext, 'blobs' | 'log'>,
  text: { body: string | null; blobId: string | null },
): Promise<SuiteReport> {
  try {
    return (await readTrace({ blobs }, text)).trace as unknown as SuiteReport;
  } catch (error) {
    log.error('Conformance report cannot be read', { error: redact((error as Error).message) });
    throw new Refusal('SERVER_UNREACHABLE', 'The stored report is not available right now. Try again later', {
      details: { reason: 'STORAGE_UNAVAILABLE' },
    });
  }
}

function presentCheck({ suiteKind, group, case: one }: FailingCase & { suiteKind: runs.SuiteKind }): Check {
  return {
    suiteKind,
    groupId: group.id,
    groupTitle: group.title ?? null,
    id: one.id,
    title: one.title ?? null,
    category: one.category ?? null,
    status: one.status === 'failed' ? 'failed' : 'skipped',
    pending: one.pending ?? false,
    skipReason: one.skipReason ?? null,
    error: errorOf(one),
    durationMs: one.durationMs ?? null,
  };
}

/** Reporters send an error as text or as an object with a message. */
function errorOf({ error }: Record<string, unknown>): string | null {
  const message =
    typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : error;
  return typeof message === 'string' ? message.slice(0, maxError).toWellFormed() : null;
}
