import { DrydockError } from '../../../client/index.ts';

export interface ProblemFacts {
  message: string;
  code: string | undefined;
  requestId: string | undefined;
  advice: string;
  /** Whether a retry may succeed. */
  again: boolean;
}

export function factsOf(error: unknown): ProblemFacts {
  if (error instanceof DrydockError)
    return {
      message: error.message,
      code: error.code,
      requestId: error.requestId,
      advice: adviceFor(error),
      again: !['NOT_FOUND', 'FORBIDDEN', 'UNAUTHORIZED', 'VALIDATION_ERROR'].includes(error.code),
    };
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return {
      message: 'The request timed out.',
      code: 'TIMEOUT',
      requestId: undefined,
      advice: 'The request may still be running on the service. Check before you try again.',
      again: true,
    };
  if (isMissingPart(error))
    return {
      message: 'A part of the console could not be loaded.',
      code: 'PART_MISSING',
      requestId: undefined,
      advice: 'The console was probably updated after you opened this page. Reload it.',
      again: true,
    };
  if (error instanceof TypeError && networkText.test(error.message))
    return {
      message: 'The service cannot be reached.',
      code: 'UNREACHABLE',
      requestId: undefined,
      advice: 'Check your connection. This page refreshes as soon as the service answers.',
      again: true,
    };
  return {
    message:
      error instanceof Error ? error.message.slice(0, maxMessageLength) : 'Something failed on this page.',
    code: 'PAGE_ERROR',
    requestId: undefined,
    advice: 'Reload the page. If it happens again, report the message above.',
    again: true,
  };
}

/** Messages of the `TypeError` that browsers throw for failed requests; script errors have that type too. */
const networkText =
  /^(failed to fetch|network ?error|load failed|error in input stream|the stream broke off)/i;
const partText =
  /^(failed to fetch dynamically imported module|error loading dynamically imported module|importing a module script failed)/i;
const maxMessageLength = 500;

/** Whether a code chunk is missing because the service was updated. */
export function isMissingPart(error: unknown): boolean {
  return error instanceof TypeError && partText.test(error.message);
}

const advice: Record<string, string> = {
  UNAUTHORIZED: 'Sign in, then open this page again.',
  FORBIDDEN: 'Ask an administrator of the organization for access.',
  NOT_FOUND: 'The item may have been deleted, or it is in a project you have no access to.',
  CONFLICT:
    'The item was changed by someone else, or its state does not allow this. Reload to see the current version.',
  VALIDATION_ERROR: 'Correct the value the message names. Nothing was changed.',
  SERVER_UNREACHABLE: 'The MCP server did not answer. Its diagnostics show the step that failed.',
  OAUTH_REQUIRED: 'The MCP server requires an OAuth grant first.',
  TIMEOUT: 'The MCP server timed out. Try again, or raise its timeout.',
  UNAVAILABLE: 'The service is busy or its database is unavailable. Try again in a moment.',
  INTERNAL_ERROR: 'Search the service log for the request ID to find the cause.',
  FEATURE_NOT_SUPPORTED: 'The MCP server or this installation does not support this feature.',
};

function adviceFor({ code, retryAfter }: DrydockError): string {
  if (code === 'RATE_LIMITED')
    return retryAfter === undefined
      ? 'Too many requests. Try again in a moment.'
      : `Too many requests. Wait ${Math.ceil(retryAfter)} s.`;
  return advice[code] ?? 'Try again.';
}

export function isNotFound(error: unknown): boolean {
  return error instanceof DrydockError && error.code === 'NOT_FOUND';
}
