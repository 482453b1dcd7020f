import { OperatorProblem } from '../../platform/problem.ts';
import { manyLines, oneLine } from '../harmless-text.ts';
import { exitCodes } from './exit-codes.ts';

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
    // Every line but the first is indented: none of them can pass for one of ours.
    `${manyLines(refused.message).replaceAll('\n', '\n  ')} (${oneLine(refused.code, 60)})`,
    ...(advice === undefined ? [] : [`  ${advice}`]),
    ...(refused.requestId === undefined ? [] : [`  Request id: ${oneLine(refused.requestId, 100)}`]),
  ];
  return new OperatorProblem(lines.join('\n'), { exitCode: exitCodeOf(refused.code) });
}

/** What to do about it, where the message does not say it already. */
export function adviceFor({ code, details, retryAfter, requestId }: Refused): string | undefined {
  if (details?.['reason'] === 'BASELINE_NOT_FOUND')
    return details['baselineOf'] === 'server contract'
      ? 'Save the server as it is now with: drydock check SERVER --update'
      : 'Choose another run or commit to compare with, or run the suite once more.';
  switch (code) {
    case 'UNAUTHORIZED':
      return 'The key does not work. Log in with another one: drydock login';
    case 'FORBIDDEN':
      return 'The key may not do this. drydock whoami says whose it is; an administrator of the project may let it in.';
    case 'UNAVAILABLE':
    case 'RATE_LIMITED':
      return retryAfter === undefined ? 'Try again later.' : `Try again in ${retryAfter} s.`;
    case 'OAUTH_REQUIRED':
      return 'The server asks for OAuth. Give it tokens with: drydock servers import-tokens';
    case 'SERVER_UNREACHABLE':
      return 'drydock servers doctor SERVER says what is in the way.';
    case 'INTERNAL_ERROR':
      return requestId && 'The log of the service says more under the request id.';
    default:
      return undefined;
  }
}

export function exitCodeOf(code: string): number {
  switch (code) {
    case 'INTERNAL_ERROR':
    case 'UNAVAILABLE':
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
  const { cause } = error;
  const reason = oneLine(cause.message || error.message, 300);
  const text = distrusted.test(String((cause as NodeJS.ErrnoException).code))
    ? `The certificate of ${where} is not trusted: ${reason}. Use the name it is for; if you trust who signed it, set NODE_EXTRA_CA_CERTS to a file with their certificate`
    : `No service answers at ${where}: ${reason}. Start it with: drydock serve`;
  return new OperatorProblem(text, { exitCode: exitCodes.unreachable });
}

/** Codes of Node for certificates that do not convince. */
const distrusted =
  /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|CERT_(?:HAS_EXPIRED|NOT_YET|UNTRUSTED|ALTNAME)/;

/** Something in the command that cannot be sent, like a line break in a header. */
export function unsendable(error: unknown): OperatorProblem | undefined {
  if (!(error instanceof Error) || error.name !== 'Unsendable') return undefined;
  return new OperatorProblem(oneLine(error.message, 300));
}

/** An answer that never ends, or that is not what it should be: whoever is there, it is no Drydock that we know. */
export function senseless(error: unknown, where: string): OperatorProblem | undefined {
  if (!(error instanceof Error)) return undefined;
  const options = { exitCode: exitCodes.unreachable, cause: error };
  if (error.name === 'TimeoutError')
    return new OperatorProblem(`The service at ${where} does not answer in time`, options);
  if (![TypeError, RangeError, SyntaxError].some((kind) => error instanceof kind)) return undefined;
  return new OperatorProblem(
    `Cannot make sense of what ${where} answers (${oneLine(error.message, 200)}). Is it a Drydock of this version?`,
    options,
  );
}
