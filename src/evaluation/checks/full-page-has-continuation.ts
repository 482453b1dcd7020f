import type { ToolCall, ToolResult } from '../evidence.ts';
import { isObject } from '../json/value.ts';
import { list, quote } from '../text/show.ts';
import { type CheckKind, failed, passed } from './shared/kind.ts';
import { allResults, payloadOf } from './shared/results.ts';
import { inScope } from './shared/scope.ts';

const limits = [
  'limit',
  'page_size',
  'pageSize',
  'per_page',
  'perPage',
  'max_results',
  'maxResults',
  'first',
  'top',
];
const continuations = [
  'nextCursor',
  'next_cursor',
  'hasMore',
  'has_more',
  'cursor',
  'nextPage',
  'next_page',
  'nextPageToken',
  'truncated',
];

/** A result with exactly as many items as were asked for says whether there are more. */
export const fullPageHasContinuation: CheckKind<'fullPageHasContinuation'> = {
  type: 'fullPageHasContinuation',
  stage: 'response',
  turnScopable: false,
  evaluate({ toolName }, evidence) {
    const known = allResults(evidence, toolName);
    if ('unknown' in known) return known.unknown;
    const results = new Map(known.results.map((result) => [result.toolCallId, result]));
    const endless = inScope(evidence.toolCalls, toolName).filter((call) => isOpenEnded(call, results));
    if (endless.length === 0) return passed('Every full page says whether there are more');
    const names = new Set(endless.map((call) => quote(call.toolName)));
    return failed(`A full page of ${list([...names])} does not say whether there are more`);
  },
};

function isOpenEnded(call: ToolCall, results: ReadonlyMap<string, ToolResult>): boolean {
  const limit = limits.map((key) => call.arguments[key]).find((value) => typeof value === 'number');
  const result = results.get(call.toolCallId);
  if (limit === undefined || limit < 1 || !result) return false;
  const payload = payloadOf(result);
  if (Array.isArray(payload)) return payload.length === limit;
  if (!isObject(payload)) return false;
  const longest = Object.values(payload).reduce(
    (most: number, value) => (Array.isArray(value) ? Math.max(most, value.length) : most),
    0,
  );
  return longest === limit && !continuations.some((key) => Object.hasOwn(payload, key));
}
