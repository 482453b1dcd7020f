/** Readers for untrusted documents: a value of the wrong type counts as missing. */
export function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
