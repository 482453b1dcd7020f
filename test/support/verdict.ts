import { ErrorBody, statusOfCode } from '../../src/contract/errors.ts';
import { errorCodesOf, type Operation, streamedAnswer } from '../../src/contract/operation.ts';
import { telltale } from './hostile.ts';
import type { WireAnswer } from './wire.ts';

/** The handler that answered: an operation, the key management stub, the page of the console, or none. */
export type Hit = Operation | 'keyManagement' | 'console' | 'none';

const canonical = ErrorBody.strict();

/** The problem with an answer, whatever the request was; undefined if there is none. */
export function problemOf(
  answer: WireAnswer,
  hit: Hit,
  { head = false, key = '', session = '' } = {},
): string | undefined {
  const { status, headers, text } = answer;
  const everything = JSON.stringify(headers) + text;
  if (everything.includes(telltale)) return 'it shows a secret';
  if (key !== '' && everything.includes(key)) return 'it shows the API key';
  if (session !== '' && everything.includes(session)) return 'it shows the token of the session';
  if (!/^req_[0-9a-z]{26,40}$/.test(headers['x-request-id'] ?? ''))
    return 'it has no x-request-id of its own';
  if (!statusesOf(hit).has(status))
    return `${status} is no status of ${typeof hit === 'object' ? hit.id : hit}`;
  if (head) return undefined;
  const bytes =
    hit === 'console' || (typeof hit === 'object' && streamedAnswer(hit.response)?.kind === 'file');
  const answered = status < 300 || (typeof hit === 'object' && hit.otherStatuses?.[status] !== undefined);
  if (answered) return bytes ? undefined : problemOfSuccess(text);
  return problemOfRefusal(status, text);
}

/** A 500 is declared everywhere, but is never acceptable. */
function statusesOf(hit: Hit): Set<number> {
  if (hit === 'none') return new Set([400, 404]);
  if (hit === 'console') return new Set([200, 400, 404]);
  if (hit === 'keyManagement') return new Set([400, 401, 403]);
  const codes = errorCodesOf(hit).filter((code) => code !== 'INTERNAL_ERROR');
  const others = Object.keys(hit.otherStatuses ?? {}).map(Number);
  return new Set([hit.status, ...others, ...codes.map((code) => statusOfCode[code])]);
}

function problemOfSuccess(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return 'it succeeds with something that is not JSON';
  }
}

function problemOfRefusal(status: number, text: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return 'it refuses with something that is not JSON';
  }
  const parsed = canonical.safeParse(body);
  if (!parsed.success) return 'it refuses without {code, message, details?}';
  const { code, message, details } = parsed.data;
  if (statusOfCode[code] !== status) return `${code} does not go with ${status}`;
  if (details && Object.keys(details).length === 0) return 'its details are empty';
  if (code === 'CONFLICT' && typeof details?.['code'] !== 'string') return 'its details have no word for why';
  if (!message.isWellFormed()) return 'its message holds half a character';
  // A server's message appears twice, quoted and raw, up to 1,000 characters each; its data is not counted.
  const { data } = (details?.['mcpError'] ?? {}) as { data?: unknown };
  if (text.length - (JSON.stringify(data)?.length ?? 0) > 3_000)
    return `it refuses at length: ${text.length} characters`;
  return undefined;
}
