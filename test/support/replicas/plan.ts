import { setTimeout as delay } from 'node:timers/promises';
import type { Disturber, What } from './disturb.ts';

type Deed = [What, who: string];

const apis = ['one', 'two', 'three'];
const workers = ['worker-1', 'worker-2', 'worker-3'];

/** One of each that matters most, for a run of seconds; those of a line at once. */
const short: Deed[][] = [
  [
    ['kill', 'one'],
    ['kill', 'worker-1'],
  ],
  [['restart database', 'PostgreSQL']],
  [
    ['restart', 'three'],
    ['freeze', 'two'],
  ],
];

/** Milliseconds of calm before each. */
const calm = { short: 1_000, long: 4_000 };

type Plan = (disturber: Disturber, stopping: AbortSignal) => Promise<void>;

/** Everything of the short plan, once. */
export const disturbBriefly: Plan = async (disturber, stopping) => {
  for (const deeds of short) {
    await rest(calm.short, stopping);
    if (stopping.aborted) return;
    await Promise.all(deeds.map(([what, who]) => disturber.disturb(what, who)));
  }
  await rest(calm.short, stopping);
};

/** Everything to everybody, in an order that the seed decides, for so long; the database after a third, and after two. */
export function disturbFor(minutes: number, seed: number): Plan {
  return async (disturber, stopping) => {
    const began = performance.now();
    const share = (): number => (performance.now() - began) / (minutes * 60_000);
    const next = shuffled(seed);
    for (let restarts = 0; ; ) {
      await rest(calm.long, stopping);
      if (stopping.aborted || share() >= 1) return;
      if (restarts < 2 && share() > (restarts + 1) / 3) {
        restarts++;
        await disturber.disturb('restart database', 'PostgreSQL');
      } else await disturber.disturb(...(await next(disturber)));
    }
  };
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}

/** Each deed once, then again in another order; after each round whoever holds the tunnel is killed. */
function shuffled(seed: number): (disturber: Disturber) => Promise<Deed> {
  let state = seed;
  // Numbers that follow from the seed, evenly enough for an order.
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  let round: Deed[] = [];
  return async (disturber) => {
    const deed = round.pop();
    if (deed) return deed;
    const all = (['kill', 'freeze', 'restart'] as const).flatMap((what) =>
      [...apis, ...workers].map((who): Deed => [what, who]),
    );
    round = all
      .map((one) => ({ one, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one);
    return ['kill', (await disturber.fleet.relay()) ?? 'one'];
  };
}
