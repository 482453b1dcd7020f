import { createConsoleClient } from '../../../client/console.ts';
import { createClient } from '../../../client/index.ts';
import { heard, missed } from './connection.ts';
import { chosenOrganization, noticeStatus } from './session-state.ts';

/**
 * Tells the rest of the page whether the service is reached and whether it still knows who asks, and says which
 * organization is meant where the address does not.
 */
const reportingFetch: typeof fetch = async (address, init) => {
  const headers = new Headers(init?.headers);
  const organization = meantBy(address instanceof Request ? address.url : address.toString());
  if (organization !== undefined) headers.set('drydock-organization', organization);
  try {
    const response = await fetch(address, { ...init, headers, credentials: 'same-origin' });
    heard();
    noticeStatus(response.status);
    return response;
  } catch (error) {
    if (!init?.signal?.aborted) missed();
    throw error;
  }
};

/** What is in the path says it where it names an organization; a project knows its own. */
function meantBy(address: string): string | undefined {
  const named = /\/organizations\/([^/?]+)/.exec(address)?.[1];
  if (named !== undefined) return decodeURIComponent(named);
  return /\/projects\/[^/?]/.test(address) ? undefined : chosenOrganization();
}

const options = {
  baseUrl: location.origin,
  // What the cookie of the session counts with: a page of another site cannot send this header.
  headers: { 'x-drydock-console': '1' },
  timeout: 120_000,
  fetch: reportingFetch,
};

/** Every operation of the public API, as the one who is signed in. */
export const api = createClient(options);

/** What only people do: sign-in, keys, members, audit, installation. */
export const people = createConsoleClient({
  ...options,
  // Whoever has to wait before they sign in again is told so, instead of looking at a button that does nothing.
  maxWait: 2_000,
});

/** The same for one stream of events, which says what becomes of its connection. */
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
