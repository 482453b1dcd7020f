/** URL of the service, credentials, timeouts and retries. */
export interface ClientOptions {
  /** URL printed by `drydock serve`, with or without `/api/v1`. */
  baseUrl: string;
  /**
   * An API key, or a function that returns one, called for each request. Optional for operations without authentication
   * and for pages of the service.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Additional headers of every request. */
  headers?: Record<string, string> | undefined;
  /**
   * Timeout of a call in milliseconds, including delays and retries. Default 300 000; `Infinity` for none. For files
   * and event streams, it applies until the response starts.
   */
  timeout?: number | undefined;
  /** Maximum number of retries of rate-limited requests, and of failed ones that are safe to repeat. Default 2. */
  retries?: number | undefined;
  /**
   * Maximum total delay of the retries of a call in milliseconds. Default 60 000. With a longer `Retry-After`, the call
   * fails immediately with `retryAfter` in the error.
   */
  maxWait?: number | undefined;
  /** Called before each retry delay. */
  onRetry?: ((retry: Retry) => void) | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

/** A request that is about to be retried. */
export interface Retry {
  /** ID of the operation. */
  operation: string;
  /** Number of attempts so far. */
  attempt: number;
  /** Milliseconds until the retry. */
  wait: number;
  /** Error of the last attempt: a `DrydockError`, or the error of `fetch`. */
  error: unknown;
}

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call, including delays and streams. */
  signal?: AbortSignal | undefined;
  /**
   * Idempotency key, for operations that support it: calls with the same key take effect once. Default: generated for
   * each call if that allows retries.
   */
  idempotencyKey?: string | undefined;
  /** Headers in addition to those of the client. */
  headers?: Record<string, string> | undefined;
  /** Overrides the `timeout` of the client. */
  timeout?: number | undefined;
}

/** Bytes to send with their media type, which a `Blob` provides itself. A stream is sent once and never retried. */
export type SentBytes =
  | Blob
  | { contentType: string; bytes: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> };
