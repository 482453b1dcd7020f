import { ErrorBody, type ErrorCode, statusOfCode } from '../../contract/errors.ts';
import type { Components } from './components.ts';
import type { Reference, ResponseObject } from './types.ts';

export const meaningOfCode: Record<ErrorCode, string> = {
  VALIDATION_ERROR: 'The request is malformed; the message names the field.',
  UNAUTHORIZED: 'The key is missing, invalid, revoked or no longer bound to an organization.',
  OAUTH_REQUIRED: 'The MCP server asks for an OAuth sign-in first.',
  FORBIDDEN: 'The key works but may not do this.',
  NOT_FOUND: 'There is no such thing, or the key may not see it.',
  CONFLICT: 'The current state does not allow it; the message says why.',
  FEATURE_NOT_SUPPORTED: 'The MCP server or this deployment does not support it.',
  RATE_LIMITED: 'A limit is reached; `Retry-After` says when it lifts, if that is known.',
  INTERNAL_ERROR: 'Something failed on our side; the message carries the request id.',
  UNAVAILABLE: 'The service is busy or waits for its database. `Retry-After` says when to ask again.',
  SERVER_UNREACHABLE: 'The MCP server could not be reached.',
  TIMEOUT: 'The MCP server did not answer in time.',
};

export const requestIdHeader = { description: 'Names this request in the logs.', schema: { type: 'string' } };

/** The refusals of a document: one component per status and the codes it can carry. */
export class ErrorResponses {
  readonly responses: Record<string, ResponseObject> = {};
  private readonly components: Components;

  constructor(components: Components) {
    this.components = components;
  }

  /** By status, the answers of an operation that refuses with these codes. */
  add(codes: readonly ErrorCode[]): Record<string, Reference> {
    const statuses = [...new Set(codes.map((code) => statusOfCode[code]))].sort((a, b) => a - b);
    return Object.fromEntries(
      statuses.map((status) => {
        const same = codes.filter((code) => statusOfCode[code] === status).sort();
        const name = same.map(pascal).join('Or');
        this.responses[name] ??= this.describe(status, same);
        return [status, { $ref: `#/components/responses/${name}` }];
      }),
    );
  }

  private describe(status: number, codes: readonly ErrorCode[]): ResponseObject {
    return {
      description: codes.map((code) => `\`${code}\`: ${meaningOfCode[code]}`).join(' '),
      headers: { 'x-request-id': requestIdHeader, ...headersOfStatus[status] },
      content: {
        'application/json': {
          schema: this.components.add(ErrorBody, 'output'),
          examples: Object.fromEntries(
            codes.map((code) => [
              code,
              { value: { code, message: meaningOfCode[code].replaceAll('`', '') } },
            ]),
          ),
        },
      },
    };
  }
}

const headersOfStatus: Record<number, ResponseObject['headers']> = {
  401: { 'WWW-Authenticate': { description: '`Bearer`, when a key is needed.', schema: { type: 'string' } } },
  429: {
    'Retry-After': {
      description: 'Seconds until it lifts, when that is known.',
      schema: { type: 'integer', minimum: 1 },
    },
  },
};

/** `NOT_FOUND` is `NotFound`. */
function pascal(code: ErrorCode): string {
  return code
    .toLowerCase()
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
