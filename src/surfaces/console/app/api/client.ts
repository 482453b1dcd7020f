import { createConsoleClient } from '../../../client/console.ts';
import { createClient, DrydockError } from '../../../client/index.ts';
import { refresh } from './cache.ts';
import { markOffline, markOnline } from './connection.ts';
import { chosenOrganization, noticeStatus } from './session-state.ts';
import { type OperationName, staleAfter, staleAfterConflict } from './writes.ts';

/**
 * Reports whether the service responds and whether the session is still valid, and sends the selected
 * organization if the URL does not imply one.
 */
const reportingFetch: typeof fetch = async (address, init) => {
  const headers = new Headers(init?.headers);
  const organization = organizationFor(address instanceof Request ? address.url : address.toString());
  if (organization !== undefined) headers.set('drydock-organization', organization);
  try {
    const response = await fetch(address, { ...init, headers, credentials: 'same-origin' });
    markOnline();
    noticeStatus(response.status);
    return response;
  } catch (error) {
    if (!init?.signal?.aborted) markOffline();
    throw error;
  }
};

/** The organization in the path, otherwise the selected one; none for project paths, where the project implies it. */
function organizationFor(address: string): string | undefined {
  const named = /\/organizations\/([^/?]+)/.exec(address)?.[1];
  if (named !== undefined) return decodeURIComponent(named);
  return /\/projects\/[^/?]/.test(address) ? undefined : chosenOrganization();
}

const options = {
  baseUrl: location.origin,
  // Required with the session cookie: a page of another site cannot send this header (CSRF).
  headers: { 'x-drydock-console': '1' },
  timeout: 120_000,
  fetch: reportingFetch,
};

type Call = (input?: unknown, options?: unknown) => unknown;

/** Wraps a client so that a write also refreshes the queries it affects before it resolves. */
function refreshingAfterWrites<Calls extends object>(client: Calls): Calls {
  const calls = Object.entries(client as Record<string, Call>).map(([id, call]): [string, Call] => {
    const stale = staleAfter[id as OperationName] ?? [];
    const outdated = [...stale, ...(staleAfterConflict[id as OperationName] ?? [])];
    return [id, stale.length === 0 ? call : refreshingAfter(call, stale, outdated)];
  });
  return Object.fromEntries(calls) as Calls;
}

function refreshingAfter(
  write: Call,
  stale: readonly OperationName[],
  outdated: readonly OperationName[],
): Call {
  return async (input, options) => {
    try {
      const answer = await write(input, options);
      await refresh(...stale);
      return answer;
    } catch (error) {
      // A conflict means that the page shows an outdated state.
      if (error instanceof DrydockError && error.status === 409) void refresh(...outdated);
      throw error;
    }
  };
}

/** Every operation of the public API, as the signed-in user. */
export const api = refreshingAfterWrites(createClient(options));

/** Console-only operations: sign-in, keys, members, audit, installation. */
export const people = refreshingAfterWrites(
  createConsoleClient({
    ...options,
    // A rate-limited sign-in fails at once with the wait time, instead of keeping the button busy.
    maxWait: 2_000,
  }),
);

/** A client for one event stream that reports each attempt to connect, and whether it succeeded. */
export function watchingApi(onConnection: (open: boolean) => void): typeof api {
  const watched: typeof fetch = async (address, init) => {
    const response = await reportingFetch(address, init).catch((error: unknown) => {
      onConnection(false);
      throw error;
    });
    onConnection(response.ok);
    return response;
  };
  return createClient({ ...options, fetch: watched });
}
