import { oneLine } from '../harmless-text.ts';
import type { Report, ReportCase, ReportTable } from './report.ts';
import { type Findings, isWaived, type Run } from './run-findings.ts';

type CaseStatistics = NonNullable<Run['statistics']>['cases'][number];
type Failure = Run['decisionSummary']['diagnostics']['items'][number];

export const mostExplained = 5;

const columns: Record<string, (one: CaseStatistics, verdict: string) => string> = {
  Case: ({ title }) => oneLine(title, 44),
  Model: ({ model, provider }) => (provider === 'none' ? 'none' : model),
  Passed: ({ passed, trials }) => `${passed}/${trials}`,
  Rate: ({ rate }) => percent(rate),
  '95 % interval': interval,
  Needs: ({ threshold }) => percent(threshold),
  Verdict: (_, verdict) => verdict,
  Note: note,
};

/** Cases with their rates, why trials failed, what changed since the run before, then the gate, as reports show them. */
export function runReport(findings: Findings): Report {
  const { suite, run } = findings;
  return {
    title: `Evals of ${suite.name}`,
    summary: [sentence(run), ...changeLines(findings).slice(0, 1)].join(' '),
    suites: [{ name: suite.name, cases: casesOf(run) }, ...gateSuite(findings)],
    tables: [casesTable(run), changesTable(findings), gateTable(findings), failuresTable(run)],
  };
}

function casesOf(run: Run): ReportCase[] {
  const verdicts = verdictsOf(run);
  const failures = failuresByTitle(run);
  if (!run.statistics) return [{ name: 'the run', outcome: 'error', message: sentence(run) }];
  const { cases } = run.statistics;
  return cases.map((one) => {
    const several = cases.filter(({ title }) => title === one.title).length > 1;
    const verdict = verdictOf(one, verdicts);
    const failure = failures.get(one.title);
    const name = several ? `${one.title} (${one.model})` : one.title;
    const figures = `${one.passed} of ${one.trials} trials passed, ${percent(one.threshold)} are needed`;
    if (verdict === 'passed') return { name, outcome: 'passed' };
    return {
      name,
      outcome: verdict === 'failed' ? 'failed' : 'error',
      message: failure ? `${figures}; ${whyOf(failure)}` : figures,
      ...(failure && { details: `${failure.nextAction}\nTrace: ${failure.evidence.tracePath}` }),
    };
  });
}

export function casesTable(run: Run): ReportTable {
  const verdicts = verdictsOf(run);
  return {
    columns: Object.keys(columns),
    rows: (run.statistics?.cases ?? []).map((one) =>
      Object.values(columns).map((cell) => cell(one, verdictOf(one, verdicts))),
    ),
  };
}

function failuresTable(run: Run): ReportTable {
  return {
    heading: 'Why trials failed',
    columns: ['Case', 'Why', 'What to do'],
    rows: [...failuresByTitle(run)].map(([title, item]) => [title, whyOf(item), item.nextAction]),
  };
}

/** Cases that did not stay as they were. */
function changesOf({ comparison }: Findings) {
  return (comparison?.cases ?? []).filter(({ status }) => !status.startsWith('unchanged'));
}

/** A case of which no trial could be judged counts as failed; that it got worse is not known. */
export function changeOf({ status, compare }: { status: string; compare: { trials: number } }): string {
  return status === 'regressed' && compare.trials === 0 ? 'not measured' : status.replace('_', ' ');
}

export function changeLines(findings: Findings): string[] {
  const { comparison } = findings;
  if (!comparison) return [];
  const { baseRun, passSummary, difference } = comparison;
  const { base, compare } = passSummary.passRatePercent;
  const changes = changesOf(findings);
  const of = (word: string): number => changes.filter((one) => changeOf(one) === word).length;
  const unmeasured = of('not measured');
  const rates =
    base === null || compare === null || unmeasured > 0
      ? ''
      : `, pass rate ${percent(base / 100)} to ${percent(compare / 100)}`;
  const changed = difference && difference.change !== 0;
  const chance = changed ? ` (p = ${shownP(difference.p)}, ${beyondChance(difference.significant)})` : '';
  const missing = unmeasured > 0 ? `, ${unmeasured} not measured` : '';
  return [
    `Since run ${baseRun.runNumber}: ${of('regressed')} regressed, ${of('fixed')} fixed${missing}${rates}${chance}.`,
    ...changes.slice(0, mostExplained).map((one) => {
      const { title, difference: own } = one;
      const p = own?.adjustedP;
      return `  ${changeOf(one)}: ${oneLine(title, 100)}${p == null ? '' : ` (p = ${shownP(p)})`}`;
    }),
  ];
}

function changesTable(findings: Findings): ReportTable {
  return {
    heading: `What changed since run ${findings.comparison?.baseRun.runNumber ?? ''}`,
    columns: ['Case', 'Change', 'Was', 'Is', 'Chance'],
    rows: changesOf(findings).map(({ title, status, base, compare, difference }) => [
      title,
      changeOf({ status, compare }),
      `${base.passed}/${base.trials}`,
      `${compare.passed}/${compare.trials}`,
      difference?.adjustedP == null ? '-' : `p = ${shownP(difference.adjustedP)}`,
    ]),
  };
}

