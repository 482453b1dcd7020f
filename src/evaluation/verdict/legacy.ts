/** Counts of a run's trials. */
export interface TrialSummary {
  total: number;
  passed: number;
  failed: number;
  passRate: number;
}

/** Every trial that did not pass counts as failed. */
export function summarizeTrials(trials: readonly { result: 'passed' | 'failed' | null }[]): TrialSummary {
  const total = trials.length;
  const passed = trials.filter(({ result }) => result === 'passed').length;
  return { total, passed, failed: total - passed, passRate: total === 0 ? 0 : passed / total };
}

/** Compares the pass rate with a minimum in percent, without rounding. Fails without trials. */
export function legacyResult(
  { total, passed }: TrialSummary,
  minimumPassRatePercent = 100,
): 'passed' | 'failed' {
  // Multiplies instead of dividing, because 29 / 100 * 100 is 28.999999999999996.
  return total > 0 && passed * 100 >= minimumPassRatePercent * total ? 'passed' : 'failed';
}
