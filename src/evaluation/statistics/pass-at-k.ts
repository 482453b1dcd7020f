/**
 * The chance that at least one of `k` trials passes, drawn from `trials` of which `passed` did, without bias. Undefined
 * for more than there are. Factor by factor, since the binomials themselves would overflow.
 */
export function passAtK(trials: number, passed: number, k: number): number | undefined {
  const noneOf = drawn(trials, trials - passed, k);
  return noneOf === undefined ? undefined : 1 - noneOf;
}

/** The chance that all of `k` trials pass. */
export function passHatK(trials: number, passed: number, k: number): number | undefined {
  return drawn(trials, passed, k);
}

/** The chance that all of `k` that are drawn are among `wanted` of `all`: C(wanted, k) / C(all, k). */
function drawn(all: number, wanted: number, k: number): number | undefined {
  if (k < 1 || k > all) return undefined;
  if (k > wanted) return 0;
  let chance = 1;
  for (let at = 0; at < k; at++) chance *= (wanted - at) / (all - at);
  return chance;
}
