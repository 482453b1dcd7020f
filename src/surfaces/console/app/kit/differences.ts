/** A field that differs between two documents; undefined means absent. */
interface Difference {
  path: string;
  before: unknown;
  after: unknown;
}

/** The fields whose values differ. Lists are compared as a whole, since their items have no names. */
export function differencesOf(before: unknown, after: unknown, path = ''): Difference[] {
  const left = asObject(before);
  const right = asObject(after);
  if (left && right)
    return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((name) =>
      differencesOf(left[name], right[name], path === '' ? name : `${path}.${name}`),
    );
  return same(before, after) ? [] : [{ path, before, after }];
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, at) => differencesOf(one, b[at], 'x').length === 0);
  return Object.is(a, b);
}
