import type { CallToolResult, ResourceLink } from '@modelcontextprotocol/server';
import { Refusal } from '../../contract/errors.ts';
import { named, quoted, visibleLine } from '../../platform/quoted.ts';
import { DrydockError } from '../client/index.ts';
import type { Link } from './addresses.ts';
import type { Agent, Made } from './agent.ts';
import { type Left, shorten } from './shorten.ts';

/** Default and maximum characters of data in an answer. */
export const defaultSize = 8000;
export const largestSize = 100_000;

/** The answer of a tool: trusted sentences of Drydock, and untrusted data. */
export interface Answer {
  /** Sentences of Drydock, one per line. Names in them are escaped by `named`. */
  ours: string[];
  /** Untrusted data, and its origin. */
  data?: { provenance: string; value: unknown };
  links?: Link[];
  /** A link to all of the data, added when it is shortened. */
  full?: Link | undefined;
  isError?: true;
}

export const provenanceLabels = {
  server: 'Sent by a server under test.',
  records:
    'Records of this Drydock, with texts that servers under test, models and other people may have written.',
  run: 'Recorded in a run, with texts of servers under test, models and the authors of the suite.',
} as const;

export function resultOf(
  { ours, data, links = [], full, isError }: Answer,
  most = defaultSize,
): CallToolResult {
  const lines = [...ours];
  const shown = [...links];
  if (data) {
    const { value, left } = shorten(data.value, most);
    if (left) lines.push(shortened(left, full));
    if (left && full) shown.push(full);
    lines.push(quoted(data.provenance, value));
  }
  return {
    content: [{ type: 'text', text: lines.join('\n') }, ...shown.map(linkOf)],
    ...(isError && { isError }),
  };
}

function shortened({ items, texts }: Left, full: Link | undefined): string {
  const parts = [
    ...(items > 0 ? [`${items} items`] : []),
    ...(texts > 0 ? [`the ends of ${texts} texts`] : []),
  ];
  const where = full
    ? `read ${full.uri} for all of it`
    : 'request less, or set a larger answerSize if the tool accepts one';
  return `Shortened: ${parts.join(' and ')} omitted; ${where}.`;
}

function linkOf({ uri, name }: Link): ResourceLink {
  return { type: 'resource_link', uri, name, mimeType: 'application/json' };
}

/** The advice for an agent, by error code. */
const remedies: Record<string, string> = {
  VALIDATION_ERROR:
    'Correct the arguments as the message says. See the schema of the tool, or describe_operation for an operation.',
  UNAUTHORIZED: 'Ask the user for a valid API key.',
  OAUTH_REQUIRED:
    'The server requires an OAuth grant. Ask the user to authorize it, or import tokens with importOAuthTokens.',
  FORBIDDEN: 'The account of this key lacks permission. Ask the user for access or another key.',
  NOT_FOUND: 'Look up the name or ID with find, list_runs or a list operation.',
  CONFLICT: 'Read the current state, then decide again.',
  FEATURE_NOT_SUPPORTED: 'Proceed without it: this deployment or server does not support it.',
  RATE_LIMITED: 'Wait for the given time, then retry.',
  UNAVAILABLE: 'Wait a few seconds, then retry. After a write, check first whether it was done.',
  INTERNAL_ERROR: 'Tell the user the request ID; the operator finds the cause in the log.',
  SERVER_UNREACHABLE: 'Find the cause with diagnose_server or runDoctor.',
  TIMEOUT: 'The server timed out. Request less, or diagnose it with diagnose_server or runDoctor.',
};

/** More specific advice, by the reason in the details. */
const remediesOfReasons: Record<string, string> = {
  TRACE_NOT_AVAILABLE: 'Choose another trial, or see listEvalRunIterations for the record of this one.',
  BASELINE_NOT_FOUND:
    'Compare with another completed run, commit or branch of this suite, or run the whole suite again.',
  'BASELINE_NOT_FOUND of server contract':
    'Ask the user whether the current server is correct, then save it as the baseline with write_operation setServerContractBaseline.',
  TARGET_RATE_LIMITED: 'The server under test is rate limiting. Wait, then retry.',
  LIMIT_REACHED: 'Delete what is no longer needed. Ask the user first.',
};

