import { createHash } from 'node:crypto';
import { sortKeys } from '../../platform/canonical.ts';
import { isDeeper, maxValueDepth } from '../../platform/json/bounds.ts';

/** Whether a value is not too deep to compare and serialize: recursion could overflow the stack. */
export function isShallow(value: unknown): boolean {
  return !isDeeper(value, maxValueDepth);
}

/** JSON with sorted keys: equal values have equal texts. Undefined if the value is too deep or not JSON. */
export function canonicalText(value: unknown): string | undefined {
  return isShallow(value) ? JSON.stringify(sortKeys(value)) : undefined;
}

/** JSON with keys in their original order. Undefined if the value is too deep or not JSON. */
export function jsonText(value: unknown): string | undefined {
  return isShallow(value) ? JSON.stringify(value) : undefined;
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Creates a function that compares two values as JSON. It caches the digest of each object, so that comparing many
 * pairs serializes each object once.
 */
export function jsonEquality(): (a: unknown, b: unknown) => boolean {
  const digests = new WeakMap<object, string>();
  const digest = (value: object): string | undefined => {
    const known = digests.get(value);
    if (known !== undefined) return known;
    const text = canonicalText(value);
    if (text === undefined) return undefined;
    const made = text.length > 64 ? sha256(text) : text;
    digests.set(value, made);
    return made;
  };
  return (a, b) => {
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
    const digestOfA = digest(a);
    return digestOfA !== undefined && digestOfA === digest(b);
  };
}
