import { ErrorBody, type ErrorCode, statusOfCode } from '../../contract/errors.ts';
import type { Components } from './components.ts';
import type { Reference, ResponseObject } from './types.ts';

export const meaningOfCode: Record<ErrorCode, string> = {
  VALIDATION_ERROR: 'The request is invalid; the message names the field.',
  UNAUTHORIZED: 'The API key is missing, invalid, revoked or no longer bound to an organization.',
  OAUTH_REQUIRED: 'The MCP server requires OAuth.',
  FORBIDDEN: 'The API key is valid but lacks permission.',
  NOT_FOUND: 'The resource does not exist, or the API key has no access to it.',
  CONFLICT: 'The request conflicts with the current state; the message has the reason.',
  FEATURE_NOT_SUPPORTED: 'The MCP server or this deployment does not support it.',
  RATE_LIMITED: 'A limit is reached; `Retry-After` has the seconds to wait, if known.',
  INTERNAL_ERROR: 'Internal error; the message contains the request ID.',
  UNAVAILABLE:
    'The service is overloaded or its database is unavailable. `Retry-After` has the seconds to wait.',
  SERVER_UNREACHABLE: 'The MCP server could not be reached.',
  TIMEOUT: 'The MCP server did not respond in time.',
};

export const requestIdHeader = {
  description: 'Identifies the request in the logs.',
  schema: { type: 'string' },
};

/** Error responses of a document: one component per status and set of codes. */
export class ErrorResponses {
  readonly responses: Record<string, ResponseObject> = {};
  private readonly components: Components;

  constructor(components: Components) {
    this.components = components;
  }

  /** The error responses of an operation, by status. */
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
