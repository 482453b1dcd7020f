import { validateJson } from '../json/schema.ts';
import { isObject, isShallow } from '../json/value.ts';
import { findDifferences, findShapeDifferences, PointerList, shapeOf } from './shape.ts';

/** The outcome of a tool call: an MCP result, or a protocol error. */
export type CallEnd =
  | { result: Record<string, unknown> }
  | { error: { code?: number | undefined; message: string } };

export interface ResultComparison {
  outcome: 'same' | 'content' | 'schema' | 'error';
  /** JSON pointers to the first differences in the result. */
  pointers: string[];
  reason?: string;
}

/** Longer texts are not parsed as JSON, to limit the time. */
const maxJsonLength = 1024 * 1024;

/**
 * Compares the result of a call with that of the same call in an earlier run. `error`: exactly one of them failed.
 * `schema`: types or keys differ, or the result no longer matches the declared output schema. `content`: only values
 * differ.
 */
export function compareResults(before: CallEnd, after: CallEnd, outputSchema?: unknown): ResultComparison {
  const [failed, fails] = [isFailure(before), isFailure(after)];
  if (failed !== fails)
    return {
      outcome: 'error',
      pointers: [],
      reason: fails ? 'The call failed; it did not before' : 'The call no longer fails',
    };
  if (!('result' in before) || !('result' in after)) return compareErrors(before, after);
  const [was, is] = comparable(before.result, after.result);
  // Error results have no schema to compare.
  if (!fails) {
    const schema = compareForm(before.result, after.result, was, is, outputSchema);
    if (schema) return schema;
  }
  const found = new PointerList();
  findDifferences(was, is, found);
  return { outcome: found.pointers.length === 0 ? 'same' : 'content', pointers: found.pointers };
}

export function isFailure(end: CallEnd): boolean {
  return 'error' in end || end.result['isError'] === true;
}

function compareErrors(before: CallEnd, after: CallEnd): ResultComparison {
  const same =
    'error' in before &&
    'error' in after &&
    before.error.code === after.error.code &&
    before.error.message === after.error.message;
  return same
    ? { outcome: 'same', pointers: [] }
    : { outcome: 'content', pointers: [''], reason: 'The error differs' };
}

function compareForm(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  was: unknown,
  is: unknown,
  outputSchema: unknown,
): ResultComparison | undefined {
  const [fitted, fits] = [fit(before, outputSchema), fit(after, outputSchema)];
  if (fits.problem !== undefined && fitted.problem === undefined)
    return {
      outcome: 'schema',
      pointers: ['/structuredContent'],
      reason: `The result does not match the output schema: ${fits.problem}`,
    };
  const found = new PointerList();
  // A declared output schema can allow null, so a new null is not a change.
  findShapeDifferences(is, shapeOf(was), fitted.valid && fits.valid, found);
  if (found.pointers.length === 0) return undefined;
  return { outcome: 'schema', pointers: found.pointers, reason: 'Types or keys differ' };
}

function fit(result: Record<string, unknown>, schema: unknown): { valid: boolean; problem?: string } {
  if (!isObject(schema)) return { valid: false };
  if (result['structuredContent'] === undefined)
    return { valid: false, problem: 'there is no structured content' };
  const validity = validateJson(schema, result['structuredContent']);
  if ('unusable' in validity) return { valid: false };
  return validity.valid ? { valid: true } : { valid: false, problem: validity.problem };
}

/** Both results without `_meta` and `isError`, and with text parts parsed as JSON if they contain JSON. */
function comparable(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): [Record<string, unknown>, Record<string, unknown>] {
  const readable = [before, after].every((result) =>
    partsOf(result).every((part) => !isText(part) || part.text.length <= maxJsonLength),
  );
  const [was, is] = [before, after].map((result) => {
    const { _meta, isError: _, ...rest } = result;
    if (!readable || !Array.isArray(result['content'])) return rest;
    return { ...rest, content: partsOf(result).map(withJson) };
  });
  return [was as Record<string, unknown>, is as Record<string, unknown>];
}

function partsOf(result: Record<string, unknown>): unknown[] {
  return Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
}

function isText(part: unknown): part is { type: 'text'; text: string } {
  return isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string';
}

function withJson(part: unknown): unknown {
  if (!isText(part) || !/^\s*[[{]/.test(part.text)) return part;
  try {
    const text: unknown = JSON.parse(part.text);
    return isShallow(text) ? { ...part, text } : part;
  } catch {
    return part;
  }
}
