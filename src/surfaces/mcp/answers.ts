import type { CallToolResult, ResourceLink } from '@modelcontextprotocol/server';
import { Refusal } from '../../contract/errors.ts';
import { named, quoted, visibleLine } from '../../platform/quoted.ts';
import { DrydockError } from '../client/index.ts';
import type { Link } from './addresses.ts';
import type { Agent, Made } from './agent.ts';
import { type Left, shorten } from './shorten.ts';

/** Characters of data in an answer, unless more was asked for. */
export const usualSize = 8000;
export const largestSize = 100_000;

/** What a tool has to say, in our words and in those of others. */
export interface Answer {
  /** Sentences of ours, one a line. Names in them go through `named`. */
  ours: string[];
  /** What others have written. */
  data?: { whose: string; value: unknown };
  links?: Link[];
  /** Where all of the data is, told when it does not fit. */
  full?: Link | undefined;
  isError?: true;
}

export const whose = {
  server: 'Said by a server under test.',
  records:
    'Records of this Drydock; servers under test, models and other people may have written texts in them.',
  run: 'Recorded in a run; servers under test, models and the authors of the suite wrote texts in it.',
} as const;

export function resultOf(
  { ours, data, links = [], full, isError }: Answer,
  most = usualSize,
): CallToolResult {
  const lines = [...ours];
  const shown = [...links];
  if (data) {
    const { value, left } = shorten(data.value, most);
    if (left) lines.push(shortened(left, full));
    if (left && full) shown.push(full);
    lines.push(quoted(data.whose, value));
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
    ? `${full.uri} has all of it`
    : 'ask for less of it, or with a larger answerSize where the tool takes one';
  return `Shortened: ${parts.join(' and ')} left out; ${where}.`;
}

function linkOf({ uri, name }: Link): ResourceLink {
  return { type: 'resource_link', uri, name, mimeType: 'application/json' };
}

/** What an agent can do about a refusal. */
const remedies: Record<string, string> = {
  VALIDATION_ERROR:
    'Correct the arguments as the message says. The schema of the tool shows what it takes, describe_operation what an operation takes.',
  UNAUTHORIZED: 'Ask the user for a working API key.',
  OAUTH_REQUIRED:
    'The server needs an OAuth grant. Ask the user to authorize it, or import tokens with importOAuthTokens.',
  FORBIDDEN: 'The key may not do this. Ask the user for one that may, or for permission.',
  NOT_FOUND: 'Look the name or id up: find, list_runs and operations that list show what the key can see.',
  CONFLICT: 'Read the present state, then decide again.',
  FEATURE_NOT_SUPPORTED: 'Do without it: this deployment or this server does not offer it.',
  RATE_LIMITED: 'Wait as long as is said, then ask again.',
  UNAVAILABLE: 'Wait a few seconds, then ask again. If it wrote, look first whether it was done.',
  INTERNAL_ERROR: 'Tell the user the request id; the operator finds the cause in the log.',
  SERVER_UNREACHABLE: 'Examine the server (diagnose_server or runDoctor) to see why.',
  TIMEOUT: 'The server took too long. Ask for less, or examine it (diagnose_server or runDoctor).',
};

/** Where the reason in the details says more than the code. */
const remediesOfReasons: Record<string, string> = {
  TRACE_NOT_AVAILABLE: 'Choose another trial, or see listEvalRunIterations for what is known of this one.',
  BASELINE_NOT_FOUND:
    'Name another completed run, a commit or a branch of this suite to compare with, or run the whole suite once more.',
  'BASELINE_NOT_FOUND of server contract':
    'Ask the user whether the server is as it should be, then save it as the baseline with write_operation setServerContractBaseline.',
  TARGET_RATE_LIMITED: 'The server under test limits its callers. Wait, then ask again.',
  LIMIT_REACHED: 'Remove what is no longer needed, or use another place. Ask the user first.',
};

function remedyOf(code: string, details: Record<string, unknown> | undefined): string {
  const subject = details?.['baselineOf'];
  const word = String(details?.['reason'] ?? details?.['code']);
  const reason = typeof subject === 'string' ? `${word} of ${subject}` : word;
  const known = Object.hasOwn(remediesOfReasons, reason) ? remediesOfReasons[reason] : remedies[code];
  return known ?? 'See what the message says.';
}

/** A refusal as the one that HTTP gives: same code, same message. `foreign`: a server may have worded it. */
function refusalResult(
  refusal: { code: string; message: string; details?: Record<string, unknown> | undefined },
  { requestId, foreign }: { requestId: string | undefined; foreign: boolean },
): CallToolResult {
  const { code, message, details } = refusal;
  const hasDetails = details !== undefined && Object.keys(details).length > 0;
  const ours = [
    foreign ? code : `${code}: ${visibleLine(message)}`,
    `What to do: ${remedyOf(code, details)}`,
    ...(requestId === undefined ? [] : [`Request id: ${requestId}`]),
  ];
  const said = { ...(foreign && { message }), ...(hasDetails && { details }) };
  return resultOf(
    {
      ours,
      ...(Object.keys(said).length > 0 && {
        data: { whose: foreign ? whose.server : 'Details of the refusal.', value: said },
      }),
      isError: true,
    },
    4000,
  );
}

/** A refusal of any client, or undefined for what nobody foresaw. */
export function refusalIn(
  error: unknown,
): (Pick<Refusal, 'code' | 'message' | 'details'> & { requestId?: string | undefined }) | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof DrydockError) return error as DrydockError & { code: Refusal['code'] };
  // What `fetch` throws when nobody answers.
  if (error instanceof TypeError && error.cause instanceof Error)
    return new Refusal('INTERNAL_ERROR', `The service does not answer: ${named(error.cause.message, 200)}`);
  return undefined;
}

/** Codes of refusals that come before a server is asked, unless the details say that it was. */
const oursAlone: ReadonlySet<string> = new Set([
  'VALIDATION_ERROR',
  'UNAUTHORIZED',
  'NOT_FOUND',
  'CONFLICT',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
]);

/** Whether a server may have worded the refusal of something that asks one. */
export function isWorded({
  code,
  details,
}: {
  code: string;
  details?: Record<string, unknown> | undefined;
}): boolean {
  return !oursAlone.has(code) || details?.['mcpError'] !== undefined || details?.['cause'] !== undefined;
}

/**
 * The answer of a call that made something and failed afterwards. It is no error: an agent that repeats the call would
 * make the same thing twice.
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
          'A later step of this call failed. What it made stands: do not repeat the call.',
          ...made.map(({ next }) => next),
          'The failure:',
          ...(reason?.type === 'text' ? [reason.text] : []),
        ].join('\n'),
      },
      ...made.flatMap(({ links = [] }) => links.map(linkOf)),
    ],
  };
}

/** What an agent is told of whatever a call threw. */
export function failedResult(agent: Agent, error: unknown, reachesOut: boolean): CallToolResult {
  const refusal = refusalIn(error);
  const requestId = refusal?.requestId ?? agent.requestId;
  if (refusal) return refusalResult(refusal, { requestId, foreign: reachesOut && isWorded(refusal) });
  agent.failed(error);
  const about = requestId === undefined ? '' : `. The request id is ${requestId}`;
  return refusalResult(new Refusal('INTERNAL_ERROR', `Something failed on our side${about}`), {
    requestId,
    foreign: false,
  });
}
