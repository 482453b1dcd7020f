import { wilson, z95 } from './wilson.ts';

/** How many more trials would show on which side of its threshold a case is, at the observed rate. */
export interface Settling {
  /** 0: already settled. */
  more: number;
  side: 'passes' | 'fails';
}

/** Above this number of trials, rounding to whole passes makes no difference. */
const maxCounted = 100_000;

/**
 * Projects the smallest number of trials whose 95% interval excludes the threshold at the observed rate. Do not use it
 * as a stopping rule: testing after every trial finds too many differences. Undefined when the rate equals the
 * threshold, or nothing was observed.
 */
export function trialsToSettle(passed: number, trials: number, threshold: number): Settling | undefined {
  if (trials === 0) return undefined;
  if (threshold <= 0) return { more: 0, side: 'passes' };
  const rate = passed / trials;
  if (rate === threshold) return undefined;
  const side = rate > threshold ? 'passes' : 'fails';
  const enough = (z95 * z95 * threshold * (1 - threshold)) / (rate - threshold) ** 2;
  if (enough > maxCounted) return { more: Math.ceil(enough) - trials, side };
  for (let count = trials; ; count++)
    if (isSettled(Math.round(rate * count), count, threshold, side)) return { more: count - trials, side };
}

/** The minimum number of trials, all passing, whose 95% interval excludes rates below the threshold. */
export function passesToSettle(threshold: number): number | undefined {
  return threshold >= 1 ? undefined : Math.ceil((z95 * z95 * Math.max(0, threshold)) / (1 - threshold));
}

function isSettled(passed: number, trials: number, threshold: number, side: Settling['side']): boolean {
  const interval = wilson(passed, trials);
  if (!interval) return false;
  return side === 'passes' ? interval.lower >= threshold : interval.upper < threshold;
}
