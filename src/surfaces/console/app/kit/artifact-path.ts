import { textIn } from './given.ts';

/**
 * Path of a stored screenshot or recording on the service that served this page, which may have several host
 * names. Traces are untrusted, so only URLs of artifacts are accepted.
 */
export function artifactPath(address: unknown): string | undefined {
  return /^https?:\/\/[^/]+(\/api\/v1\/artifacts\/[\w-]+)$/.exec(textIn(address) ?? '')?.[1];
}
