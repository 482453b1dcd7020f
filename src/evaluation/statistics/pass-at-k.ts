/**
 * Unbiased estimate of pass@k: the probability that at least one of `k` trials passes, drawn without replacement.
 * Undefined if `k` exceeds the number of trials.
 */
export function passAtK(trials: number, passed: number, k: number): number | undefined {
  const noneOf = drawn(trials, trials - passed, k);
  return noneOf === undefined ? undefined : 1 - noneOf;
}

/** Unbiased estimate of pass^k: the probability that all of `k` trials pass. */
export function passHatK(trials: number, passed: number, k: number): number | undefined {
  return drawn(trials, passed, k);
}

/**
 * The probability that `k` items drawn from `all` are all among `wanted`: C(wanted, k) / C(all, k). Multiplies factor
 * by factor, since the binomials would overflow.
 */
function drawn(all: number, wanted: number, k: number): number | undefined {
  if (k < 1 || k > all) return undefined;
  if (k > wanted) return 0;
  let chance = 1;
  for (let at = 0; at < k; at++) chance *= (wanted - at) / (all - at);
  return chance;
}
