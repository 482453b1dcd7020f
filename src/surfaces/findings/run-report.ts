import { oneLine } from '../common/harmless-text.ts';
import type { Report, ReportCase, ReportTable } from './report.ts';
import { changeLines, changesTable } from './run-changes.ts';
import { conclusionOf, ruleNames, sentence } from './run-conclusion.ts';
import { type EvalRun, type Findings, percent } from './run-findings.ts';

type CaseStatistics = NonNullable<EvalRun['statistics']>['cases'][number];
type Failure = EvalRun['decisionSummary']['diagnostics']['items'][number];

const columns: Record<string, (one: CaseStatistics, verdict: string) => string> = {
  Case: ({ title }) => oneLine(title, 44),
  Model: ({ model, provider }) => (provider === 'none' ? 'none' : model),
  Passed: ({ passed, trials }) => `${passed}/${trials}`,
  Rate: ({ rate }) => percent(rate),
  '95% interval': interval,
  Needs: ({ threshold }) => percent(threshold),
  Verdict: (_, verdict) => verdict,
  Note: note,
};

/** Where to read the trace of a trial: a link or a command. */
export type TraceOf = (trial: { runId: string; iterationId: string }) => string;

export function traceLines(failure: Failure, traceOf: TraceOf | undefined): string[] {
  return traceOf ? [`Trace: ${traceOf(failure.evidence)}`] : [];
}

/** The report of a run: cases with rates, warnings, changes since the previous run, the gate, and failures. */
export function runReport(findings: Findings, traceOf?: TraceOf): Report {
  const { suite, run } = findings;
  const { outcome, words } = conclusionOf(findings);
  return {
    title: `Evals of ${suite.name}`,
    outcome: outcome === 'passed' ? undefined : outcome === 'failed' ? 'failed' : 'error',
    summary: [words, ...changeLines(findings).slice(0, 1)].join(words.endsWith('.') ? ' ' : '. '),
    suites: [
      { name: suite.name, cases: [...casesOf(run, traceOf), ...undecided(run)] },
      ...gateSuite(findings),
    ],
    tables: [
      casesTable(run),
      warningsTable(run),
      changesTable(findings),
      gateTable(findings),
      failuresTable(run),
    ],
  };
}

function casesOf(run: EvalRun, traceOf: TraceOf | undefined): ReportCase[] {
  const verdicts = verdictsOf(run);
  const failures = failuresByTitle(run);
  if (!run.statistics) return [];
  const { cases } = run.statistics;
  return cases.map((one) => {
    const several = cases.filter(({ title }) => title === one.title).length > 1;
    const verdict = verdictOf(one, verdicts);
    const failure = failures.get(one.title);
    const name = several ? `${one.title} (${one.model})` : one.title;
    const figures = figuresOf(one);
    const doubt = doubtOf(one);
    // In CI, a test that checked nothing counts as skipped.
    if (verdict === 'passed' && doubt) return { name, outcome: 'skipped', message: doubt };
    if (verdict === 'passed') return { name, outcome: 'passed' };
    return {
      name,
      outcome: verdict === 'failed' ? 'failed' : 'error',
      message: failure ? `${figures}; ${whyOf(failure)}` : figures,
      ...(failure && { details: [failure.nextAction, ...traceLines(failure, traceOf)].join('\n') }),
    };
  });
}

/** In CI, a run without a verdict is an error, even if each of its cases passed with the measured trials. */
function undecided(run: EvalRun): ReportCase[] {
  const { verdict } = run.decisionSummary;
  if (verdict === 'passed' || verdict === 'failed') return [];
  return [{ name: 'the run', outcome: 'error', message: sentence(run) }];
}

function figuresOf({ passed, trials, excluded = 0, threshold }: CaseStatistics): string {
  const measured = trials === 0 ? 'no trial was measured' : `${passed} of ${trials} trials passed`;
  return [measured, ...(excluded > 0 ? [excludedText(excluded)] : []), `${percent(threshold)} required`].join(
    ', ',
  );
}

/** Describes the trials that are excluded from a rate. */
export function excludedText(excluded: number): string {
  return `${excluded} not completed or not judged`;
}

const doubts: Record<string, string> = {
  nothing_checked: 'passed, but nothing was checked',
  no_tools_offered: 'passed, but nothing was checked: the servers offered no tools',
  reported_with_failure: 'reported as passed together with a failure',
};

/** Why a passed case proves nothing: no trial passed without a warning. Empty if one did. */
function doubtOf({ passed, trials, warnings = {} }: CaseStatistics): string {
  if (passed === 0)
    return `0 of ${trials} trials passed; the case passes because its required pass rate is 0%`;
  const [code, count = 0] = Object.entries(warnings)[0] ?? [];
  const warned = Object.values(warnings).reduce((sum, one) => sum + one, 0);
  if (code === undefined || warned < passed) return '';
  return doubts[code] ?? `${count} of ${passed} passed trials have the warning ${code}`;
}

function warningsTable({ warnings = [] }: EvalRun): ReportTable {
  return { heading: 'Warnings', columns: ['Warning'], rows: warnings.map(({ message }) => [message]) };
}

/** The figures of the cases that failed or could not be decided. */
export function casesNotPassed(run: EvalRun): CaseStatistics[] {
  const verdicts = verdictsOf(run);
  return (run.statistics?.cases ?? []).filter((one) => verdictOf(one, verdicts) !== 'passed');
}

export function casesTable(run: EvalRun): ReportTable {
  const verdicts = verdictsOf(run);
  return {
    columns: Object.keys(columns),
    rows: (run.statistics?.cases ?? []).map((one) =>
      Object.values(columns).map((cell) => cell(one, verdictOf(one, verdicts))),
    ),
  };
}

