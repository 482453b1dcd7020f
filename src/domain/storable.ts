import type { JsonLimits } from '../platform/json-bounds.ts';

/** A value that would not come back as it was sent, and where it is. */
export interface Fault {
  path: string[];
  problem: string;
}

/** The first such value, or where there is more than `limits` allow. The path is put together only if there is one. */
export function faultIn(value: unknown, limits: JsonLimits): Fault | undefined {
  return faultBelow(value, 0, { ...limits, elements: limits.elements - 1 });
}

/** `left.elements` counts down: what is too much is found out by looking at no more than that. */
function faultBelow(value: unknown, depth: number, left: JsonLimits): Fault | undefined {
  if (typeof value === 'string') return faultOf(problemOfText(value));
  if (typeof value === 'number')
    return faultOf(Number.isFinite(value) ? undefined : 'The number is too large');
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === left.depth) return faultOf(`nested deeper than ${left.depth} levels`);
  const isList = Array.isArray(value);
  const keys = isList ? [] : Object.keys(value);
  const count = isList ? value.length : keys.length;
  if (keys.length > left.keys) return faultOf(`an object with more than ${inWords(left.keys)} keys`);
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

function inWords(count: number): string {
  return count.toLocaleString('en');
}

function faultOf(problem: string | undefined): Fault | undefined {
  return problem === undefined ? undefined : { path: [], problem };
}

function below(key: string, fault: Fault): Fault {
  fault.path.unshift(key);
  return fault;
}

/** What PostgreSQL cannot store, or would store as something else. */
export function problemOfText(text: string): string | undefined {
  if (text.includes('\0')) return 'May not contain the NUL character';
  if (!text.isWellFormed()) return 'Contains half of a surrogate pair';
  return undefined;
}

export function isStorable(text: string): boolean {
  return problemOfText(text) === undefined;
}

/** What somebody else said, with a replacement for each character that cannot be stored. */
export function asStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** What JSON writes for characters that cannot be stored. */
const unstorable = /\\u0000|\\ud[89a-f][0-9a-f]{2}/i;

/** A value that somebody else had a hand in, as JSON that can be stored. Almost always nothing has to be replaced. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return unstorable.test(text) ? JSON.stringify(value, replaceUnstorable) : text;
}

function replaceUnstorable(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return asStorable(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [asStorable(key), inner as unknown]));
}
