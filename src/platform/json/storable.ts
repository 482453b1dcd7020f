import type { JsonLimits } from './bounds.ts';

/** A value that PostgreSQL cannot store unchanged or that exceeds a limit, and its path. */
export interface Fault {
  path: string[];
  problem: string;
}

/** The first value that cannot be stored or exceeds the limits; undefined if all can be stored. */
export function faultIn(value: unknown, limits: JsonLimits): Fault | undefined {
  return faultBelow(value, 0, { ...limits, elements: limits.elements - 1 });
}

/** `left.elements` counts down, so that no more values are visited than are allowed. */
function faultBelow(value: unknown, depth: number, left: JsonLimits): Fault | undefined {
  if (typeof value === 'string') return faultOf(problemOfText(value));
  if (typeof value === 'number')
    return faultOf(Number.isFinite(value) ? undefined : 'The number is too large');
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === left.depth) return faultOf(`nested deeper than ${left.depth} levels`);
  const isList = Array.isArray(value);
  const keys = isList ? [] : Object.keys(value);
  const count = isList ? value.length : keys.length;
  if (keys.length > left.keys)
    return faultOf(`an object with more than ${left.keys.toLocaleString('en')} keys`);
  left.elements -= count;
  if (left.elements < 0) return faultOf('too many values. Send less of it, or in parts');
  for (let at = 0; at < count; at++) {
    const key = isList ? String(at) : (keys[at] as string);
    const problem = isList ? undefined : problemOfText(key);
    if (problem) return faultOf(`a key is not usable: ${problem}`);
    const inner: unknown = isList ? value[at] : (value as Record<string, unknown>)[key];
    const fault = faultBelow(inner, depth + 1, left);
    if (fault) return below(key, fault);
  }
  return undefined;
}

function faultOf(problem: string | undefined): Fault | undefined {
  return problem === undefined ? undefined : { path: [], problem };
}

function below(key: string, fault: Fault): Fault {
  fault.path.unshift(key);
  return fault;
}

/** Why PostgreSQL cannot store a text unchanged. */
export function problemOfText(text: string): string | undefined {
  if (text.includes('\0')) return 'May not contain the NUL character';
  if (!text.isWellFormed()) return 'Contains half of a surrogate pair';
  return undefined;
}

export function isStorable(text: string): boolean {
  return problemOfText(text) === undefined;
}

/** Replaces the characters that cannot be stored. */
export function asStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Escapes in JSON of characters that cannot be stored. */
const unstorable = /\\u0000|\\ud[89a-f][0-9a-f]{2}/i;

/** JSON of a value from outside, with characters that cannot be stored replaced. Values without any take one pass. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return unstorable.test(text) ? JSON.stringify(value, replaceUnstorable) : text;
}

function replaceUnstorable(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return asStorable(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [asStorable(key), inner as unknown]));
}
