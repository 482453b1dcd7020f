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
  // What `fetch` throws when the network fails.
  if (error instanceof TypeError)
    return {
      message: 'The service cannot be reached.',
      code: undefined,
      requestId: undefined,
      advice: 'Nothing was changed that you were not told of. Check the connection, then try again.',
      again: true,
    };
  return {
    message: error instanceof Error ? error.message : 'Something failed on this page.',
    code: undefined,
    requestId: undefined,
    advice: 'Reload the page. If it happens again, the message above helps whoever looks into it.',
    again: true,
  };
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
