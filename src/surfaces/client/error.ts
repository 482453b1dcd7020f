import type { ErrorCode } from './calls.ts';
import { boundedText } from './text.ts';

interface ErrorBody {
  code: string;
  message: string;
  details?: Record<string, unknown> | null;
}

/** Maximum characters of a foreign response in a message. */
const shown = 200;
const maxRefusalLength = 4_000_000;

/** An error response of the service. */
export class DrydockError extends Error {
  override name = 'DrydockError';
  /** Error code. New codes may be added; treat unknown ones as final unless the status suggests a retry. */
  readonly code: ErrorCode | (string & {});
  /** The HTTP status. */
  readonly status: number;
  /** Details that depend on the code. May be empty. */
  readonly details: Record<string, unknown>;
  /** ID of the request in the log of the service, if the service was reached. */
  readonly requestId: string | undefined;
  /** Seconds to wait before a retry, if known. */
  readonly retryAfter: number | undefined;

  constructor(response: Response, { code, message, details }: ErrorBody) {
    super(message);
    this.code = code;
    this.status = response.status;
    this.details = details ?? {};
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.retryAfter = secondsUntil(response.headers.get('retry-after'));
  }

  /** Parses an error response. */
  static async from(response: Response): Promise<DrydockError> {
    // Error bodies of the service are smaller.
    const text = (await boundedText(response, maxRefusalLength)) ?? '';
    return new DrydockError(response, errorBodyIn(text) ?? notOurs(response, text));
  }

  /** For a response that cannot come from the service. */
  static notOurs(response: Response, text: string): DrydockError {
    return new DrydockError(response, notOurs(response, text));
  }
}

function errorBodyIn(text: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null;
    return typeof body?.code === 'string' && typeof body.message === 'string'
      ? (body as ErrorBody)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Usually the response of a proxy, or of another service at this URL. */
function notOurs({ status, type: kind, headers }: Response, text: string): ErrorBody {
  if (kind === 'opaqueredirect' || (status >= 300 && status < 400)) return redirected(headers);
  const type = headers.get('content-type')?.split(';')[0] ?? 'no content type';
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? text;
  const words = title
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, shown);
  const message = `The answer is not from Drydock (HTTP ${status}, ${type})${words && `: ${words}`}`;
  return { code: 'INTERNAL_ERROR', message };
}

/** Redirects are not followed, so that keys and bodies are only sent to the configured URL. */
function redirected(headers: Headers): ErrorBody {
  const to = headers.get('location')?.slice(0, shown);
  const message = `The answer is not from Drydock: it redirects${to === undefined ? '' : ` to ${to}`}`;
  return { code: 'INTERNAL_ERROR', message };
}

/** `Retry-After` is a number of seconds or a date. */
function secondsUntil(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const left = Number.isNaN(seconds) ? (Date.parse(header) - Date.now()) / 1000 : seconds;
  return Number.isFinite(left) ? Math.max(0, left) : undefined;
}
