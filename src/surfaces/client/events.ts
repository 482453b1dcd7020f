import { DrydockError } from './error.ts';
import { EventParser, type StreamedEvent } from './event-parser.ts';
import { backoff, Lifetime, pause } from './lifetime.ts';

export interface Watching {
  /** Requests the events after an ID. */
  connect: (lastEventId: string | undefined, lifetime: Lifetime) => Promise<Response>;
  signal: AbortSignal | undefined;
  /** Maximum consecutive reconnections without an event. */
  retries: number;
  /** Milliseconds without data after which a connection counts as broken. */
  silence?: number;
}

/** Milliseconds of silence that count as broken: the service sends an event or a heartbeat every 15 seconds. */
const maxSilence = 60_000;
/** Milliseconds before a reconnection: the first, and the maximum. */
const firstPause = 500;
const maxPause = 60_000;
/** Milliseconds within which even a busy service ends a completed stream. */
const promptEnd = 5000;

/**
 * The data of server-sent events. An interrupted stream is resumed after the last event. A stream that ends is
 * requested once more, because a stopping service or a proxy also ends it; it is over if no new event arrives
 * immediately.
 */
export async function* eachEvent<Data>({
  connect,
  signal,
  retries,
  silence = maxSilence,
}: Watching): AsyncGenerator<Data> {
  let last: string | undefined;
  let asked: number | undefined;
  let quickEnds = 0;
  for (let attempt = 1; ; attempt++) {
    const lifetime = new Lifetime(signal);
    let rest = 0;
    try {
      const stream = new Stream(await connect(last, lifetime), lifetime, silence);
      const before = last;
      let received = 0;
      for await (const { id, data } of stream.events()) {
        received++;
        last = id ?? last;
        yield parsed(data) as Data;
      }
      signal?.throwIfAborted();
      asked = stream.retry ?? asked;
      if (last !== before) attempt = 0;
      // Without IDs, the position to resume at is unknown.
      const enough = attempt >= retries || (received > 0 && last === before);
      if (stream.problem !== undefined && enough) throw stream.problem;
      if (stream.problem === undefined && (enough || (received === 0 && stream.age < promptEnd))) return;
      // Delays the reconnection to a stream that repeatedly ends after a few events.
      quickEnds = stream.age < promptEnd ? quickEnds + 1 : 0;
      if (stream.problem !== undefined || received === 0 || quickEnds > 1)
        rest = Math.min(backoff(asked ?? firstPause, Math.max(1, attempt)), maxPause);
    } finally {
      lifetime.end();
    }
    await pause(rest, signal);
  }
}

/** Replaces the message of the platform, which would quote the event. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new SyntaxError('An event is not valid JSON');
  }
}

/** The events of one response. */
class Stream {
  /** Reason of the interruption. */
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

  /** Milliseconds since the start of the response. */
  get age(): number {
    return Date.now() - this.began;
  }

  /** Reconnection delay requested by the service, in milliseconds. */
  get retry(): number | undefined {
    return this.parser.retry;
  }

  /** Yields events until the response ends or is interrupted. */
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
