import { OperatorProblem } from '../../platform/problem.ts';
import { manyLines, oneLine } from '../common/harmless-text.ts';
import { exitCodes } from './exit-codes.ts';

/** An error of the API, received over HTTP or from this process. */
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

/** The error as text: message, code, advice and request ID. */
export function refusal(refused: Refused, advice: string | undefined = adviceFor(refused)): OperatorProblem {
  const lines = [
    // Indented, so that no line of the message can pass for output of drydock.
    `${manyLines(refused.message).replaceAll('\n', '\n  ')} (${oneLine(refused.code, 60)})`,
    ...(advice === undefined ? [] : [`  ${advice}`]),
    ...(refused.requestId === undefined ? [] : [`  Request ID: ${oneLine(refused.requestId, 100)}`]),
  ];
  return new OperatorProblem(lines.join('\n'), { exitCode: exitCodeOf(refused.code) });
}

export function adviceFor({ code, details, retryAfter, requestId }: Refused): string | undefined {
  if (details?.['reason'] === 'BASELINE_NOT_FOUND')
    return details['baselineOf'] === 'server contract'
      ? 'Save a baseline of the server: drydock check SERVER --update'
      : 'Compare with another run or commit, or run the suite again.';
  switch (code) {
    case 'UNAUTHORIZED':
      return 'The API key is not valid. Log in again: drydock login';
    case 'FORBIDDEN':
      return 'The account of this key (see drydock whoami) lacks permission. Ask an administrator of the project for access.';
    case 'UNAVAILABLE':
    case 'RATE_LIMITED':
      return retryAfter === undefined ? 'Try again later.' : `Try again in ${retryAfter} s.`;
    case 'OAUTH_REQUIRED':
      return 'The server requires OAuth. Import tokens: drydock servers import-tokens';
    case 'SERVER_UNREACHABLE':
      return 'Find the cause: drydock servers doctor SERVER';
    case 'INTERNAL_ERROR':
      return requestId && 'See the log of the service for this request ID.';
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

/** Translates the TypeError that `fetch` throws without a response. */
export function noResponse(error: unknown, where: string): OperatorProblem | undefined {
  if (!(error instanceof TypeError) || !(error.cause instanceof Error)) return undefined;
  const { cause } = error;
  const reason = oneLine(cause.message || error.message, 300);
  const text = distrusted.test(String((cause as NodeJS.ErrnoException).code))
    ? `The certificate of ${where} is not trusted: ${reason}. Use the host name of the certificate, or set NODE_EXTRA_CA_CERTS to a file with the certificate of its issuer`
    : `No service responds at ${where}: ${reason}. Start one with: drydock serve`;
  return new OperatorProblem(text, { exitCode: exitCodes.unreachable });
}

/** Error codes of Node for certificates that fail verification. */
const distrusted =
  /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|CERT_(?:HAS_EXPIRED|NOT_YET|UNTRUSTED|ALTNAME)/;

/** Translates the error for a value that cannot be sent, like a line break in a header. */
export function unsendableValue(error: unknown): OperatorProblem | undefined {
  if (!(error instanceof Error) || error.name !== 'Unsendable') return undefined;
  return new OperatorProblem(oneLine(error.message, 300));
}

/** Translates a timeout or a response that is not one of this API. */
export function unexpectedResponse(error: unknown, where: string): OperatorProblem | undefined {
  if (!(error instanceof Error)) return undefined;
  const options = { exitCode: exitCodes.unreachable, cause: error };
  if (error.name === 'TimeoutError')
    return new OperatorProblem(`The service at ${where} did not respond in time`, options);
  if (![TypeError, RangeError, SyntaxError].some((kind) => error instanceof kind)) return undefined;
  return new OperatorProblem(
    `Unexpected response from ${where} (${oneLine(error.message, 200)}). Is it a Drydock service of this version?`,
    options,
  );
}
