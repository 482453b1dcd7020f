import type { Credential } from './credential.ts';

/** What went wrong between us and a model, named by what follows from it. */
export type ModelFailureKind =
  /** Too many requests or tokens for now; the same request may work later. */
  | 'rate-limited'
  /** The account has no money or no allowance left. */
  | 'quota'
  /** What may be spent here is spent, so that the provider was not asked. */
  | 'spend-cap'
  /** The provider failed or has too much to do. */
  | 'overloaded'
  | 'unauthorized'
  /** The provider will not accept this request, however often it is sent. */
  | 'bad-request'
  /** No connection, or one that ended before the answer did. */
  | 'network'
  /** Something answered, and it is not an answer of this protocol. */
  | 'malformed'
  | 'aborted'
  /** More than is read, or more than the provider reads. */
  | 'too-large';

export interface ModelFailureFacts {
  status?: number | undefined;
  /** How long the provider asks to wait. */
  retryAfterMs?: number | undefined;
  /** The provider never had the request. */
  notSent?: boolean;
}

/** The one error of this module. Its message is made for people and holds no secret; it carries no cause, which might. */
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

interface Circumstances {
  signal?: AbortSignal | undefined;
  /** The key the request was sent with. */
  credential?: Credential | undefined;
  /** Epoch milliseconds, for a Retry-After that names a time. */
  now: number;
}

/** The parts of the library's error for answers over HTTP that are used here. */
interface ApiError extends Error {
  statusCode?: number;
  responseHeaders?: Record<string, string>;
  responseBody?: string;
}

/** Whatever a call of a model threw, as a failure. */
export function failureOf(error: unknown, { signal, credential, now }: Circumstances): ModelFailure {
  if (signal?.aborted) return new ModelFailure('aborted', 'The call of the model was given up');
  for (const cause of causesOf(error)) if (cause instanceof ModelFailure) return cause;
  if (!(error instanceof Error)) return new ModelFailure('malformed', 'The model failed without saying why');
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return new ModelFailure('aborted', 'The call of the model was given up');
  const said = publicText(error.message, credential);
  // Told by its name: importing the class would load the library.
  if (error.name === 'AI_APICallError') return ofAnswer(error, said, now);
  if (/^AI_(Unsupported|InvalidPrompt|InvalidArgument|TooMany)/.test(error.name))
    return new ModelFailure('bad-request', `The request cannot be sent to this model: ${said}`);
  return new ModelFailure('malformed', `The answer of the model cannot be used: ${said}`);
}

function ofAnswer(error: ApiError, said: string, now: number): ModelFailure {
  const status = error.statusCode;
  if (status === undefined)
    return new ModelFailure('network', `The provider of the model cannot be reached: ${said}`);
  const retryAfterMs = retryAfterOf(error.responseHeaders ?? {}, now);
  const body = (error.responseBody ?? '').slice(0, 10_000);
  if (status < 300)
    return new ModelFailure('malformed', `The answer of the model cannot be used: ${said}`, { status });
  if (status < 400)
    return new ModelFailure('bad-request', `The base URL of the provider redirects (HTTP ${status})`, {
      status,
    });
  if (status === 402 || (status < 500 && quotaWords.test(`${error.message} ${body}`)))
    return new ModelFailure('quota', `The account at the provider is used up: ${said}`, { status });
  if (status === 401 || status === 403)
    return new ModelFailure('unauthorized', `The provider does not accept the key: ${said}`, { status });
  if (status === 429)
    return new ModelFailure('rate-limited', `The provider is asked too often: ${said}`, {
      status,
      retryAfterMs,
    });
  if (status === 413)
    return new ModelFailure('too-large', `The request is too large for the provider: ${said}`, { status });
  if (status === 408 || status >= 500)
    return new ModelFailure('overloaded', `The provider failed (HTTP ${status}): ${said}`, {
      status,
      retryAfterMs,
    });
  return new ModelFailure('bad-request', `The provider refused the request (HTTP ${status}): ${said}`, {
    status,
  });
}

/** A used up account answers like one that is asked too often; only the words differ. */
const quotaWords =
  /insufficient_quota|exceeded your current quota|billing_hard_limit|billing_not_active|credit balance is too low|insufficient (credits|funds|balance)|usage limits? (has been )?(reached|exceeded)/i;

/** Milliseconds to wait. `retry-after-ms` is finer than `retry-after`, which holds seconds or a date. */
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

const longestText = 500;
/** Shorter ones are no secrets, and words of the message may hold them by chance. */
export const shortestKey = 6;

const keyShapes = [
  /\bBearer\s+\S+/gi,
  /\b(?:sk|pk|rk|gsk|xai|AIza)[-_A-Za-z0-9*.]{6,}/g,
  // Longer than any word and with digits in it.
  /\b(?=[A-Za-z_-]*\d)[A-Za-z0-9_+/-]{32,}={0,2}/g,
  /:\/\/[^\s/@]+:[^\s/@]+@/g,
];

/** What others say about a request, without keys and of a length that can be stored and shown. */
export function publicText(text: string, credential?: Credential): string {
  const key = credential?.reveal() ?? '';
  const known = key.length >= shortestKey ? [key, encodeURIComponent(key)] : [];
  // More than is kept, so that a key at the cut is seen whole; not all, which may be megabytes.
  let shown = text.slice(0, 20 * longestText);
  for (const one of known) shown = shown.replaceAll(one, '[hidden]');
  for (const shape of keyShapes) shown = shown.replace(shape, '[hidden]');
  return shown.length > longestText ? `${shown.slice(0, longestText - 1).toWellFormed()}…` : shown;
}
