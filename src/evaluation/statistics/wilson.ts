/** Quantile of the normal distribution for 95% confidence. */
export const z95 = 1.959963984540054;

export interface Interval {
  lower: number;
  upper: number;
}

/** Wilson's score interval for the true rate. Valid for few trials and for rates of 0 and 1. */
export function wilson(passed: number, trials: number, z = z95): Interval | undefined {
  if (trials === 0) return undefined;
  const rate = passed / trials;
  const share = (z * z) / trials;
  const middle = rate + share / 2;
  const spread = z * Math.sqrt((rate * (1 - rate)) / trials + share / (4 * trials));
  return {
    // At rates of 0 and 1 the bound is exact; computing it would leave a rounding error.
    lower: passed === 0 ? 0 : Math.max(0, (middle - spread) / (1 + share)),
    upper: passed === trials ? 1 : Math.min(1, (middle + spread) / (1 + share)),
  };
}
