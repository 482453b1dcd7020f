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
    ['freeze', 'two'],
    ['restart', 'three'],
  ],
];

/** Milliseconds of calm before each. */
const calm = { short: 1_000, long: 4_000 };

/** Follows the short plan once. */
export async function disturbBriefly(disturber: Disturber): Promise<void> {
  for (const deeds of short) {
    await delay(calm.short);
    await Promise.all(deeds.map(([what, who]) => disturber.disturb(what, who)));
  }
  await delay(calm.short);
}

/** Everything to everybody, in an order that the seed decides, for so long; the database twice, after a third each. */
export async function disturbFor(disturber: Disturber, minutes: number, seed: number): Promise<void> {
  const began = performance.now();
  const share = (): number => (performance.now() - began) / (minutes * 60_000);
  const next = shuffled(seed);
  let restarts = 0;
  while (share() < 1) {
    await delay(calm.long);
    if (share() > (restarts + 1) / 3 && restarts < 2) {
      restarts++;
      await disturber.disturb('restart database', 'PostgreSQL');
    } else await disturber.disturb(...(await next(disturber)));
  }
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
    return ['kill', (await disturber.relay()) ?? 'one'];
  };
}
