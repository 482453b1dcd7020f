/** A value of unknown kind as text: as it is, or as JSON. */
export function textOf(value: unknown, fallback = ''): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? fallback : (JSON.stringify(value) ?? fallback);
}
