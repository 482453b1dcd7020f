import { readStorage, writeStorage } from '../kit/web-storage.ts';

/** Key of the selected organization, which belongs to the tab. */

const organizationStorageKey = 'drydock-organization';
let organization = readStorage('sessionStorage', organizationStorageKey);
const listeners = new Set<() => void>();
const channel = new BroadcastChannel('drydock-session');

export function chosenOrganization(): string | undefined {
  return organization;
}

/** Applies to this tab only. */
export function chooseOrganization(id: string | undefined): void {
  organization = id;
  writeStorage('sessionStorage', organizationStorageKey, id);
}

const signedInStorageKey = 'drydock-signed-in';

/** ID of the user at the last check of the session. If set, pages render before the session is confirmed. */
export function lastSignedIn(): string | undefined {
  return readStorage('localStorage', signedInStorageKey);
}

export function rememberSignedIn(userId: string | undefined): void {
  writeStorage('localStorage', signedInStorageKey, userId);
}

/** Registers a callback for when the session may have changed here, in another tab or on the server. */
export function onSessionChange(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

function notifyAll(): void {
  for (const tell of listeners) tell();
}

export function noticeStatus(status: number): void {
  if (status === 401) notifyAll();
}

/** Makes other tabs refetch the session. */
export function announceSession(): void {
  channel.postMessage('changed');
}

channel.addEventListener('message', notifyAll);
