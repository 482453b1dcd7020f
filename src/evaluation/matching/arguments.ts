import type { z } from 'zod';
import type { ArgumentMatching } from '../../contract/eval-checks.ts';
import { isObject } from '../../platform/json/is-object.ts';
import { jsonEquality } from '../json/value.ts';

export type ArgumentMode = z.output<typeof ArgumentMatching>;
type Arguments = Readonly<Record<string, unknown>>;
export type ArgumentTest = (expected: Arguments, actual: Arguments, mode: ArgumentMode) => boolean;

/** Expected strings that stand for any value of a type. */
const placeholders: Readonly<Record<string, (value: unknown) => boolean>> = {
  any: () => true,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
  array: Array.isArray,
  null: (value) => value === null,
};

/**
 * Creates a function that compares the arguments of a call with the expected ones. `partial` compares the expected keys
 * only and supports placeholders at the top level; `exact` compares everything without placeholders; `ignore` accepts
 * any arguments. The function caches digests, so use one for many comparisons.
 */
export function argumentTest(): ArgumentTest {
  const same = jsonEquality();
  return (expected, actual, mode) => {
    if (mode === 'ignore') return true;
    if (mode === 'exact') return same(expected, actual);
    return Object.entries(expected).every(([key, wanted]) => {
      if (!Object.hasOwn(actual, key)) return false;
      const placeholder = placeholderOf(wanted);
      return placeholder ? placeholder(actual[key]) : same(wanted, actual[key]);
    });
  };
}

function placeholderOf(wanted: unknown): ((value: unknown) => boolean) | undefined {
  if (typeof wanted !== 'string' || wanted.length > 100) return undefined;
  const word = wanted.trim().toLowerCase();
  return Object.hasOwn(placeholders, word) ? placeholders[word] : undefined;
}
