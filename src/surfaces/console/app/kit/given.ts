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

/**
 * Path of a stored screenshot or recording on the service that served this page, which may have several host
 * names. Traces are untrusted, so only URLs of artifacts are accepted.
 */
export function artifactPath(address: unknown): string | undefined {
  return /^https?:\/\/[^/]+(\/api\/v1\/artifacts\/[\w-]+)$/.exec(textIn(address) ?? '')?.[1];
}
