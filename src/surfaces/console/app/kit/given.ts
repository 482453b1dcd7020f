/** Pieces of a document that anybody may have written: what is not of the kind that is asked for is not there. */
export function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
