/** Where the service is, who asks, and how long to try. */
export interface ClientOptions {
  /** Its origin, with or without `/api/v1`, as `drydock serve` prints it. */
  baseUrl: string;
  /**
   * An API key, or what fetches one; that is called for each request. Left out, no key is sent: for what needs none, and
   * for a page of the service itself.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Headers for every request. */
  headers?: Record<string, string> | undefined;
  /**
   * Milliseconds a call may take, pauses and repetitions included; 300 000 unless said, `Infinity` for no end. Of a file
   * or a stream of events, what counts is the time until it begins.
   */
  timeout?: number | undefined;
  /**
   * How often a request is sent again that was refused for its rate, or that failed on the way and is safe to repeat; 2
   * unless said.
   */
  retries?: number | undefined;
  /**
   * Milliseconds that the pauses of a call may take together; 60 000 unless said. A `Retry-After` that is longer is not
   * waited for: the call fails at once, and the error says `retryAfter`.
   */
  maxWait?: number | undefined;
  /** Called before each pause. */
  onRetry?: ((retry: Retry) => void) | undefined;
  /** Used in place of the global one. */
  fetch?: typeof fetch | undefined;
}

/** A request that is about to be sent again. */
export interface Retry {
  /** The operation that was called. */
  operation: string;
  /** How often it has been sent. */
  attempt: number;
  /** Milliseconds until it is sent again. */
  wait: number;
  /** What came of the last time: a `DrydockError`, or what `fetch` threw. */
  error: unknown;
}

/** What can be said about one call. */
export interface CallOptions {
  /** Ends the call at once, pauses and streams included. */
  signal?: AbortSignal | undefined;
  /**
   * Two calls with the same key are one, where the operation honours keys. Without, the client makes a key for each
   * call where that lets it repeat the request safely.
   */
  idempotencyKey?: string | undefined;
  /** Headers beyond those of the client. */
  headers?: Record<string, string> | undefined;
  /** In place of the `timeout` of the client. */
  timeout?: number | undefined;
}

/** Bytes to send, with their media type; a `Blob` brings its own. A stream is sent once and never repeated. */
export type SentBytes =
  | Blob
  | { contentType: string; bytes: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> };