function failuresTable(run: EvalRun): ReportTable {
  return {
    heading: 'Why trials failed',
    columns: ['Case', 'Why', 'What to do'],
    rows: [...failuresByTitle(run)].map(([title, item]) => [title, whyOf(item), item.nextAction]),
  };
}

/** Names a judge that only counts words, so that its scores are not mistaken for a verdict. */
export function judgeLines({ run: { judges } }: Findings): string[] {
  if (judges.goalCompletion.basis !== 'wordCount') return [];
  return ['Judge: offline, compares words. Scores are advisory and do not affect the verdict.'];
}

export function gateLines({ gate }: Findings): string[] {
  if (gate.outcome === 'not_configured') return [];
  return [
    `Quality gate: ${gateLabels[gate.outcome]}.`,
    ...gate.conditions.map(({ status, message }) => `  ${gateLabels[status]}: ${oneLine(message, 200)}`),
  ];
}

function gateTable({ gate }: Findings): ReportTable {
  return {
    heading: 'Quality gate',
    columns: ['Rule', 'Status', 'Result'],
    rows: gate.conditions.map(({ condition, status, message }) => [
      ruleNames[condition],
      gateLabels[status],
      message,
    ]),
  };
}

const gateLabels = { passed: 'passed', failed: 'failed', non_gateable: 'undecided' } as const;
const gateOutcomes = { passed: 'passed', failed: 'failed', non_gateable: 'error' } as const;

function gateSuite({ gate }: Findings): Report['suites'] {
  if (gate.conditions.length === 0) return [];
  const cases = gate.conditions.map(
    ({ condition, status, message }): ReportCase => ({
      name: ruleNames[condition],
      outcome: gateOutcomes[status],
      message,
    }),
  );
  return [{ name: 'Quality gate', cases }];
}

/** Statuses of trials that were not executed. They did not fail; a warning of the run counts them. */
const notExecuted: ReadonlySet<string> = new Set(['pending', 'running', 'skipped', 'cancelled']);

export function executedItems<Item extends { status: string }>(items: readonly Item[]): Item[] {
  return items.filter(({ status }) => !notExecuted.has(status));
}

export function failuresByTitle({ decisionSummary }: EvalRun): Map<string, Failure> {
  return new Map(
    executedItems(decisionSummary.diagnostics.items).map((item) => [String(item['title']), item]),
  );
}

/** Display names of the stages of a trial. */
const stageNames: Record<string, string> = {
  connection: 'connection',
  discovery: 'tool discovery',
  selection: 'tool selection',
  call: 'tool call',
  response: 'tool result',
  userValue: 'final answer',
};

export function whyOf(item: Failure): string {
  const { reasons = [], stage } = item.evidence as { reasons?: string[]; stage?: string };
  const failure = (item['observed'] as { failure?: string } | undefined)?.failure;
  const why = reasons[0] ?? failure ?? callsOf(item) ?? withoutReason(item);
  return oneLine(stage === undefined ? why : `failed at ${stageNames[stage] ?? stage}: ${why}`, maxWhy);
}

/** A trial that ran to its end and has no failure could not be judged. */
function withoutReason({ status }: Failure): string {
  return status === 'completed'
    ? 'the trial could not be judged: a check or the judge gave no usable result'
    : `the trial is ${status}`;
}

const maxWhy = 400;

/** The called and the expected tools, if the calls decided. */
function callsOf(item: Failure): string | undefined {
  const { stages = [], firstFailedStage } = item.chain as {
    stages?: { stage: string; reason?: string }[];
    firstFailedStage?: string;
  };
  const reason = stages.find(({ stage }) => stage === firstFailedStage)?.reason;
  const { toolNames: expected = [] } = (item['expected'] ?? {}) as { toolNames?: string[] };
  const { toolNames: called = [] } = (item['observed'] ?? {}) as { toolNames?: string[] };
  const shown = (names: readonly string[]): string =>
    names
      .slice(0, 5)
      .map((name) => JSON.stringify(name.slice(0, 80)))
      .join(', ') || 'none';
  switch (reason) {
    case 'unexpectedToolCall':
      return expected.length === 0
        ? `the case expects no tool call; called: ${shown(called)}`
        : `expected calls: ${shown(expected)}; called: ${shown(called)}`;
    case 'missingToolCall':
    case 'argumentMismatch':
      return `expected calls: ${shown(expected)}; called: ${shown(called)}${reason === 'argumentMismatch' ? ', with other arguments' : ''}`;
    default:
      return undefined;
  }
}

function keyOf({ caseId, model }: { caseId: string; model: string }): string {
  return `${caseId} ${model}`;
}

/** Verdicts by case and model; empty if the run is not decided case by case. */
function verdictsOf({ decision }: EvalRun): Map<string, string> {
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

/** The verdict of a case. If the run is decided as a whole, the rate of the case decides. */
function verdictOf(one: CaseStatistics, verdicts: ReadonlyMap<string, string>): string {
  const own = verdicts.get(keyOf(one));
  if (own !== undefined) return own;
  return one.rate === null ? 'inconclusive' : one.rate >= one.threshold ? 'passed' : 'failed';
}

function interval({ interval: range }: CaseStatistics): string {
  return range === null ? 'not measured' : `${percent(range.lower)} to ${percent(range.upper)}`;
}

function note(one: CaseStatistics): string {
  const { flaky, trialsToSettle, excluded = 0 } = one;
  const settles =
    trialsToSettle !== null && trialsToSettle > 0
      ? `about ${trialsToSettle} more trials would settle it`
      : '';
  const doubt = one.rate !== null && one.rate >= one.threshold ? doubtOf(one) : '';
  const left = excluded > 0 ? excludedText(excluded) : '';
  return [doubt, left, flaky ? 'flaky' : '', settles].filter(Boolean).join('; ');
}
