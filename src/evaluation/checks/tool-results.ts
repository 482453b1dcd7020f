import { isObject } from '../../platform/json/is-object.ts';
import type { ToolCall, ToolError, ToolResult, TrialEvidence } from '../evidence.ts';
import { type Effort, newEffort } from '../json/effort.ts';
import { schemaProblem, validateJson } from '../json/schema.ts';
import { canonicalText } from '../json/value.ts';
import { maxSearched } from '../text/pattern.ts';
import { list, quote } from '../text/show.ts';
import { countFailsByAbsence, countMatches, patternProblem, type Unit, valueAt } from './shared/countable.ts';
import { type CheckFinding, type CheckKind, failed, firstBad, missing, passed } from './shared/kind.ts';
import { allResults, payloadOf, searchableText, shownResults } from './shared/results.ts';
import { inScope, madeCalls } from './shared/scope.ts';
import { declarationsOf } from './shared/tools.ts';

/** Counts the results whose text, or whose value at `path`, matches all patterns. */
export const toolResultMatches: CheckKind<'toolResultMatches'> = {
  type: 'toolResultMatches',
  stage: 'response',
  turnScopable: false,
  failsByAbsence: countFailsByAbsence,
  problem: patternProblem,
  evaluate(check, { toolResults: { state, items } }) {
    const units = inScope(items, check.toolName).map((result) => unitOf(result, check.path));
    return countMatches(check, units, 'result', state !== 'complete');
  },
};

function unitOf(result: ToolResult, path: string | undefined): Unit {
  if (!result.whole) return 'unreadable';
  if (path === undefined) return readable(searchableText(result));
  const value = valueAt(path, result.structuredContent ?? result.json);
  if (value === undefined) return 'absent';
  return readable(typeof value === 'string' ? value : canonicalText(value));
}

function readable(text: string | undefined): Unit {
  return text === undefined || text.length > maxSearched ? 'unreadable' : { text };
}

export const noToolErrors: CheckKind<'noToolErrors'> = {
  type: 'noToolErrors',
  stage: 'response',
  turnScopable: true,
  evaluate(_check, { toolErrors }) {
    if (toolErrors.length === 0) return passed('No call of a tool failed');
    return failed(
      list(toolErrors.map(({ toolName, message }) => `${quote(toolName)} failed: ${quote(message)}`)),
    );
  },
};

const maxMessage = 10_000;
const maxValues = 1_000;

/**
 * Each error message names a declared input or repeats a value that was sent, so that a model can correct its call.
 * Errors of calls that never reached a server are ignored.
 */
export const toolErrorNamesInput: CheckKind<'toolErrorNamesInput'> = {
  type: 'toolErrorNamesInput',
  stage: 'response',
  turnScopable: false,
  evaluate({ toolName }, evidence) {
    const unsent = new Set(
      evidence.toolCalls.flatMap(({ toolCallId, invalid }) => (invalid === undefined ? [] : [toolCallId])),
    );
    const errors = inScope(evidence.toolErrors, toolName).filter(({ toolCallId }) => !unsent.has(toolCallId));
    if (errors.length === 0) return passed('There was no error');
    const findings = errors.map((error) => judgeError(error, evidence));
    return firstBad(findings, 'Every error names what it is about');
  },
};

function judgeError(error: ToolError, { inventory, toolCalls }: TrialEvidence): CheckFinding {
  const name = quote(error.toolName);
  const message = error.message.slice(0, maxMessage).toLowerCase();
  if (message.trim() === '') return failed(`${name} returned an empty error message`);
  if (inventory.state !== 'complete') return missing('Not all tools that were offered were recorded');
  const [call, anotherCall] = toolCalls.filter(({ toolCallId }) => toolCallId === error.toolCallId);
  if (!call || anotherCall) return missing(`Cannot determine which call of ${name} failed`);
  const [tool, anotherTool] = declarationsOf(call, inventory.items);
  if (!tool || anotherTool) return missing(`The tool name ${name} is ambiguous`);
  return inputKeys(tool.inputSchema).some((key) => namesKey(message, key)) || namesValue(message, call)
    ? passed(`An error of ${name} names its input`)
    : failed(`An error of ${name} names none of its inputs: ${quote(error.message)}`);
}

function inputKeys(schema: unknown): string[] {
  return isObject(schema) && isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
}

/** Short keys match whole words only, because `id` is also part of `invalid`. */
function namesKey(message: string, key: string): boolean {
  const wanted = key.toLowerCase();
  if (wanted === '') return false;
  return wanted.length < 3 ? message.split(/[^\p{L}\p{N}_]+/u).includes(wanted) : message.includes(wanted);
}

