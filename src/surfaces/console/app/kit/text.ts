/** A value of unknown kind as text: as it is, or as JSON. */
export function textOf(value: unknown, fallback = ''): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? fallback : (JSON.stringify(value) ?? fallback);
}

/** A name from outside, short enough to stand in a line. */
export function cut(text: string, most = 200): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
