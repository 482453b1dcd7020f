import { createHash } from 'node:crypto';
import { sortKeys } from '../../platform/canonical.ts';

/** Deeper values equal nothing and are shown nowhere: walking them could overflow the stack. */
const deepest = 256;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Walks level by level, without recursion, so that it can be asked about any value. */
export function isShallow(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return false;
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? Object.values(item).filter(isContainer) : [],
    );
  }
  return true;
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Equal values have equal texts, whatever the order of their keys. Undefined where there is no text. */
export function canonicalText(value: unknown): string | undefined {
  return isShallow(value) ? JSON.stringify(sortKeys(value)) : undefined;
}

/** As it came, for people and patterns. Undefined where there is no text. */
export function jsonText(value: unknown): string | undefined {
  return isShallow(value) ? JSON.stringify(value) : undefined;
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Tells whether two values are the same JSON. The digest of an object is kept as long as the function, so that
 * comparing many with many reads each of them once.
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
