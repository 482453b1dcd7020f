/** One metric in both runs, and its change. */
interface Diff {
  base: number | null;
  compare: number | null;
  delta: number | null;
  percentDelta: number | null;
}

export function diff(base: number | null, now: number | null): Diff {
  const delta = base === null || now === null ? null : now - base;
  return {
    base,
    compare: now,
    delta,
    percentDelta: delta === null || base === null || base === 0 ? null : (delta / Math.abs(base)) * 100,
  };
}