function namesValue(message: string, call: ToolCall): boolean {
  const values: unknown[] = [call.arguments];
  for (let at = 0; at < values.length && at < maxValues; at++) {
    const value = values[at];
    if (typeof value === 'object' && value !== null) values.push(...Object.values(value).slice(0, maxValues));
    else if (typeof value === 'number' && message.includes(String(value))) return true;
    else if (typeof value === 'string' && value.length >= 3 && message.includes(value.toLowerCase()))
      return true;
  }
  return false;
}

/** Fails if the slowest call takes `ms` or longer. */
export const toolLatencyUnder: CheckKind<'toolLatencyUnder'> = {
  type: 'toolLatencyUnder',
  stage: 'response',
  turnScopable: false,
  evaluate({ ms, toolName }, evidence) {
    if (madeCalls(evidence, toolName).length === 0) return passed('There was no call');
    const timings = inScope(evidence.timings.items, toolName);
    if (evidence.timings.state !== 'complete' || timings.length === 0)
      return missing('Not all calls were timed');
    const slowest = timings.reduce((a, b) => (b.ms > a.ms ? b : a));
    const found = `The slowest call, of ${quote(slowest.toolName)}, took ${slowest.ms} ms; less than ${ms} ms allowed`;
    return slowest.ms < ms ? passed(found) : failed(found);
  },
};

export const toolResultContains: CheckKind<'toolResultContains'> = {
  type: 'toolResultContains',
  stage: 'response',
  turnScopable: false,
  failsByAbsence: () => true,
  evaluate({ needle, caseSensitive = false, toolName }, evidence) {
    const known = allResults(evidence, toolName);
    if ('unknown' in known) return known.unknown;
    if (known.results.length === 0) return failed('No tool returned anything');
    const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase());
    const wanted = fold(needle);
    if (known.results.some((result) => fold(searchableText(result)).includes(wanted)))
      return passed(`A result contains ${quote(needle)}`);
    if (known.results.some(({ whole }) => !whole)) return missing('A result was too large to be kept whole');
    return failed(`No result contains ${quote(needle)}: ${shownResults(known.results)}`);
  },
};

/** Every result matches a JSON Schema. */
export const toolResultMatchesSchema: CheckKind<'toolResultMatchesSchema'> = {
  type: 'toolResultMatchesSchema',
  stage: 'response',
  turnScopable: false,
  failsByAbsence: (_check, { toolResults }) => toolResults.items.length === 0,
  problem({ schema }) {
    const message = schemaProblem(schema);
    return message === undefined ? undefined : { path: ['schema'], message };
  },
  evaluate({ schema, toolName }, evidence) {
    const known = allResults(evidence, toolName);
    if ('unknown' in known) return known.unknown;
    if (known.results.length === 0) return failed('No tool returned anything');
    const effort = newEffort();
    const findings = known.results.map((result) => judgeResult(result, schema, effort));
    return firstBad(findings, 'Every result fits the schema');
  },
};

function judgeResult(result: ToolResult, schema: unknown, effort: Effort): CheckFinding {
  const name = quote(result.toolName);
  if (!result.whole) return missing(`A result of ${name} was too large to be kept whole`);
  const payload = payloadOf(result);
  if (payload === undefined) return failed(`A result of ${name} is no JSON`);
  const validity = validateJson(schema, payload, effort);
  if ('unusable' in validity) return missing(`The schema cannot be used: ${validity.unusable}`);
  return validity.valid
    ? passed(`A result of ${name} fits`)
    : failed(`A result of ${name} does not fit the schema: ${validity.problem}`);
}

/** Compares the size of the largest result, measured before truncation for storage, with `maxBytes`. */
export const toolResultSizeUnder: CheckKind<'toolResultSizeUnder'> = {
  type: 'toolResultSizeUnder',
  stage: 'response',
  turnScopable: false,
  evaluate({ maxBytes, toolName }, evidence) {
    const known = allResults(evidence, toolName);
    if ('unknown' in known) return known.unknown;
    let largest = { bytes: 0, toolName: '' };
    for (const { bytes, toolName: name } of known.results) {
      if (bytes === undefined) return missing(`A result of ${quote(name)} was not measured`);
      if (bytes >= largest.bytes) largest = { bytes, toolName: name };
    }
    if (known.results.length === 0) return passed('No tool returned anything');
    const found = `The largest result, of ${quote(largest.toolName)}, has ${largest.bytes} bytes; fewer than ${maxBytes} allowed`;
    return largest.bytes < maxBytes ? passed(found) : failed(found);
  },
};

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

/** A result with exactly as many items as the call's limit must state whether more exist. */
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
