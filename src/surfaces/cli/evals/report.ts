import type { Client } from '../../client/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { printRows } from '../output.ts';

type Run = Awaited<ReturnType<Client['getEvalRun']>>;
type CaseStatistics = NonNullable<Run['statistics']>['cases'][number];

const mostExplained = 5;

export function exitCodeOf({ decisionSummary: { verdict } }: Run): number {
  return verdict === 'passed' || verdict === 'failed' ? exitCodes[verdict] : exitCodes.incomplete;
}

/** Cases with their rates, then why trials failed, then the verdict. */
export function printRun(run: Run): void {
  const { statistics, decisionSummary } = run;
  const verdicts = verdictsOf(run);
  if (statistics)
    printRows(
      statistics.cases,
      {
        Case: (one) => cut(one.title, 44),
        Model: (one) => one.model,
        Passed: (one) => `${one.passed}/${one.trials}`,
        Rate: (one) => percent(one.rate),
        '95 % interval': interval,
        Needs: (one) => percent(one.threshold),
        Verdict: (one) => verdicts.get(keyOf(one)) ?? '-',
        Note: note,
      },
      false,
    );
  const failures = decisionSummary.diagnostics.items;
  const shown = new Map(failures.map((item) => [String(item['title']), item]));
  for (const [title, item] of [...shown].slice(0, mostExplained)) {
    const { reasons = [], stage } = item.evidence as { reasons?: string[]; stage?: string };
    const failure = (item['observed'] as { failure?: string } | undefined)?.failure;
    const why = reasons[0] ?? failure ?? `status ${item.status}`;
    process.stdout.write(`\n${title}\n  failed at ${stage ?? 'no stage'}: ${cut(why, 200)}\n`);
    process.stdout.write(`  ${item.nextAction}\n  Trace: ${item.evidence.tracePath}\n`);
  }
  process.stdout.write(`\n${sentence(run)}\n`);
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

function sentence(run: Run): string {
  const { verdict, undecided, counts } = run.decisionSummary;
  const unit = counts?.measurementUnit === 'trial' ? 'trials' : 'cases';
  const tally = counts ? ` (${counts.passed ?? 0} of ${counts.total ?? 0} ${unit} passed)` : '';
  const reasons = (run.decision?.['reasons'] ?? []) as string[];
  switch (verdict) {
    case 'passed':
      return `PASSED${tally}`;
    case 'failed':
      return `FAILED${tally}`;
    case 'inconclusive':
      return `INCONCLUSIVE: too little was measured to decide (${reasons.join(', ')})`;
    case 'notEstablished':
      return `NO VERDICT: the run is ${run.status} (${undecided?.reason ?? 'no reason'})${run.error ? `. ${run.error}` : ''}`;
  }
}

function percent(rate: number | null): string {
  return rate === null ? '-' : `${Math.round(rate * 1000) / 10} %`;
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
