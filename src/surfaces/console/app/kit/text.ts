/** A value of unknown kind as text: as it is, or as JSON. */
export function textOf(value: unknown, fallback = ''): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? fallback : (JSON.stringify(value) ?? fallback);
}

/** A name from outside, short enough to stand in a line. */
export function cut(text: string, most = 200): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

/** Without the signs that turn the direction of what follows, for a sentence with a name from outside in it. */
export function plain(text: string): string {
  return text.replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '');
}
