import { wilson } from '../../../../../evaluation/statistics/wilson.ts';
import type { Output } from '../../api/index.ts';
import { isOpen } from '../runs/states.ts';

type Run = Pick<
  Output<'listEvalRuns'>['items'][number],
  'id' | 'suiteId' | 'runNumber' | 'status' | 'summary' | 'createdAt'
>;

export interface Point {
  runId: string;
  runNumber: number;
  at: number;
  passed: number;
  trials: number;
  lower: number;
  upper: number;
}

/** Maximum number of runs in a small chart. */
const maxPoints = 30;

/** Measured runs of each suite, oldest first. */
export function trendsOf(runs: readonly Run[]): Map<string, Point[]> {
  const trends = new Map<string, Point[]>();
  for (const run of runs.toSorted((a, b) => a.createdAt - b.createdAt)) {
    const interval = run.summary && wilson(run.summary.passed, run.summary.total);
    // A run that ended early has no pass rate.
    if (!run.summary || run.summary.passRate === undefined || !interval || isOpen(run)) continue;
    const points = trends.get(run.suiteId) ?? [];
    points.push({
      runId: run.id,
      runNumber: run.runNumber,
      at: run.createdAt,
      passed: run.summary.passed,
      trials: run.summary.total,
      ...interval,
    });
    trends.set(run.suiteId, points.slice(-maxPoints));
  }
  return trends;
}

export function csvOf(rows: readonly (Point & { suite: string })[]): string {
  const lines = rows.map(({ suite, runNumber, at, passed, trials, lower, upper }) =>
    [
      cell(suite),
      runNumber,
      new Date(at).toISOString(),
      passed,
      trials,
      lower.toFixed(4),
      upper.toFixed(4),
    ].join(','),
  );
  return `${['suite,run,started,passed,trials,lower,upper', ...lines].join('\n')}\n`;
}

/** Keeps spreadsheets from reading a name as a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
