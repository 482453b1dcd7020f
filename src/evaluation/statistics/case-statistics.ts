import { passAtK, passHatK } from './pass-at-k.ts';
import { passesToSettle, type Settling, trialsToSettle } from './settle.ts';
import { type Interval, wilson } from './wilson.ts';

export interface CaseStatistics {
  trials: number;
  passed: number;
  /** Undefined, like all that follows from it, when no trial is eligible. */
  passRate?: number;
  interval?: Interval;
  /** How likely one of `k` trials passes, and all of them. */
  passes: { k: number; passAtK: number; passHatK: number }[];
  /** Passed at some times and failed at others. */
  flaky: boolean;
  /** The share of the more frequent outcome. */
  observedStability?: number;
  /** At the observed rate; left out when the rate is the threshold. */
  trialsToSettle?: Settling;
  /** If all of them pass; left out when none can be enough. */
  passesToSettle?: number;
}

/** The values of k for pass@k. */
const defaultKs = [1, 2, 3, 5, 10];

export function caseStatistics(passed: number, trials: number, threshold: number): CaseStatistics {
  const interval = wilson(passed, trials);
  const settling = trialsToSettle(passed, trials, threshold);
  const needed = passesToSettle(threshold);
  const ks = defaultKs.filter((k) => k <= trials);
  return {
    trials,
    passed,
    ...(interval && { passRate: passed / trials, interval }),
    passes: ks.map((k) => ({
      k,
      passAtK: passAtK(trials, passed, k) ?? 0,
      passHatK: passHatK(trials, passed, k) ?? 0,
    })),
    flaky: passed > 0 && passed < trials,
    ...(interval && { observedStability: Math.max(passed, trials - passed) / trials }),
    ...(settling && { trialsToSettle: settling }),
    ...(passed === trials && needed !== undefined && { passesToSettle: Math.max(0, needed - trials) }),
  };
}