export function gateLines({ gate }: Findings): string[] {
  if (gate.outcome === 'not_configured') return [];
  return [
    `Quality gate: ${gate.outcome.replace('_', ' ')}.`,
    ...gate.conditions.map(
      ({ status, message }) => `  ${status.replace('_', ' ')}: ${oneLine(message, 200)}`,
    ),
  ];
}

function gateTable({ gate }: Findings): ReportTable {
  return {
    heading: 'Quality gate',
    columns: ['Condition', 'Status', 'What was found'],
    rows: gate.conditions.map(({ condition, status, message }) => [
      condition,
      status.replace('_', ' '),
      message,
    ]),
  };
}

const gateOutcomes = { passed: 'passed', failed: 'failed', non_gateable: 'error' } as const;

function gateSuite({ gate }: Findings): Report['suites'] {
  if (gate.conditions.length === 0) return [];
  const cases = gate.conditions.map(
    ({ condition, status, message }): ReportCase => ({
      name: condition,
      outcome: gateOutcomes[status],
      message,
    }),
  );
  return [{ name: 'Quality gate', cases }];
}

export function failuresByTitle({ decisionSummary }: Run): Map<string, Failure> {
  return new Map(decisionSummary.diagnostics.items.map((item) => [String(item['title']), item]));
}

export function whyOf(item: Failure): string {
  const { reasons = [], stage } = item.evidence as { reasons?: string[]; stage?: string };
  const failure = (item['observed'] as { failure?: string } | undefined)?.failure;
  const why = reasons[0] ?? failure ?? `status ${item.status}`;
  return oneLine(`failed at ${stage ?? 'no stage'}: ${why}`, 250);
}

function shownP(p: number): string {
  return p < 0.001 ? '<0.001' : p.toFixed(3);
}

function beyondChance(significant: boolean): string {
  return significant ? 'more than chance' : 'may be chance';
}

function keyOf({ caseId, model }: { caseId: string; model: string }): string {
  return `${caseId} ${model}`;
}

/** Of each case, where the run decides case by case. */
function verdictsOf({ decision }: Run): Map<string, string> {
  const cases = (decision?.['cases'] ?? []) as {
    caseId: string;
    verdict: string;
    executionVariant?: { model: string };
  }[];
  return new Map(
    cases.map(({ caseId, verdict, executionVariant }) => [
      keyOf({ caseId, model: executionVariant?.model ?? '' }),
      verdict,
    ]),
  );
}

/** Where the run is decided as a whole, a case is told by its own rate. */
function verdictOf(one: CaseStatistics, verdicts: ReadonlyMap<string, string>): string {
  const own = verdicts.get(keyOf(one));
  if (own !== undefined) return own;
  return one.rate === null ? 'inconclusive' : one.rate >= one.threshold ? 'passed' : 'failed';
}

function interval({ interval: range }: CaseStatistics): string {
  return range === null ? 'not measured' : `${percent(range.lower)} to ${percent(range.upper)}`;
}

function note({ flaky, trialsToSettle }: CaseStatistics): string {
  const settles =
    trialsToSettle !== null && trialsToSettle > 0
      ? `about ${trialsToSettle} more trials would settle it`
      : '';
  return [flaky ? 'flaky' : '', settles].filter(Boolean).join('; ');
}

export function sentence(run: Run): string {
  const { verdict, undecided, counts } = run.decisionSummary;
  const unit = counts?.measurementUnit === 'trial' ? 'trials' : 'cases';
  const tally = counts ? ` (${counts.passed ?? 0} of ${counts.total ?? 0} ${unit} passed)` : '';
  const reasons = (run.decision?.['reasons'] ?? []) as string[];
  switch (verdict) {
    case 'passed':
      return `PASSED${tally}`;
    case 'failed':
      return isWaived(run) ? `FAILED${tally}, and waived: ${waiverOf(run)}` : `FAILED${tally}`;
    case 'inconclusive':
      return `INCONCLUSIVE: too little was measured to decide (${reasons.join(', ')})`;
    case 'notEstablished':
      return `NO VERDICT: the run is ${run.status} (${undecided?.reason ?? 'no reason'})${run.error ? `. ${run.error}` : ''}`;
  }
}

function waiverOf({ gateWaiver }: Run): string {
  if (!gateWaiver) return '';
  const until = new Date(gateWaiver.expiresAt).toISOString().slice(0, 10);
  const who = gateWaiver.createdByEmail ?? gateWaiver.createdBy;
  return `${oneLine(gateWaiver.reason, 200)} (${who}, until ${until})`;
}

export function percent(rate: number | null): string {
  return rate === null ? '-' : `${Math.round(rate * 1000) / 10} %`;
}
