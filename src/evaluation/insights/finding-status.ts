import { byCodeUnit } from '../../platform/canonical.ts';
import { groupBy } from '../group-by.ts';

export type FindingStatus = 'new' | 'recurring' | 'regressed' | 'resolved';

/** One wave that covered the subject of a finding. */
export interface WaveObservation {
  waveId: string;
  /** Unix time in milliseconds. */
  at: number;
  fires: boolean;
}

/** A finding after all waves that covered its subject. */
export interface FindingState {
  status: FindingStatus;
  /** Number of waves in which it fired. */
  occurrenceCount: number;
  firstSeenAt: number;
  lastSeenAt: number;
  lastSeenWaveId: string;
  resolvedAt: number | null;
}

/** The status after one more wave that covers the subject. Undefined: no finding. */
export function step(status: FindingStatus | undefined, fires: boolean): FindingStatus | undefined {
  if (!fires) return status && 'resolved';
  if (status === undefined) return 'new';
  return status === 'resolved' ? 'regressed' : 'recurring';
}

/**
 * Replays observations in any order; undefined if none fired. A wave fires if any of its observations does. A wave is
 * ordered by its first observation, so that a run which joins it late does not move it behind the next wave.
 */
export function statusAfter(history: readonly WaveObservation[]): FindingState | undefined {
  let state: FindingState | undefined;
  for (const wave of wavesOf(history)) state = stateAfter(state, wave);
  return state;
}

/** Adds one wave that is later than all before it. */
export function afterWave(
  state: FindingState | undefined,
  { waveId, at, fires }: WaveObservation,
): FindingState | undefined {
  return stateAfter(state, { waveId, startedAt: at, ...(fires && { fired: { first: at, last: at } }) });
}

/** All observations of one wave. */
interface Wave {
  waveId: string;
  startedAt: number;
  /** First and last time it fired. */
  fired?: { first: number; last: number };
}

/** Groups observations by wave, ordered by start. */
function wavesOf(history: readonly WaveObservation[]): Wave[] {
  return [...groupBy(history, ({ waveId }) => waveId)]
    .map(([waveId, observations]) => {
      const times = observations.map(({ at }) => at);
      const firing = observations.filter(({ fires }) => fires).map(({ at }) => at);
      return {
        waveId,
        startedAt: Math.min(...times),
        ...(firing.length > 0 && { fired: { first: Math.min(...firing), last: Math.max(...firing) } }),
      };
    })
    .sort((a, b) => a.startedAt - b.startedAt || byCodeUnit(a.waveId, b.waveId));
}

function stateAfter(
  state: FindingState | undefined,
  { waveId, startedAt, fired }: Wave,
): FindingState | undefined {
  const status = step(state?.status, fired !== undefined);
  if (status === undefined) return undefined;
  if (fired)
    return {
      status,
      occurrenceCount: (state?.occurrenceCount ?? 0) + 1,
      firstSeenAt: state?.firstSeenAt ?? fired.first,
      lastSeenAt: fired.last,
      lastSeenWaveId: waveId,
      resolvedAt: null,
    };
  return state && { ...state, status, resolvedAt: state.resolvedAt ?? startedAt };
}
