import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import { caseStatistics, isMeasured, type TrialWarning, wilson } from '../../../evaluation/index.ts';
import type { JudgedTrial } from '../../../platform/database/queries/eval-trials.ts';
import type { RunSnapshot } from '../snapshot.ts';

type Statistics = NonNullable<OutputOf<Operations['getEvalRun']>['statistics']>;

/** The fields of a trial that statistics need. */
export type Judged = Pick<JudgedTrial, 'caseId' | 'variant' | 'status' | 'result' | 'evaluatorError'> & {
  warning?: TrialWarning | undefined;
};

interface Count {
  passed: number;
  trials: number;
  /** Ended trials that are excluded from the rate. */
  excluded: number;
  /** Warnings on trials that passed. */
  warnings?: Partial<Record<TrialWarning, number>>;
}

/** Pass rates with confidence intervals, over the trials that could be judged. */
export function statisticsOf(snapshot: RunSnapshot, judged: readonly Judged[]): Statistics {
  const counts = new Map<string, Count>();
  const whole = { passed: 0, trials: 0 };
  for (const trial of judged) {
    const { caseId, variant, result, warning } = trial;
    const key = JSON.stringify([caseId, variant]);
    const count = counts.get(key) ?? { passed: 0, trials: 0, excluded: 0 };
    counts.set(key, count);
    if (!isMeasured(trial)) {
      count.excluded++;
      continue;
    }
    if (warning && result === 'passed')
      count.warnings = { ...count.warnings, [warning]: (count.warnings?.[warning] ?? 0) + 1 };
    for (const one of [count, whole]) {
      one.trials++;
      if (result === 'passed') one.passed++;
    }
  }
  const cases = snapshot.cases.flatMap(({ id, title, variants, passThreshold }) =>
    variants.map(({ model, provider }, variant) => {
      const counted = counts.get(JSON.stringify([id, variant]));
      const { passed, trials, excluded, warnings }: Count = counted ?? { passed: 0, trials: 0, excluded: 0 };
      const threshold = snapshot.policy === 2 ? passThreshold : snapshot.minimumPassRate / 100;
      const { passRate, interval, passes, flaky, trialsToSettle } = caseStatistics(passed, trials, threshold);
      return {
        caseId: id,
        title,
        model,
        provider,
        passed,
        trials,
        ...(excluded > 0 && { excluded }),
        rate: passRate ?? null,
        interval: interval ?? null,
        threshold,
        flaky,
        passAtK: passes.map(({ k, passAtK }) => ({ k, value: passAtK })),
        passHatK: passes.map(({ k, passHatK }) => ({ k, value: passHatK })),
        trialsToSettle: trialsToSettle?.more ?? null,
        ...(warnings && { warnings }),
      };
    }),
  );
  const { passed, trials } = whole;
  return {
    confidence: 0.95,
    trials: {
      passed,
      trials,
      rate: trials === 0 ? null : passed / trials,
      interval: wilson(passed, trials) ?? null,
    },
    cases,
    flakyCases: [...new Set(cases.filter(({ flaky }) => flaky).map(({ caseId }) => caseId))],
  };
}
