import { passAtK, passHatK } from './pass-at-k.ts';
import { passesToSettle, type Settling, trialsToSettle } from './settle.ts';
import { type Interval, wilson } from './wilson.ts';

export interface CaseStatistics {
  trials: number;
  passed: number;
  /** Like the fields derived from it, undefined without eligible trials. */
  passRate?: number;
  interval?: Interval;
  /** pass@k and pass^k: the probabilities that at least one and that all of `k` trials pass. */
  passes: { k: number; passAtK: number; passHatK: number }[];
  /** Some trials passed and some failed. */
  flaky: boolean;
  /** The share of the more frequent outcome. */
  observedStability?: number;
  /** Assumes the observed rate; undefined if the rate equals the threshold. */
  trialsToSettle?: Settling;
  /** Assumes that all further trials pass; undefined if some trial failed or no number is enough. */
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
