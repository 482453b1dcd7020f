import { keepIn, keptIn } from '../kit/kept.ts';

/** State of the session outside React: the chosen organization, and whether the session has ended. */

const place = 'drydock-organization';
let organization = keptIn('sessionStorage', place);
const endings = new Set<() => void>();
const channel = new BroadcastChannel('drydock-session');

export function chosenOrganization(): string | undefined {
  return organization;
}

/** For this tab. */
export function chooseOrganization(id: string | undefined): void {
  organization = id;
  keepIn('sessionStorage', place, id);
}

const signedInPlace = 'drydock-signed-in';

/** The id of who was signed in last in this browser: with one, pages need not wait for the answer that says so. */
export function lastSignedIn(): string | undefined {
  return keptIn('localStorage', signedInPlace);
}

export function rememberSignedIn(userId: string | undefined): void {
  keepIn('localStorage', signedInPlace, userId);
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
