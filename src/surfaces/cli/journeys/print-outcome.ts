import { candidateTitle } from '../../../evaluation/insights/candidates.ts';
import { manyLines, oneLine } from '../../common/harmless-text.ts';
import { percent } from '../../findings/run-findings.ts';
import { tableText } from '../screen/table.ts';
import { decisionsOf, labelOf, type Outcome, verdictOf } from './outcome.ts';

const maxShown = 10;

/** Prints targets, session errors, criteria with their rates, new findings of the wave, and the verdict. */
export function printOutcome(outcome: Outcome, consoleUrl: string): void {
  const out = process.stdout;
  const parts = [
    tableText(targetColumns, targetRows(outcome), out),
    brokenLines(outcome),
    criteriaTable(outcome),
    findingLines(outcome),
    `${verdictOf(outcome.run).words}\n${consoleUrl}`,
  ];
  out.write(`${parts.filter((part) => part !== '').join('\n\n')}\n`);
}

const targetColumns = ['Target', 'Model', 'Succeeded', 'Failed', 'Limited', 'Passed', 'Needs', 'Verdict'];

function targetRows({ run }: Outcome): string[][] {
  const decisions = decisionsOf(run);
  return run.targets.map((target) => {
    const summary = run.targetSummaries?.find(({ targetId }) => targetId === target.targetId);
    const decision = decisions.find(({ caseId }) => caseId === target.targetId);
    return [
      labelOf(target, 44),
      oneLine(target.modelId ?? '-', 60),
      `${summary?.succeeded ?? 0}/${summary?.total ?? 0}`,
      String(summary?.failed ?? 0),
      String(summary?.rateLimited ?? 0),
      decision ? `${decision.passedTrials}/${decision.eligibleTrials}` : '-',
      decision ? percent(decision.effectivePassThreshold) : '-',
      decision?.verdict ?? 'none',
    ];
  });
}

/** One line per target and error, with the number of sessions. */
function brokenLines({ run }: Outcome): string {
  const counts = new Map<string, number>();
  for (const { targetId, errorCode, errorMessage } of run.attempts ?? []) {
    if (errorCode === null) continue;
    const target = run.targets.find((one) => one.targetId === targetId);
    const line = `${target ? labelOf(target, 44) : ''}: ${oneLine(errorMessage ?? errorCode, 250)}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return shortened([...counts].map(([line, count]) => `${line} (${sessions(count)})`));
}

const criterionColumns = ['Criterion', 'Passed', 'Failed', 'Not graded', 'Rate', '95% interval'];

function criteriaTable({ scorecard }: Outcome): string {
  if (!scorecard) return '';
  const rows = scorecard.criteria.map((criterion) => {
    const { id, label, passCount, failCount, pendingCount, failedGradingCount, interval } = criterion;
    const measured = passCount + failCount;
    return [
      oneLine(label ?? id, 44),
      String(passCount),
      String(failCount),
      String(pendingCount + failedGradingCount),
      percent(measured === 0 ? null : passCount / measured),
      interval ? `${percent(interval.low)} to ${percent(interval.high)}` : 'not measured',
    ];
  });
  return tableText(criterionColumns, rows, process.stdout);
}

function findingLines({ run, findings }: Outcome): string {
  return shortened(
    findings.map(({ status, fingerprint, subject, waves }) => {
      const wave = waves.find(({ waveId }) => waveId === run.waveId);
      const detector = fingerprint.slice(0, fingerprint.indexOf(':'));
      const affected = wave ? `, in ${wave.affected} of ${sessions(wave.total)}` : '';
      const what = candidateTitle({ detector, subject });
      return `${status === 'new' ? 'New' : 'Regressed'}: ${oneLine(what, 250)}${affected}`;
    }),
  );
}

function sessions(count: number): string {
  return `${count} ${count === 1 ? 'session' : 'sessions'}`;
}

function shortened(lines: readonly string[]): string {
  const more = lines.length > maxShown ? [`and ${lines.length - maxShown} more`] : [];
  return manyLines([...lines.slice(0, maxShown), ...more].join('\n'));
}
