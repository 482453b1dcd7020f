import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work before others get their turn. */
const turn = 5;

/** Makes something of each item, with pauses in between: many items at once would keep everybody else waiting. */
export async function mapInTurns<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Made,
): Promise<Made[]> {
  const made: Made[] = [];
  let pauseAt = performance.now() + turn;
  for (const item of items) {
    if (performance.now() > pauseAt) {
      await nextTurn();
      pauseAt = performance.now() + turn;
    }
    made.push(make(item));
  }
  return made;
}
