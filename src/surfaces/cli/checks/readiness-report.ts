import type { Client } from '../../client/index.ts';
import { oneLine } from '../../common/harmless-text.ts';
import type { Report, ReportCase } from '../../findings/report.ts';

export type ReadinessReport = Awaited<ReturnType<Client['getReadinessReport']>>;
type Finding = ReadinessReport['findings'][number];

const marks: Record<Finding['status'], string> = {
  satisfied: 'ok  ',
  violated: 'FAIL',
  'not-evaluated': '?   ',
  'not-applicable': '-   ',
  informational: 'note',
};

/** Prints a checklist by lane, without checks that do not apply, and with the remedy of violated ones. */
export function printReadiness(report: ReadinessReport): void {
  const lines: string[] = [];
  for (const { lane, status } of report.lanes) {
    const own = report.findings.filter((one) => one.lane === lane && one.status !== 'not-applicable');
    if (own.length === 0) continue;
    lines.push(`${lane}: ${status}`);
    for (const finding of own) lines.push(...linesOf(finding));
    lines.push('');
  }
  lines.push(sentence(report));
  process.stdout.write(`${lines.join('\n')}\n`);
}

function linesOf(finding: Finding): string[] {
  const { status, title, remediation = '' } = finding;
  const weight = decides(finding) ? '' : ` (${finding.class})`;
  const first = `  ${marks[status]} ${oneLine(title, 120)}${weight}`;
  if (status === 'violated')
    return [first, `         ${problemOf(finding)}`, `         ${oneLine(remediation, 300)}`];
  if (status === 'not-evaluated') return [first, `         ${problemOf(finding)}`];
  return [first];
}

function decides({ class: weight }: Finding): boolean {
  return weight === 'required' || weight === 'runtime-blocker';
}

function problemOf({ status, details, notEvaluatedReason = '' }: Finding): string {
  if (status === 'not-evaluated') return oneLine(notEvaluatedReason, 300);
  const { problem, items } = (details ?? {}) as { problem?: unknown; items?: unknown };
  const named = Array.isArray(items) ? `: ${items.slice(0, 5).map(String).join(', ')}` : '';
  return oneLine(`${typeof problem === 'string' ? problem : ''}${named}`, 300);
}

function sentence({ overallStatus, findings, lanes }: ReadinessReport): string {
  const wrong = findings.filter((one) => decides(one) && one.status === 'violated').length;
  const open = findings.filter((one) => decides(one) && one.status === 'not-evaluated').length;
  if (overallStatus === 'ready') return 'READY: all deciding checks are satisfied.';
  const missing = [...new Set(lanes.flatMap(({ missingInputs }) => missingInputs))].sort();
  const needed = missing.length > 0 ? ` Missing: ${oneLine(missing.join(', '), 500)}.` : '';
  const words = `${wrong} violated, ${open} could not be evaluated.${needed}`;
  return `${overallStatus === 'not-ready' ? 'NOT READY' : 'INCOMPLETE'}: ${words}`;
}

const outcomes: Record<Finding['status'], ReportCase['outcome']> = {
  satisfied: 'passed',
  violated: 'failed',
  'not-evaluated': 'error',
  'not-applicable': 'skipped',
  informational: 'passed',
};

/** One case per finding. A finding that does not decide the verdict is skipped instead of failed. */
export function readinessReport(server: string, report: ReadinessReport): Report {
  const title = `Readiness of ${server} for ${report.readinessKind}`;
  const bad = report.findings.filter((one) => one.status === 'violated' || one.status === 'not-evaluated');
  return {
    title,
    summary: sentence(report),
    suites: report.lanes.map(({ lane }) => ({
      name: lane,
      cases: report.findings.filter((one) => one.lane === lane).map(caseOf),
    })),
    tables: [
      {
        columns: ['Status', 'Check', 'Weight', 'Remedy'],
        rows: bad.map(({ status, title: name, class: weight, remediation = '' }) => [
          status,
          name,
          weight,
          remediation,
        ]),
      },
    ],
  };
}

function caseOf(finding: Finding): ReportCase {
  const { id, title, status, remediation } = finding;
  const outcome = decides(finding) || outcomes[status] === 'passed' ? outcomes[status] : 'skipped';
  return {
    name: `${id}: ${title}`,
    outcome,
    ...(outcome !== 'passed' && { message: problemOf(finding) || title, details: remediation }),
  };
}
