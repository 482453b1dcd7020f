import { DrydockError } from './error.ts';
import { EventParser } from './event-parser.ts';
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
/** Milliseconds within which the service ends a stream that has nothing more to say. */
const atOnce = 1000;

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
  let rest = 0;
  for (let attempt = 1; ; attempt++) {
    const connection = new Lifetime(signal);
    try {
      const parser = new EventParser();
      const chunks = new Chunks(await connect(last, connection), connection, silence);
      const before = last;
      let heard = 0;
      for (let text = await chunks.next(); text !== undefined; text = await chunks.next())
        for (const { id, data } of parser.feed(text)) {
          heard++;
          last = id ?? last;
          yield JSON.parse(data) as Data;
        }
      signal?.throwIfAborted();
      asked = parser.retry ?? asked;
      const broken = chunks.problem !== undefined;
      if (last !== before) attempt = 0;
      // Without ids it cannot be told where to go on.
      const enough = attempt >= retries || (heard > 0 && last === before);
      if (broken && enough) throw chunks.problem;
      if (!broken && (enough || (heard === 0 && chunks.age < atOnce))) return;
      rest = broken || heard === 0 ? backoff(asked ?? firstPause, Math.max(1, attempt)) : 0;
    } finally {
      connection.end();
    }
    await pause(rest, signal);
  }
}

/** The text of an answer, piece by piece, until it ends or breaks off. */
class Chunks {
  /** Why it broke off. */
  problem: unknown;
  private readonly began = Date.now();
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  private readonly connection: Lifetime;
  private readonly silence: number;

  constructor(response: Response, connection: Lifetime, silence: number) {
    if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
      throw DrydockError.notOurs(response, 'no stream of events');
    this.reader = response.body?.getReader();
    this.connection = connection;
    this.silence = silence;
  }

  /** Milliseconds since it began. */
  get age(): number {
    return Date.now() - this.began;
  }

  async next(): Promise<string | undefined> {
    this.connection.allow(this.silence);
    try {
      const { done, value } = (await this.reader?.read()) ?? { done: true };
      return done ? undefined : this.decoder.decode(value, { stream: true });
    } catch (error) {
      this.problem = error ?? new TypeError('The stream broke off');
      return undefined;
    }
  }
}
