import { DrydockError } from './error.ts';
import { EventParser, type StreamedEvent } from './event-parser.ts';
import { backoff, Lifetime, pause } from './lifetime.ts';

export interface Watching {
  /** Asks for the events after this one. */
  connect: (lastEventId: string | undefined, lifetime: Lifetime) => Promise<Response>;
  signal: AbortSignal | undefined;
  /** How often in a row a stream is taken up again without a single event in between. */
  retries: number;
  /** Milliseconds without a sign of life, after which a connection counts as broken. */
  silence?: number;
}

/** The service says something every 15 seconds, if only that it is there. */
const longestSilence = 60_000;
const firstPause = 500;
const longestPause = 60_000;
/** Milliseconds within which the service, busy as it may be, ends a stream that has nothing more to say. */
const atOnce = 5000;

/**
 * The data of server-sent events. A stream that breaks off is taken up after the last event. One that ends is asked for
 * once more, since a service that stops and a proxy end it too: it is over when nothing new comes at once.
 */
export async function* eachEvent<Data>({
  connect,
  signal,
  retries,
  silence = longestSilence,
}: Watching): AsyncGenerator<Data> {
  let last: string | undefined;
  let asked: number | undefined;
  let hurried = 0;
  for (let attempt = 1; ; attempt++) {
    const lifetime = new Lifetime(signal);
    let rest = 0;
    try {
      const stream = new Stream(await connect(last, lifetime), lifetime, silence);
      const before = last;
      let heard = 0;
      for await (const { id, data } of stream.events()) {
        heard++;
        last = id ?? last;
        yield parsed(data) as Data;
      }
      signal?.throwIfAborted();
      asked = stream.retry ?? asked;
      if (last !== before) attempt = 0;
      // Without ids it cannot be told where to go on.
      const enough = attempt >= retries || (heard > 0 && last === before);
      if (stream.problem !== undefined && enough) throw stream.problem;
      if (stream.problem === undefined && (enough || (heard === 0 && stream.age < atOnce))) return;
      // One that says a little and ends, again and again, is not asked as fast as it can answer.
      hurried = stream.age < atOnce ? hurried + 1 : 0;
      if (stream.problem !== undefined || heard === 0 || hurried > 1)
        rest = Math.min(backoff(asked ?? firstPause, Math.max(1, attempt)), longestPause);
    } finally {
      lifetime.end();
    }
    await pause(rest, signal);
  }
}

/** The message of the platform would repeat what was said. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new SyntaxError('An event is not JSON');
  }
}

/** The events of one answer. */
class Stream {
  /** Why it broke off. */
  problem: unknown;
  private readonly began = Date.now();
  private readonly parser = new EventParser();
  private readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  private readonly lifetime: Lifetime;
  private readonly silence: number;

  constructor(response: Response, lifetime: Lifetime, silence: number) {
    if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
      throw DrydockError.notOurs(response, 'no stream of events');
    this.reader = response.body?.getReader();
    this.lifetime = lifetime;
    this.silence = silence;
  }

  /** Milliseconds since it began. */
  get age(): number {
    return Date.now() - this.began;
  }

  /** Milliseconds that the service asks to wait for before coming again. */
  get retry(): number | undefined {
    return this.parser.retry;
  }

  /** Until it ends or breaks off. */
  async *events(): AsyncGenerator<StreamedEvent> {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    for (let bytes = await this.read(); bytes !== undefined; bytes = await this.read())
      yield* this.parser.feed(decoder.decode(bytes, { stream: true }));
  }

  private async read(): Promise<Uint8Array | undefined> {
    this.lifetime.allow(this.silence);
    try {
      return (await this.reader?.read())?.value;
    } catch (error) {
      this.problem = error ?? new TypeError('The stream broke off');
      return undefined;
    }
  }
}