function remedyOf(code: string, details: Record<string, unknown> | undefined): string {
  const subject = details?.['baselineOf'];
  const word = String(details?.['reason'] ?? details?.['code']);
  const reason = typeof subject === 'string' ? `${word} of ${subject}` : word;
  const known = Object.hasOwn(remediesOfReasons, reason) ? remediesOfReasons[reason] : remedies[code];
  return known ?? 'Follow the message.';
}

/** An error with the code and message of the API. A `foreign` message may come from a server, and is quoted as data. */
function refusalResult(
  refusal: { code: string; message: string; details?: Record<string, unknown> | undefined },
  { requestId, foreign }: { requestId: string | undefined; foreign: boolean },
): CallToolResult {
  const { code, message, details } = refusal;
  const hasDetails = details !== undefined && Object.keys(details).length > 0;
  const ours = [
    foreign ? code : `${code}: ${visibleLine(message)}`,
    `What to do: ${remedyOf(code, details)}`,
    ...(requestId === undefined ? [] : [`Request ID: ${requestId}`]),
  ];
  const shown = { ...(foreign && { message }), ...(hasDetails && { details }) };
  return resultOf(
    {
      ours,
      ...(Object.keys(shown).length > 0 && {
        data: { provenance: foreign ? provenanceLabels.server : 'Details of the error.', value: shown },
      }),
      isError: true,
    },
    4000,
  );
}

/** The API error in any error of a client; undefined for unexpected errors. */
export function refusalIn(
  error: unknown,
): (Pick<Refusal, 'code' | 'message' | 'details'> & { requestId?: string | undefined }) | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof DrydockError) return error as DrydockError & { code: Refusal['code'] };
  // `fetch` throws a TypeError with a cause when the connection fails.
  if (error instanceof TypeError && error.cause instanceof Error)
    return new Refusal('INTERNAL_ERROR', `The service does not respond: ${named(error.cause.message, 200)}`);
  return undefined;
}

/** Codes of errors raised before a server is contacted, unless the details show that it was. */
const internalCodes: ReadonlySet<string> = new Set([
  'VALIDATION_ERROR',
  'UNAUTHORIZED',
  'NOT_FOUND',
  'CONFLICT',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
]);

/** Whether the message may come from a server. */
export function mayContainServerText({
  code,
  details,
}: {
  code: string;
  details?: Record<string, unknown> | undefined;
}): boolean {
  return !internalCodes.has(code) || details?.['mcpError'] !== undefined || details?.['cause'] !== undefined;
}

/**
 * The answer of a call that created something and failed afterwards. Returned as a success, because an agent that
 * retries an error would create it twice.
 */
export function madeResult(
  agent: Agent,
  made: readonly Made[],
  error: unknown,
  reachesOut: boolean,
): CallToolResult {
  const failed = failedResult(agent, error, reachesOut);
  const [reason] = failed.content;
  return {
    content: [
      {
        type: 'text',
        text: [
          ...made.map(({ sentence }) => sentence),
          'A later step of this call failed. Do not repeat the call: its result is saved.',
          ...made.map(({ next }) => next),
          'The failure:',
          ...(reason?.type === 'text' ? [reason.text] : []),
        ].join('\n'),
      },
      ...made.flatMap(({ links = [] }) => links.map(linkOf)),
    ],
  };
}

export function failedResult(agent: Agent, error: unknown, reachesOut: boolean): CallToolResult {
  const refusal = refusalIn(error);
  const requestId = refusal?.requestId ?? agent.requestId;
  if (refusal)
    return refusalResult(refusal, { requestId, foreign: reachesOut && mayContainServerText(refusal) });
  agent.failed(error);
  const about = requestId === undefined ? '' : `. The request ID is ${requestId}`;
  return refusalResult(new Refusal('INTERNAL_ERROR', `Internal error${about}`), {
    requestId,
    foreign: false,
  });
}
