import { DrydockError } from '../../../client/index.ts';

/** What went wrong, as a reader is told. */
export interface ProblemFacts {
  message: string;
  code: string | undefined;
  requestId: string | undefined;
  /** What to do about it. */
  advice: string;
  /** Whether the same may work later. */
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
      message: 'No answer came in time.',
      code: 'TIMEOUT',
      requestId: undefined,
      advice: 'What was asked for may still be under way. Look again before you repeat it.',
      again: true,
    };
  if (isMissingPart(error))
    return {
      message: 'A part of the console could not be loaded.',
      code: 'PART_MISSING',
      requestId: undefined,
      advice: 'The console was probably updated since this page was opened. Reload the page.',
      again: true,
    };
  if (error instanceof TypeError && networkWords.test(error.message))
    return {
      message: 'The service cannot be reached.',
      code: 'UNREACHABLE',
      requestId: undefined,
      advice: 'Check the connection. What is shown here is read again as soon as the service answers.',
      again: true,
    };
  return {
    message:
      error instanceof Error ? error.message.slice(0, longestMessage) : 'Something failed on this page.',
    code: 'PAGE_ERROR',
    requestId: undefined,
    advice: 'Reload the page. If it happens again, the message above helps whoever looks into it.',
    again: true,
  };
}

/** What browsers say in the `TypeError` of a request that failed on its way; mistakes in a script are of that type too. */
const networkWords =
  /^(failed to fetch|network ?error|load failed|error in input stream|the stream broke off)/i;
const partWords =
  /^(failed to fetch dynamically imported module|error loading dynamically imported module|importing a module script failed)/i;
const longestMessage = 500;

/** Code of the console that the service has no more. */
export function isMissingPart(error: unknown): boolean {
  return error instanceof TypeError && partWords.test(error.message);
}

const advice: Record<string, string> = {
  UNAUTHORIZED: 'Sign in, then open this page again.',
  FORBIDDEN: 'Ask an administrator of the organization for access.',
  NOT_FOUND: 'It may have been deleted, or it belongs to a project you cannot see.',
  CONFLICT:
    'Somebody else changed it meanwhile, or its state does not allow this. Reload to see it as it is.',
  VALIDATION_ERROR: 'Correct what the message names; nothing was changed.',
  SERVER_UNREACHABLE: 'The MCP server did not answer. Its doctor says at which step.',
  OAUTH_REQUIRED: 'The MCP server wants an OAuth grant first.',
  TIMEOUT: 'The MCP server took too long. Try again, or raise its timeout.',
  UNAVAILABLE: 'The service is busy or waits for its database. Try again in a moment.',
  INTERNAL_ERROR: 'The log of the service has the cause under the request id.',
  FEATURE_NOT_SUPPORTED: 'This installation does not do that.',
};

function adviceFor({ code, retryAfter }: DrydockError): string {
  if (code === 'RATE_LIMITED')
    return retryAfter === undefined
      ? 'Too many requests. Wait a moment.'
      : `Too many requests. Wait ${Math.ceil(retryAfter)} s.`;
  return advice[code] ?? 'Try again.';
}
