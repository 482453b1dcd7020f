import type { Client } from '../../client/index.ts';
import { oneLine } from '../../common/harmless-text.ts';
import type { Report, ReportCase } from '../../findings/report.ts';

export type ConformanceRun = Awaited<ReturnType<Client['getConformanceRun']>>;
export type Failures = Awaited<ReturnType<Client['getConformanceReport']>>;
type Suite = ConformanceRun['suites'][number];
type Check = Failures['checks'][number];

export function conformanceNotes(run: ConformanceRun, failures: Failures | undefined): string[] {
  return [
    ...(failures?.truncated ? [`${failures.totalFailingCases} in total; not all are listed.`] : []),
    ...run.suites.flatMap(({ suiteKind, incompleteReason }) =>
      incompleteReason === undefined ? [] : [`${suiteKind} is incomplete: ${oneLine(incompleteReason, 300)}`],
    ),
  ];
}

export function conformanceReport(
  server: string,
  run: ConformanceRun,
  failures: Failures | undefined,
): Report {
  const checks = failures?.checks ?? [];
  return {
    title: `Conformance of ${server}`,
    summary: sentence(run),
    suites: run.suites.map((suite) => ({
      name: `${suite.suiteKind} of ${server}`,
      cases: casesOf(
        suite,
        checks.filter(({ suiteKind }) => suiteKind === suite.suiteKind),
      ),
    })),
    tables: [
      {
        columns: ['Result', 'Suite', 'Check', 'Why'],
        rows: checks.map((check) => [
          resultOf(check),
          check.suiteKind,
          check.title ?? check.id,
          whyOf(check),
        ]),
      },
    ],
  };
}

function sentence({ outcome, score, passed, failed, skipped, pending, reason }: ConformanceRun): string {
  const points = score === null ? 'no checks were graded' : `score ${score}`;
  const apart = pending > 0 ? `, ${pending} recommended only` : '';
  const why = reason === null ? '' : ` It ended early: ${reason}.`;
  const verdict = (outcome ?? 'incomplete').toUpperCase();
  return `${verdict}: ${points}, ${passed} passed, ${failed} failed, ${skipped} skipped${apart}.${why}`;
}

function resultOf({ status, pending }: Check): string {
  if (status === 'skipped') return 'not run';
  return pending ? 'advice' : 'failed';
}

function whyOf({ error, skipReason }: Check): string {
  return error ?? skipReason ?? '';
}

/** The API lists failed and skipped checks; passed ones are counted in a single case. */
function casesOf(
  { suiteKind, outcome, passed, totalCases, incompleteReason }: Suite,
  checks: readonly Check[],
): ReportCase[] {
  const listed = checks.map((check): ReportCase => {
    const name = check.title ?? check.id;
    if (check.status === 'skipped') return { name, outcome: 'error', message: whyOf(check) };
    return { name, outcome: check.pending ? 'skipped' : 'failed', message: whyOf(check) };
  });
  if (outcome === 'incomplete' && listed.length === 0)
    return [{ name: suiteKind, outcome: 'error', message: incompleteReason ?? 'The suite has no report' }];
  const whole = { name: `${passed} of ${totalCases} checks`, outcome: 'passed' } as const;
  return passed > 0 || listed.length === 0 ? [whole, ...listed] : listed;
}
