import { z } from 'zod';

/** HTTP status of each error code. */
export const statusOfCode = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  OAUTH_REQUIRED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  FEATURE_NOT_SUPPORTED: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVER_UNREACHABLE: 502,
  UNAVAILABLE: 503,
  TIMEOUT: 504,
} as const;

export type ErrorCode = keyof typeof statusOfCode;

export const ErrorBody = z
  .object({
    code: z.enum(Object.keys(statusOfCode) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'Error', description: 'Body of every error response. Codes are stable, messages are not.' });

interface RefusalOptions {
  details?: Record<string, unknown>;
  /** Seconds to wait before a retry, if known. */
  retryAfter?: number;
}

/** Refuses a request. Surfaces send its code, message and details to the caller. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, options: RefusalOptions = {}) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.details = code === 'CONFLICT' ? withBothWords(options.details) : options.details;
    this.retryAfter = options.retryAfter;
  }

  toBody(): z.infer<typeof ErrorBody> {
    const body: z.infer<typeof ErrorBody> = { code: this.code, message: this.message };
    if (this.details && Object.keys(this.details).length > 0) body.details = this.details;
    return body;
  }
}

/** Repeats the reason of a conflict in `details.code` and `details.reason`, because clients read one or the other. */
function withBothWords(details: Record<string, unknown> = {}): Record<string, unknown> {
  const word = details['code'] ?? details['reason'];
  return word === undefined ? details : { code: word, reason: word, ...details };
}
