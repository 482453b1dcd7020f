/** A value of unknown type as text: strings unchanged, others as JSON. */
export function textOf(value: unknown, fallback = ''): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? fallback : (JSON.stringify(value) ?? fallback);
}

/** Truncates an untrusted name to fit on one line. */
export function cut(text: string, most = 200): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

/** Removes bidirectional control characters, so that an untrusted name cannot reorder the sentence. */
export function plain(text: string): string {
  return text.replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '');
}
