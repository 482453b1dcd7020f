import { OperatorProblem } from '../../platform/problem.ts';
import { exitCodes } from './exit-codes.ts';
import { manyLines } from './screen/text.ts';

/** What a service refused with, whether it answered over HTTP or in this process. */
export interface Refused {
  code: string;
  message: string;
  details?: Record<string, unknown> | undefined;
  requestId?: string | undefined;
  /** In seconds. */
  retryAfter?: number | undefined;
}

export function asRefused(error: unknown): Refused | undefined {
  if (!(error instanceof Error) || !['DrydockError', 'Refusal'].includes(error.name)) return undefined;
  return error as Error & Refused;
}

/** A refusal as a problem of whoever typed the command: what it is, what to do, and what to name when asking about it. */
export function refusal(refused: Refused, advice: string | undefined = adviceFor(refused)): OperatorProblem {
  const lines = [
    `${manyLines(refused.message)} (${refused.code})`,
    ...(advice === undefined ? [] : [`  ${advice}`]),
    ...(refused.requestId === undefined ? [] : [`  Request id: ${refused.requestId}`]),
  ];
  return new OperatorProblem(lines.join('\n'), { exitCode: exitCodeOf(refused.code) });
}

/** What to do about it, where the message does not say it already. */
export function adviceFor({ code, retryAfter }: Refused): string | undefined {
  switch (code) {
    case 'UNAUTHORIZED':
      return 'The key does not work. Log in with another one: drydock login';
    case 'FORBIDDEN':
      return 'The key may not do this. drydock whoami says whose it is; an administrator of the project may let it in.';
    case 'RATE_LIMITED':
      return retryAfter === undefined ? 'Try again later.' : `Try again in ${retryAfter} s.`;
    case 'OAUTH_REQUIRED':
      return 'The server asks for OAuth. Give it tokens with: drydock servers import-tokens';
    case 'SERVER_UNREACHABLE':
      return 'drydock servers doctor SERVER says what is in the way.';
    case 'INTERNAL_ERROR':
      return 'The log of the service says more under the request id.';
    default:
      return undefined;
  }
}

export function exitCodeOf(code: string): number {
  switch (code) {
    case 'INTERNAL_ERROR':
      return exitCodes.unreachable;
    case 'SERVER_UNREACHABLE':
    case 'TIMEOUT':
    case 'OAUTH_REQUIRED':
    case 'RATE_LIMITED':
      return exitCodes.incomplete;
    default:
      return exitCodes.usage;
  }
}

/** What `fetch` throws when nobody answers. */
export function unanswered(error: unknown, where: string): OperatorProblem | undefined {
  if (!(error instanceof TypeError) || !(error.cause instanceof Error)) return undefined;
  return new OperatorProblem(
    `No service answers at ${where}: ${error.cause.message || error.message}. Start it with: drydock serve`,
    { exitCode: exitCodes.unreachable },
  );
}
