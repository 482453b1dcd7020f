import { byCodeUnit } from '../../platform/canonical.ts';
import { grouped } from './grouped.ts';

export type FindingStatus = 'new' | 'recurring' | 'regressed' | 'resolved';

/** That a wave covered the subject of a finding, and whether it fired. */
export interface WaveObservation {
  waveId: string;
  /** In milliseconds. */
  at: number;
  fires: boolean;
}

/** A finding after all waves that covered its subject. */
export interface FindingState {
  status: FindingStatus;
  /** Waves in which it fired. */
  occurrenceCount: number;
  firstSeenAt: number;
  lastSeenAt: number;
  lastSeenWaveId: string;
  resolvedAt: number | null;
}

/** What becomes of a finding with one more wave that covers its subject. Undefined: there is none. */
export function step(status: FindingStatus | undefined, fires: boolean): FindingStatus | undefined {
  if (!fires) return status && 'resolved';
  if (status === undefined) return 'new';
  return status === 'resolved' ? 'regressed' : 'recurring';
}

/**
 * The finding that these observations make, in whatever order they come; undefined when it never fired. A wave fires
 * when any of its observations does, and stands where its first one was made, so that runs which join a wave late do
 * not move it behind the next.
 */
export function statusAfter(history: readonly WaveObservation[]): FindingState | undefined {
  let state: FindingState | undefined;
  for (const wave of wavesOf(history)) state = stateAfter(state, wave);
  return state;
}

/** The same with one more wave, later than all before it. */
export function afterWave(
  state: FindingState | undefined,
  { waveId, at, fires }: WaveObservation,
): FindingState | undefined {
  return stateAfter(state, { waveId, startedAt: at, ...(fires && { fired: { first: at, last: at } }) });
}

/** The observations of one wave as one. */
interface Wave {
  waveId: string;
  startedAt: number;
  /** When it fired first and last; undefined when it did not. */
  fired?: { first: number; last: number };
}

/** In the order in which they began. */
function wavesOf(history: readonly WaveObservation[]): Wave[] {
  return [...grouped(history, ({ waveId }) => waveId)]
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
