import { noCounts } from '../../conformance/report.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import * as runs from '../../platform/database/queries/conformance-runs.ts';
import { configuredOrigin, type ProjectContext, type PublicContext } from '../context/context.ts';
import { type ConformanceRun, isOpen } from './find.ts';

type Presented = OutputOf<Operations['getConformanceRun']>;
export type PresentedSuite = Presented['suites'][number];

export function runUrlOf(
  context: PublicContext,
  { projectId, id }: Pick<ConformanceRun, 'projectId' | 'id'>,
): string {
  return `${configuredOrigin(context)}/console/projects/${projectId}/conformance/${id}`;
}

export function presentConformanceRun(run: ConformanceRun, reports: readonly runs.ReportRow[]): Presented {
  const { organizationId: _, startedBy: __, jobId: ___, ...shown } = run;
  return { ...shown, suites: presentSuites(run, reports) };
}

/** In the requested order. In a run that is running, the first suite without a report is shown as running. */
export function presentSuites(run: ConformanceRun, reports: readonly runs.ReportRow[]): PresentedSuite[] {
  const byKind = new Map(reports.map((one) => [one.suiteKind, one]));
  const next = run.status === 'running' ? run.requestedSuites.find((kind) => !byKind.has(kind)) : undefined;
  return run.requestedSuites.map((suiteKind): PresentedSuite => {
    const report = byKind.get(suiteKind);
    if (!report)
      return {
        suiteKind,
        status: suiteKind === next ? 'running' : 'pending',
        outcome: isOpen(run) ? null : 'incomplete',
        score: null,
        ...noCounts,
        totalCases: 0,
        durationMs: null,
      };
    const { runId: _, contentHash: __, profileId, incompleteReason, ...figures } = report;
    return {
      ...figures,
      status: 'completed',
      ...(profileId !== null && { profileId }),
      ...(incompleteReason !== null && { incompleteReason }),
    };
  });
}

/** Presents a run with its reports, which are read from the database. */
export async function presentedRun(
  { db }: Pick<ProjectContext, 'db'>,
  run: ConformanceRun,
): Promise<Presented> {
  return presentConformanceRun(run, await db.rows(runs.reportsOf, { runIds: [run.id] }));
}
