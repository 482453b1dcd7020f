import { byCodeUnit } from '../platform/canonical.ts';
import { maxValueDepth } from '../platform/json/bounds.ts';

/**
 * Assigns the same number to equal JSON values, regardless of key order. Too deep values get none, and equal no other. Each object is numbered once, from the numbers
 * of its contents, so that repeated comparisons of parts cost no more than reading the document once.
 */
export function identities(): (value: unknown) => number | undefined {
  const numbers = new Map<string, number>();
  const known = new WeakMap<object, number>();
  const numberOf = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const identify = (value: unknown, depth: number): number | undefined => {
    if (typeof value !== 'object' || value === null) return numberOf(JSON.stringify(value) ?? '');
    const before = known.get(value);
    if (before !== undefined || depth > maxValueDepth) return before;
    const list = Array.isArray(value);
    const parts: string[] = [];
    for (const key of list ? value.keys() : Object.keys(value).sort(byCodeUnit)) {
      const inner = identify((value as Record<string | number, unknown>)[key], depth + 1);
      if (inner === undefined) return undefined;
      parts.push(list ? String(inner) : `${JSON.stringify(key)}:${inner}`);
    }
    const number = numberOf(list ? `[${parts.join()}]` : `{${parts.join()}}`);
    known.set(value, number);
    return number;
  };
  return (value) => identify(value, 0);
}

/** Detects whether a value contains a `$ref`, or is too deep to search. Searches each object once. */
export function references(): (value: unknown) => boolean {
  const known = new WeakMap<object, boolean>();
  const refers = (value: unknown, depth: number): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    const before = known.get(value);
    if (before !== undefined) return before;
    const found =
      depth > maxValueDepth ||
      '$ref' in value ||
      Object.values(value).some((inner) => refers(inner, depth + 1));
    known.set(value, found);
    return found;
  };
  return (value) => refers(value, 0);
}
