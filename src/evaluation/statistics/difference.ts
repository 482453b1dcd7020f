import { type Interval, wilson } from './wilson.ts';

/** The number of passed trials out of `trials`. */
export interface Count {
  passed: number;
  trials: number;
}

/**
 * Fisher's exact test, two-sided: the p-value under equal pass rates. Exact for few trials, where a normal
 * approximation reports too many differences.
 */
export function fisher(base: Count, compare: Count): number | undefined {
  if (base.trials === 0 || compare.trials === 0) return undefined;
  const passed = base.passed + compare.passed;
  const trials = base.trials + compare.trials;
  const [least, most] = [Math.max(0, passed - compare.trials), Math.min(base.trials, passed)];
  const logs = (k: number): number =>
    logChoose(base.trials, k) + logChoose(compare.trials, passed - k) - logChoose(trials, passed);
  const observed = logs(base.passed);
  let p = 0;
  // Tolerates floating-point errors when comparing equal probabilities.
  for (let k = least; k <= most; k++) if (logs(k) <= observed + 1e-7) p += Math.exp(logs(k));
  return Math.min(1, p);
}

/** Newcombe's confidence interval for the difference of two rates, `compare` minus `base`. */
export function newcombe(base: Count, compare: Count): Interval | undefined {
  const [of, to] = [wilson(base.passed, base.trials), wilson(compare.passed, compare.trials)];
  if (!of || !to) return undefined;
  const [from, now] = [base.passed / base.trials, compare.passed / compare.trials];
  return {
    lower: now - from - Math.hypot(now - to.lower, of.upper - from),
    upper: now - from + Math.hypot(to.upper - now, from - of.lower),
  };
}

export interface Pair {
  base: Count;
  compare: Count;
}

/** Whether the pass rate of a suite changed, paired by case. */
export interface SuiteDifference {
  /** The mean change of the pass rate per case. */
  change: number;
  p: number;
  test: 'stratified' | 'mcnemar' | 'cochran-mantel-haenszel';
}

const fewestVaried = 3;

/**
 * Selects the test: stratified if every case has several trials and enough of them vary, McNemar if each has one,
 * otherwise Cochran–Mantel–Haenszel.
 */
export function suiteDifference(pairs: readonly Pair[]): SuiteDifference | undefined {
  const counted = pairs.filter(({ base, compare }) => base.trials > 0 && compare.trials > 0);
  if (counted.length === 0) return undefined;
  const changes = counted.map(
    ({ base, compare }) => compare.passed / compare.trials - base.passed / base.trials,
  );
  const change = sum(changes) / counted.length;
  const sides = counted.flatMap(({ base, compare }) => [base, compare]);
  const sizes = sides.map(({ trials }) => trials);
  // Cases whose trials all had one result show no variance, so the stratified test needs some with both.
  const varied = sides.filter(({ passed, trials }) => passed > 0 && passed < trials).length;
  if (sizes.every((size) => size >= 2) && varied >= fewestVaried)
    return { change, p: stratified(counted, changes), test: 'stratified' };
  if (sizes.every((size) => size === 1)) {
    const [fixed, regressed] = [1, -1].map((by) => changes.filter((one) => one === by).length);
    return { change, p: mcnemar(fixed ?? 0, regressed ?? 0), test: 'mcnemar' };
  }
  return { change, p: chiSquareP(cochranMantelHaenszel(counted)), test: 'cochran-mantel-haenszel' };
}

function stratified(pairs: readonly Pair[], changes: readonly number[]): number {
  const variance = sum(pairs.flatMap(({ base, compare }) => [spreadOf(base), spreadOf(compare)]));
  return normalP(sum(changes) / Math.sqrt(variance));
}

function spreadOf({ passed, trials }: Count): number {
  const rate = passed / trials;
  return (rate * (1 - rate)) / (trials - 1);
}

/** Exact two-sided McNemar test on the cases that changed. */
export function mcnemar(fixed: number, regressed: number): number {
  const all = fixed + regressed;
  let p = 0;
  for (let k = 0; k <= Math.min(fixed, regressed); k++) p += Math.exp(logChoose(all, k) - all * Math.LN2);
  return Math.min(1, 2 * p);
}

/** The chi-square statistic of the Cochran–Mantel–Haenszel test, without continuity correction. */
export function cochranMantelHaenszel(pairs: readonly Pair[]): number {
  let [deviation, variance] = [0, 0];
  for (const { base, compare } of pairs) {
    const trials = base.trials + compare.trials;
    const passed = base.passed + compare.passed;
    if (trials < 2) continue;
    deviation += base.passed - (base.trials * passed) / trials;
    variance +=
      (base.trials * compare.trials * passed * (trials - passed)) / (trials * trials * (trials - 1));
  }
  return variance === 0 ? 0 : (deviation * deviation) / variance;
}

/** Holm–Bonferroni adjusted p-values, which control the family-wise error rate. */
export function holm(ps: readonly number[]): number[] {
  return corrected(ps, (sorted) => {
    let most = 0;
    return sorted.map((p, at) => (most = Math.max(most, Math.min(1, p * (sorted.length - at)))));
  });
}

/** Benjamini–Hochberg adjusted p-values, which control the false discovery rate. */
export function benjaminiHochberg(ps: readonly number[]): number[] {
  return corrected(ps, (sorted) => {
    let least = 1;
    return sorted
      .map((p, at) => (p * sorted.length) / (at + 1))
      .reverse()
      .map((p) => (least = Math.min(least, p)))
      .reverse();
  });
}

function corrected(ps: readonly number[], correct: (sorted: number[]) => number[]): number[] {
  const order = ps.map((_, at) => at).sort((a, b) => (ps[a] as number) - (ps[b] as number));
  const values = correct(order.map((at) => ps[at] as number));
  const result: number[] = [];
  order.forEach((at, place) => (result[at] = values[place] as number));
  return result;
}

function normalP(z: number): number {
  return erfc(Math.abs(z) / Math.SQRT2);
}

/** The p-value of a chi-square statistic with one degree of freedom. */
export function chiSquareP(value: number): number {
  return erfc(Math.sqrt(value / 2));
}

/**
 * Chebyshev approximation of the complementary error function for `x >= 0`, accurate to seven digits. At 0 it slightly
 * exceeds 1, hence the `min`.
 */
function erfc(x: number): number {
  const t = 1 / (1 + x / 2);
  const terms = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587,
    -0.82215223, 0.17087277,
  ];
  return Math.min(1, t * Math.exp(-x * x + terms.reduceRight((rest, term) => term + t * rest, 0)));
}

const logFactorials = [0];

function logFactorial(n: number): number {
  for (let at = logFactorials.length; at <= n; at++)
    logFactorials[at] = (logFactorials[at - 1] as number) + Math.log(at);
  return logFactorials[n] as number;
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
