import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type FindingState,
  type FindingStatus,
  statusAfter,
  step,
  type WaveObservation,
} from './finding-status.ts';

/** One letter for each wave: fires or clear. */
function after(letters: string): FindingState | undefined {
  return statusAfter(
    Array.from(letters, (letter, at) => ({ waveId: `wave_${at}`, at: 10 * at, fires: letter === 'F' })),
  );
}

test.each([
  ['', undefined],
  ['cc', undefined],
  ['cF', 'new'],
  ['FF', 'recurring'],
  ['FFF', 'recurring'],
  ['Fc', 'resolved'],
  ['FFcc', 'resolved'],
  ['FcF', 'regressed'],
  ['FcFc', 'resolved'],
  ['FcFF', 'recurring'],
])('waves %s leave it %s', (letters, status) => {
  expect(after(letters)?.status).toBe(status);
  let stepped: FindingStatus | undefined;
  for (const letter of letters) stepped = step(stepped, letter === 'F');
  expect(stepped).toBe(status);
});

test('it is resolved by the first wave that clears it, and no longer when it comes back', () => {
  expect(after('cFFcc')).toEqual({
    status: 'resolved',
    occurrenceCount: 2,
    firstSeenAt: 10,
    lastSeenAt: 20,
    lastSeenWaveId: 'wave_2',
    resolvedAt: 30,
  });
  expect(after('FcF')).toMatchObject({
    occurrenceCount: 2,
    firstSeenAt: 0,
    lastSeenAt: 20,
    resolvedAt: null,
  });
});

test('a run that joins a wave late neither moves it nor counts as another', () => {
  const first = { waveId: 'a', at: 0, fires: false };
  const second = { waveId: 'b', at: 10, fires: false };
  expect(statusAfter([first, second, { waveId: 'a', at: 20, fires: true }])).toEqual({
    status: 'resolved',
    occurrenceCount: 1,
    firstSeenAt: 20,
    lastSeenAt: 20,
    lastSeenWaveId: 'a',
    resolvedAt: 10,
  });
});

/** A second implementation: works backwards from the last wave that fired and its neighbors. */
function lookedUp(history: readonly WaveObservation[]): FindingState | undefined {
  const starts: Record<string, number> = {};
  for (const { waveId, at } of history) starts[waveId] = Math.min(at, starts[waveId] ?? at);
  const order = Object.keys(starts).sort(
    (a, b) => (starts[a] as number) - (starts[b] as number) || (a < b ? -1 : 1),
  );
  const firing = new Set(history.filter(({ fires }) => fires).map(({ waveId }) => waveId));
  const last = order.findLastIndex((waveId) => firing.has(waveId));
  const first = order.findIndex((waveId) => firing.has(waveId));
  if (last < 0) return undefined;
  const cleared = order[last + 1];
  const before = order[last - 1];
  const cameBack = last > first && before !== undefined && !firing.has(before);
  const times = (waveId: string | undefined): number[] =>
    history.filter((one) => one.fires && one.waveId === waveId).map(({ at }) => at);
  return {
    firstSeenAt: Math.min(...times(order[first])),
    lastSeenAt: Math.max(...times(order[last])),
    status:
      cleared !== undefined ? 'resolved' : first === last ? 'new' : cameBack ? 'regressed' : 'recurring',
    occurrenceCount: firing.size,
    lastSeenWaveId: order[last] as string,
    resolvedAt: cleared === undefined ? null : (starts[cleared] as number),
  };
}

test('whatever waves there are and in whatever order they arrive, the finding is the same', () => {
  const observation = fc.record({
    waveId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    at: fc.nat(8),
    fires: fc.boolean(),
  });
  const arrivals = fc.array(observation, { maxLength: 14 }).chain((history) =>
    fc.record({
      history: fc.constant(history),
      shuffled: fc.shuffledSubarray(history, { minLength: history.length }),
    }),
  );
  fc.assert(
    fc.property(arrivals, ({ history, shuffled }) => {
      const state = statusAfter(history);
      expect(state).toEqual(lookedUp(history));
      expect(statusAfter(shuffled)).toEqual(state);
    }),
    { numRuns: 1000 },
  );
});
