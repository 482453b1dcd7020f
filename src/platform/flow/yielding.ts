import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work between two yields. */
const maxSliceTime = 5;

/** Maps the items, yielding to the event loop every few milliseconds so that a long list does not block requests. */
export async function mapYielding<Item, Made>(
  items: readonly Item[],
  map: (item: Item) => Made,
): Promise<Made[]> {
  const made: Made[] = [];
  let pauseAt = performance.now() + maxSliceTime;
  for (const item of items) {
    if (performance.now() > pauseAt) {
      await nextTurn();
      pauseAt = performance.now() + maxSliceTime;
    }
    made.push(map(item));
  }
  return made;
}
