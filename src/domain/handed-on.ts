import type { StreamEvent } from '../contract/operation.ts';

/**
 * What work tells on its way, as it does, and what it comes to. The work begins at once: were the reader gone before it
 * reads, nothing would ever end what was begun.
 */
export function handedOn<Event>(
  work: (tell: (event: Event) => void) => Promise<Event>,
): AsyncGenerator<StreamEvent<Event>> {
  const told: Event[] = [];
  let over = false;
  let wake = (): void => {};
  const result = work((event) => {
    told.push(event);
    wake();
  });
  const ended = (): void => {
    over = true;
    wake();
  };
  result.then(ended, ended);
  return (async function* () {
    for (;;) {
      for (const data of told.splice(0)) yield { data };
      if (told.length > 0) continue;
      if (over) break;
      // One promise for each wait: what waits for a long one is kept until that ends.
      await new Promise<void>((resolve) => (wake = resolve));
    }
    yield { data: await result };
  })();
}
