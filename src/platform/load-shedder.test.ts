import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { boundsFor, LoadShedder } from './load-shedder.ts';

const mib = 1024 * 1024;
const bounds = { requests: 3, streams: 2, bodies: 8 * mib };

function overloadWith(state: { memory: number; now: number }): LoadShedder {
  const loadShedder = new LoadShedder(bounds, { memory: () => state.memory, now: () => state.now });
  made.push(loadShedder);
  return loadShedder;
}

const made: LoadShedder[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const loadShedder of made.splice(0)) loadShedder.stop();
});

test('So many requests are begun, streams are counted apart, and who leaves makes room', () => {
  const loadShedder = overloadWith({ memory: 0, now: 0 });
  expect([1, 2, 3, 4].map(() => loadShedder.enter(false))).toEqual([
    undefined,
    undefined,
    undefined,
    'requests',
  ]);
  expect([1, 2, 3].map(() => loadShedder.enter(true))).toEqual([undefined, undefined, 'streams']);
  loadShedder.leave(false);
  expect(loadShedder.enter(false)).toBeUndefined();
  expect(loadShedder.enter(false)).toBe('requests');
});

test('With full memory few are let in, and everybody again when it is cleared', () => {
  const state = { memory: 0.9, now: 1_000 };
  const loadShedder = overloadWith(state);
  const atOnce = (): (string | undefined)[] =>
    [1, 2, 3].map(() => {
      const reason = loadShedder.enter(false);
      if (!reason) loadShedder.leave(false);
      return reason;
    });
  expect(atOnce()).toEqual([undefined, 'memory', 'memory']);
  state.now += 100;
  expect(atOnce()).toEqual([undefined, 'memory', 'memory']);
  state.memory = 0.5;
  state.now += 50;
  expect(atOnce()).toEqual([undefined, undefined, undefined]);
});

test('An event loop that stays late turns requests away; a single stop does not', () => {
  vi.useFakeTimers();
  const state = { memory: 0, now: 0 };
  const loadShedder = overloadWith(state);
  const tick = (late: number): void => {
    state.now += 200 + late;
    vi.advanceTimersByTime(200);
  };
  tick(3_000);
  expect(loadShedder.enter(false)).toBeUndefined();
  // A suspended process counts as not overloaded.
  tick(60_000);
  expect(loadShedder.enter(false)).toBeUndefined();
  for (let nth = 0; nth < 5; nth++) tick(3_000);
  expect(loadShedder.enter(false)).toBe('delay');
  for (let nth = 0; nth < 20; nth++) tick(0);
  expect(loadShedder.enter(false)).toBeUndefined();
});

test('Bodies never take more room than there is, unless it is one alone, and strangers no more than their part', () => {
  const size = fc.integer({ min: 1, max: 10 * mib });
  const step = fc.record({ size, isStranger: fc.boolean(), leaves: fc.nat(5) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const loadShedder = overloadWith({ memory: 0, now: 0 });
      const held: { size: number; isStranger: boolean }[] = [];
      for (const { leaves, ...body } of steps) {
        for (const gone of held.splice(0, leaves)) loadShedder.giveBack(gone.size, gone.isStranger);
        const before = held.length;
        const taken = loadShedder.take(body.size, body.isStranger);
        if (taken) held.push(body);
        expect(taken || before > 0).toBe(true);
        const sum = (all: { size: number }[]): number => all.reduce((total, one) => total + one.size, 0);
        const strangers = held.filter(({ isStranger }) => isStranger);
        expect(loadShedder.underWay().bytes).toBe(sum(held));
        expect(held.length < 2 || sum(held) <= 8 * mib).toBe(true);
        expect(strangers.length < 2 || sum(strangers) <= 2 * mib).toBe(true);
      }
    }),
  );
});

test('The bounds follow the memory, within reason, and what the operator wants', () => {
  expect(boundsFor(64 * mib)).toEqual({ requests: 256, streams: 256, bodies: 4 * mib });
  expect(boundsFor(64 * 1024 * mib)).toEqual({ requests: 2_000, streams: 2_000, bodies: 256 * mib });
  expect(boundsFor(mib)).toEqual({ requests: 64, streams: 64, bodies: 2 * mib });
  expect(boundsFor(64 * mib, 7)).toMatchObject({ requests: 7, streams: 7 });
});
