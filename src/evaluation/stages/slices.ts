import { byCodeUnit } from '../../platform/canonical.ts';

/** A group of trials: all, or those with one intent, model or host. */
export type Slice =
  | { dimension: 'overall' }
  | { dimension: 'intent'; intent: string | null }
  | { dimension: 'model'; provider: string; model: string }
  | { dimension: 'host'; hostKey: string; hostName?: string; executionEngine?: string };

export interface Truncation {
  dimension: 'intent' | 'model' | 'host';
  distinctValues: number;
  retained: number;
}

export interface SliceCount {
  slice: Slice;
  trials: number;
}

/** Maximum number of slices besides `overall`. */
const maxSlices = 100;
const dimensions = ['intent', 'model', 'host'] as const;

export function slicesOf(trial: {
  intent: string | null;
  model?: { provider: string; model: string } | undefined;
  host?: { hostKey: string; hostName?: string | undefined; executionEngine?: string | undefined } | undefined;
}): Slice[] {
  const { intent, model, host } = trial;
  return [
    { dimension: 'overall' },
    { dimension: 'intent', intent },
    ...(model ? [{ dimension: 'model' as const, provider: model.provider, model: model.model }] : []),
    ...(host
      ? [
          {
            dimension: 'host' as const,
            hostKey: host.hostKey,
            ...(host.hostName !== undefined && { hostName: host.hostName }),
            ...(host.executionEngine !== undefined && { executionEngine: host.executionEngine }),
          },
        ]
      : []),
  ];
}

export function sliceKey(slice: Slice): string {
  switch (slice.dimension) {
    case 'overall':
      return 'overall';
    case 'intent':
      return JSON.stringify(['intent', slice.intent]);
    case 'model':
      return JSON.stringify(['model', slice.provider, slice.model]);
    case 'host':
      return JSON.stringify(['host', slice.hostKey]);
  }
}

/**
 * The slices to return, `overall` first. If there are too many, each dimension keeps its largest slices, and room that
 * one dimension does not need goes to the others.
 */
export function withinCap(counts: readonly SliceCount[]): { retained: Slice[]; truncation: Truncation[] } {
  const of = (dimension: Slice['dimension']): SliceCount[] =>
    counts
      .filter(({ slice }) => slice.dimension === dimension)
      .sort((a, b) => b.trials - a.trials || byCodeUnit(sliceKey(a.slice), sliceKey(b.slice)));
  const candidates = dimensions.map((dimension) => ({ dimension, found: of(dimension) }));
  const shares = new Map<string, number>();
  let left = maxSlices;
  const smallestFirst = [...candidates].sort((a, b) => a.found.length - b.found.length);
  smallestFirst.forEach(({ dimension, found }, at) => {
    const share = Math.min(found.length, Math.floor(left / (smallestFirst.length - at)));
    shares.set(dimension, share);
    left -= share;
  });
  const retained: Slice[] = of('overall').map(({ slice }) => slice);
  const truncation: Truncation[] = [];
  for (const { dimension, found } of candidates) {
    const share = shares.get(dimension) ?? 0;
    retained.push(...found.slice(0, share).map(({ slice }) => slice));
    if (share < found.length) truncation.push({ dimension, distinctValues: found.length, retained: share });
  }
  return { retained, truncation };
}
