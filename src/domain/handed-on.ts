import type { StreamEvent } from '../contract/operation.ts';

/** What work tells on its way, as it does, and what it comes to. */
export async function* handedOn<Event>(
  work: (tell: (event: Event) => void) => Promise<Event>,
): AsyncGenerator<StreamEvent<Event>> {
  const told: Event[] = [];
  let wake = (): void => {};
  const result = work((event) => {
    told.push(event);
    wake();
  });
  const over = result.then(
    () => 'over',
    () => 'over',
  );
  for (;;) {
    for (let event = told.shift(); event !== undefined; event = told.shift()) yield { data: event };
    const more = new Promise<void>((resolve) => (wake = resolve));
    if ((await Promise.race([more, over])) === 'over') break;
  }
  for (const event of told) yield { data: event };
  yield { data: await result };
}
