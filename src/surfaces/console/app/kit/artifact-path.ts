import { textIn } from './given.ts';

/**
 * Where a stored picture or recording is on the service that the page came from, which may be reached under several
 * names. Traces are written by others too: nothing but the address of an artifact is followed.
 */
export function artifactPath(address: unknown): string | undefined {
  return /^https?:\/\/[^/]+(\/api\/v1\/artifacts\/[\w-]+)$/.exec(textIn(address) ?? '')?.[1];
}
