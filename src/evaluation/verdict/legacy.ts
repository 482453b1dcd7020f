/** How the trials of a run went. */
export interface TrialSummary {
  total: number;
  passed: number;
  failed: number;
  passRate: number;
}

/** A trial that did not pass counts as failed, whatever kept it from passing. */
export function summarizeTrials(trials: readonly { result: 'passed' | 'failed' | null }[]): TrialSummary {
  const total = trials.length;
  const passed = trials.filter(({ result }) => result === 'passed').length;
  return { total, passed, failed: total - passed, passRate: total === 0 ? 0 : passed / total };
}

/** Whether enough trials passed, in percent and unrounded. Without trials nothing was shown, so nothing passed. */
export function legacyResult(
  { total, passed }: TrialSummary,
  minimumPassRatePercent = 100,
): 'passed' | 'failed' {
  // Multiplied, not divided: 29 of 100 are 28.999999999999996 percent.
  return total > 0 && passed * 100 >= minimumPassRatePercent * total ? 'passed' : 'failed';
}
