import { createParser } from 'eventsource-parser';

/** How often a stream that broke off is taken up again in a row without a single event in between. */
const mostAttempts = 5;

/**
 * The data of server-sent events. A stream that breaks off is taken up after the last event; one that the service ends
 * is over.
 */
export async function* eachEvent<Data>(
  connect: (headers: Record<string, string>) => Promise<Response>,
): AsyncGenerator<Data> {
  let last: string | undefined;
  for (let attempt = 1; ; attempt++) {
    const response = await connect(last === undefined ? {} : { 'last-event-id': last });
    try {
      for await (const { id, data } of eventsOf(response)) {
        attempt = 0;
        last = id ?? last;
        yield JSON.parse(data) as Data;
      }
      return;
    } catch (error) {
      // What the network does is a TypeError in fetch; anything else is for the caller.
      if (!(error instanceof TypeError) || attempt >= mostAttempts) throw error;
    }
  }
}

async function* eventsOf(response: Response): AsyncGenerator<{ id?: string | undefined; data: string }> {
  const ready: { id?: string | undefined; data: string }[] = [];
  const parser = createParser({ onEvent: (event) => ready.push(event) });
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* ready.splice(0);
  }
}
