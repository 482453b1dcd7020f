import { unlessAborted as settleUnlessAborted } from '../platform/flow/deadline.ts';
import type { Credential } from './credential.ts';

/** Kinds of failures of model calls, by their consequence. */
export type ModelFailureKind =
  /** Rate limited; the same request may work later. */
  | 'rate-limited'
  /** The account has no credit or quota left. */
  | 'quota'
  /** The spending limit of this deployment is reached; the provider was not called. */
  | 'spend-cap'
  /** The provider failed or is overloaded. */
  | 'overloaded'
  | 'unauthorized'
  /** The provider refuses the request permanently. */
  | 'bad-request'
  /** The connection failed or ended before the answer. */
  | 'network'
  /** The response does not follow the protocol. */
  | 'malformed'
  | 'aborted'
  /** Exceeds the limit of this service or of the provider. */
  | 'too-large';

export interface ModelFailureFacts {
  status?: number | undefined;
  /** The wait that the provider asks for. */
  retryAfterMs?: number | undefined;
  /** The provider did not receive the request. */
  notSent?: boolean;
}

/** A failed model call. The message is for users and contains no secret; there is no `cause`, which might. */
export class ModelFailure extends Error {
  readonly kind: ModelFailureKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly notSent: boolean;

  constructor(
    kind: ModelFailureKind,
    message: string,
    { status, retryAfterMs, notSent = false }: ModelFailureFacts = {},
  ) {
    super(message);
    this.name = 'ModelFailure';
    this.kind = kind;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.notSent = notSent;
  }
}

/** Settles like the work, or fails with `aborted` as soon as the signal aborts. */
export function unlessAborted<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  return settleUnlessAborted(work, signal, aborted);
}

function aborted(): ModelFailure {
  return new ModelFailure('aborted', 'The model call was aborted');
}

interface Circumstances {
  signal?: AbortSignal | undefined;
  /** The key that the request was sent with. */
  credential?: Credential | undefined;
  /** Epoch milliseconds, for a Retry-After with a date. */
  now: number;
}

/** The fields used of the library's error for HTTP responses. */
interface ApiError extends Error {
  statusCode?: number;
  responseHeaders?: Record<string, string>;
  responseBody?: string;
}

/** Converts any error of a model call into a failure. */
export function failureOf(error: unknown, { signal, credential, now }: Circumstances): ModelFailure {
  if (signal?.aborted) return aborted();
  for (const cause of causesOf(error)) if (cause instanceof ModelFailure) return cause;
  if (!(error instanceof Error)) return new ModelFailure('malformed', 'The model failed without a reason');
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return aborted();
  const text = publicText(error.message, credential);
  // Compared by name, because importing the class would load the library.
  if (error.name === 'AI_APICallError') return ofAnswer(error, text, now);
  if (/^AI_(Unsupported|InvalidPrompt|InvalidArgument|TooMany)/.test(error.name))
    return new ModelFailure('bad-request', `The request cannot be sent to this model: ${text}`);
  return new ModelFailure('malformed', `The model returned an invalid response: ${text}`);
}

function ofAnswer(error: ApiError, text: string, now: number): ModelFailure {
  const status = error.statusCode;
  if (status === undefined)
    return new ModelFailure('network', `The model provider cannot be reached: ${text}`);
  const retryAfterMs = retryAfterOf(error.responseHeaders ?? {}, now);
  const body = (error.responseBody ?? '').slice(0, 10_000);
  if (status < 300)
    return new ModelFailure('malformed', `The model returned an invalid response: ${text}`, { status });
  if (status < 400)
    return new ModelFailure('bad-request', `The base URL of the provider redirects (HTTP ${status})`, {
      status,
    });
  if (status === 402 || (status < 500 && quotaWords.test(`${error.message} ${body}`)))
    return new ModelFailure('quota', `The account at the model provider has no quota left: ${text}`, {
      status,
    });
  if (status === 401 || status === 403)
    return new ModelFailure('unauthorized', `The model provider rejected the key: ${text}`, { status });
  if (status === 429)
    return new ModelFailure('rate-limited', `The model provider limits the rate of requests: ${text}`, {
      status,
      retryAfterMs,
    });
  if (status === 413)
    return new ModelFailure('too-large', `The request is too large for the model provider: ${text}`, {
      status,
    });
  if (status === 408 || status >= 500)
    return new ModelFailure('overloaded', `The model provider failed (HTTP ${status}): ${text}`, {
      status,
      retryAfterMs,
    });
  return new ModelFailure(
    'bad-request',
    `The model provider rejected the request (HTTP ${status}): ${text}`,
    {
      status,
    },
  );
}

/** An exhausted account has the same status as a rate limit; only the message differs. */
const quotaWords =
  /insufficient_quota|exceeded your current quota|billing_hard_limit|billing_not_active|credit balance is too low|insufficient (credits|funds|balance)|usage limits? (has been )?(reached|exceeded)/i;

/** Milliseconds to wait. `retry-after-ms` is more precise than `retry-after`, which contains seconds or a date. */
function retryAfterOf(headers: Record<string, string>, now: number): number | undefined {
  const fine = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && fine >= 0 && Number.isFinite(fine)) return Math.ceil(fine);
  const coarse = headers['retry-after'];
  if (coarse === undefined) return undefined;
  const seconds = Number(coarse);
  const wait = coarse.trim() !== '' && Number.isFinite(seconds) ? seconds * 1000 : Date.parse(coarse) - now;
  return Number.isFinite(wait) ? Math.max(0, Math.ceil(wait)) : undefined;
}

function* causesOf(error: unknown): Generator<Error> {
  const seen = new Set<unknown>();
  for (let next = error; next instanceof Error && !seen.has(next); next = next.cause) {
    seen.add(next);
    yield next;
  }
}

const maxTextLength = 500;
/** Minimum characters of a key that is hidden. Shorter ones are not secret, and would match by chance. */
export const shortestKey = 6;

const keyShapes = [
  /\bBearer\s+\S+/gi,
  /\b(?:sk|pk|rk|gsk|xai|AIza)[-_A-Za-z0-9*.]{6,}/g,
  // Longer than any word, and with digits.
  /\b(?=[A-Za-z_-]*\d)[A-Za-z0-9_+/-]{32,}={0,2}/g,
  /:\/\/[^\s/@]+:[^\s/@]+@/g,
];

/** A provider's message without keys, short enough to be stored and shown. */
export function publicText(text: string, credential?: Credential): string {
  const key = credential?.reveal() ?? '';
  const known = key.length >= shortestKey ? [key, encodeURIComponent(key)] : [];
  // Longer than the result, so that a key at its end is recognized, but not all, which may have megabytes.
  let shown = text.slice(0, 20 * maxTextLength);
  for (const one of known) shown = shown.replaceAll(one, '[hidden]');
  for (const shape of keyShapes) shown = shown.replace(shape, '[hidden]');
  return shown.length > maxTextLength ? `${shown.slice(0, maxTextLength - 1).toWellFormed()}…` : shown;
}
