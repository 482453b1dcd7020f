/** What the page knows of the session before and after asking: which organization is meant, and that it may have ended. */

const place = 'drydock-organization';
let organization = remembered();
const endings = new Set<() => void>();
const channel = new BroadcastChannel('drydock-session');

export function chosenOrganization(): string | undefined {
  return organization;
}

/** For this tab; storage may be closed, then until the page is loaded anew. */
export function chooseOrganization(id: string | undefined): void {
  organization = id;
  try {
    if (id === undefined) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, id);
  } catch {
    // Then the service takes the one that was used last.
  }
}

function remembered(): string | undefined {
  try {
    return sessionStorage.getItem(place) ?? undefined;
  } catch {
    return undefined;
  }
}

const signedInPlace = 'drydock-signed-in';

/** Whether somebody was signed in here last: then pages need not wait for the answer that says so. */
export function wasSignedIn(): boolean {
  try {
    return localStorage.getItem(signedInPlace) !== null;
  } catch {
    return false;
  }
}

export function rememberSignedIn(signedIn: boolean): void {
  try {
    if (signedIn) localStorage.setItem(signedInPlace, '1');
    else localStorage.removeItem(signedInPlace);
  } catch {
    // Then pages wait for it.
  }
}

/** Called when the session may have ended, or begun: here, in another tab, or at the service. */
export function onSessionChange(tell: () => void): () => void {
  endings.add(tell);
  return () => endings.delete(tell);
}

function tellAll(): void {
  for (const tell of endings) tell();
}

export function noticeStatus(status: number): void {
  if (status === 401) tellAll();
}

/** Other tabs look again who is signed in. */
export function announceSession(): void {
  channel.postMessage('changed');
}

channel.addEventListener('message', tellAll);
