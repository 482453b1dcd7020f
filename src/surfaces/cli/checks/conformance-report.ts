import type { Client } from '../../client/index.ts';
import type { Report, ReportCase } from '../../findings/report.ts';
import { oneLine } from '../../harmless-text.ts';
import { printRows } from '../screen/rows.ts';

export type Run = Awaited<ReturnType<Client['getConformanceRun']>>;
export type Failures = Awaited<ReturnType<Client['getConformanceReport']>>;
type Suite = Run['suites'][number];
type Check = Failures['checks'][number];

export function printConformance(run: Run, failures: Failures | undefined): void {
  const checks = failures?.checks ?? [];
  if (checks.length > 0) {
    printRows(
      checks,
      {
        Result: resultOf,
        Suite: ({ suiteKind }) => suiteKind,
        Check: ({ title, id }) => oneLine(title ?? id, 90),
        Why: (check) => oneLine(whyOf(check), 160),
      },
      false,
    );
    process.stdout.write('\n');
  }
  if (failures?.truncated)
    process.stdout.write(`${failures.totalFailingCases} in all; not all are listed.\n`);
  for (const suite of run.suites)
    if (suite.incompleteReason !== undefined)
      process.stdout.write(`${suite.suiteKind} is incomplete: ${oneLine(suite.incompleteReason, 300)}\n`);
  process.stdout.write(`${sentence(run)}\n`);
}

export function conformanceReport(server: string, run: Run, failures: Failures | undefined): Report {
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

function sentence({ outcome, score, passed, failed, skipped, pending, reason }: Run): string {
  const points = score === null ? 'nothing was graded' : `score ${score}`;
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

/** Those that passed are known by their number only. */
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
    return [{ name: suiteKind, outcome: 'error', message: incompleteReason ?? 'It has no report' }];
  const whole = { name: `${passed} of ${totalCases} checks`, outcome: 'passed' } as const;
  return passed > 0 || listed.length === 0 ? [whole, ...listed] : listed;
}
