import type { ErrorCode } from './calls.ts';
import { boundedText } from './text.ts';

interface Said {
  code: string;
  message: string;
  details?: Record<string, unknown> | null;
}

/** How much of an answer that is not ours is shown. */
const shown = 200;
const longestRefusal = 4_000_000;

/** A refusal of the service, as the caller sees it. */
export class DrydockError extends Error {
  override name = 'DrydockError';
  /** What kind of refusal. Codes may be added; treat one you do not know as final unless the status says otherwise. */
  readonly code: ErrorCode | (string & {});
  /** The HTTP status. */
  readonly status: number;
  /** More about it, by its code; empty when there is nothing more to say. */
  readonly details: Record<string, unknown>;
  /** What the log of the service calls the request, when it was reached. */
  readonly requestId: string | undefined;
  /** Seconds until another try makes sense, when that was said. */
  readonly retryAfter: number | undefined;

  constructor(response: Response, { code, message, details }: Said) {
    super(message);
    this.code = code;
    this.status = response.status;
    this.details = details ?? {};
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.retryAfter = secondsUntil(response.headers.get('retry-after'));
  }

  /** The refusal in an answer. */
  static async from(response: Response): Promise<DrydockError> {
    // Whoever says more than this refuses nothing that we know.
    const text = (await boundedText(response, longestRefusal)) ?? '';
    return new DrydockError(response, saidIn(text) ?? notOurs(response, text));
  }

  /** For an answer that the service would not give. */
  static notOurs(response: Response, text: string): DrydockError {
    return new DrydockError(response, notOurs(response, text));
  }
}

function saidIn(text: string): Said | undefined {
  try {
    const body = JSON.parse(text) as Partial<Said> | null;
    return typeof body?.code === 'string' && typeof body.message === 'string' ? (body as Said) : undefined;
  } catch {
    return undefined;
  }
}

/** A proxy in between, most likely, or another service at this address. */
function notOurs({ status, type: kind, headers }: Response, text: string): Said {
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

/** It is not followed: whatever was sent would go to an address that nobody named. */
function redirected(headers: Headers): Said {
  const to = headers.get('location')?.slice(0, shown);
  const message = `The answer is not from Drydock: it redirects${to === undefined ? '' : ` to ${to}`}`;
  return { code: 'INTERNAL_ERROR', message };
}

/** `Retry-After` holds seconds, or a date. */
function secondsUntil(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const left = Number.isNaN(seconds) ? (Date.parse(header) - Date.now()) / 1000 : seconds;
  return Number.isFinite(left) ? Math.max(0, left) : undefined;
}
