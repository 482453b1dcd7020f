import { DrydockError } from '../../../client/error.ts';
import { backoff, pause } from '../../../client/lifetime.ts';
import { createVisitClient, type VisitOutput } from '../../../client/visit.ts';
import { storeOf } from '../kit/store.ts';
import { readStorage, writeStorage } from '../kit/web-storage.ts';

/** State of a visit. */
type Stage =
  | { at: 'loading' }
  /** A ticket does not reveal its study before it is used. */
  | { at: 'door'; study: VisitOutput<'openStudy'> | undefined }
  | { at: 'inside'; visit: VisitOutput<'getVisit'> }
  | { at: 'away' }
  | { at: 'closed'; message: string };

export const stage = storeOf<Stage>({ at: 'loading' });

const deadLink = 'This link is not valid. Ask the person who sent it for a new one';
/** Milliseconds before a retry; increases up to `maxPause`. */
const firstPause = 1_000;
const maxPause = 15_000;

/** In the URL fragment, which is never sent to a server or logged. */
const arrived = location.hash.slice(1);
const ticket = arrived.startsWith('t.') ? arrived.slice(2) : undefined;
/** Storage key of the visit token. Contains only the start of the link, so the link itself is not stored. */
const storageKey = `drydock-visit-${arrived.slice(0, 16)}`;

const options = { baseUrl: location.origin, headers: { 'x-drydock-console': '1' }, maxWait: 5_000 };
const client = createVisitClient(options);
let token = readStorage('localStorage', storageKey);

/** Every operation of a visit, authenticated with its token. */
export const visit = createVisitClient({
  ...options,
  apiKey: () => token ?? '',
  fetch: async (address, init) => {
    const used = token;
    const response = await fetch(address, init);
    if (response.status === 401 && stage.get().at === 'inside') void ended(used, endedText);
    return response;
  },
});

const endedText = 'You no longer have access. Ask the person who sent you the link';

function keep(next: string | undefined): void {
  token = next;
  writeStorage('localStorage', storageKey, next);
}

function close(message: string): void {
  keep(undefined);
  stage.set({ at: 'closed', message });
}

/** Opens the page: resumes an earlier visit, otherwise shows the entry page. */
export async function start(): Promise<void> {
  if (arrived === '') return close(deadLink);
  stage.set({ at: 'loading' });
  try {
    if (token === undefined || !(await openVisit())) await showEntryPage();
  } catch {
    stage.set({ at: 'away' });
  }
}

export async function showEntryPage(): Promise<void> {
  if (ticket !== undefined) return stage.set({ at: 'door', study: undefined });
  try {
    stage.set({ at: 'door', study: await client.openStudy({ body: { link: arrived } }) });
  } catch (error) {
    if (!(error instanceof DrydockError)) throw error;
    close([400, 404].includes(error.status) ? deadLink : error.message);
  }
}

/** Throws if entry is refused. */
export async function enter(): Promise<void> {
  const led = ticket === undefined ? { link: arrived } : { ticket };
  const { token: given } = await client.enterStudy({ body: { ...led, ...language() } });
  keep(given);
  await openVisit();
}

export function askForTicket(email: string): Promise<unknown> {
  return client.requestStudyTicket({ body: { link: arrived, email } });
}

function language(): { language?: string } {
  const { language: said } = navigator;
  return /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}$/.test(said) ? { language: said } : {};
}

async function openVisit(): Promise<boolean> {
  for (;;) {
    try {
      stage.set({ at: 'inside', visit: await visit.getVisit() });
      void watch();
      return true;
    } catch (error) {
      if (!isRefused(error)) throw error;
      if (!(await regain())) return false;
    }
  }
}

/** Refetches the study and the visitor's conversations. If that fails, keeps the last known state. */
export async function readAgain(): Promise<void> {
  const next = await visit.getVisit().catch(() => undefined);
  if (next && stage.get().at === 'inside') stage.set({ at: 'inside', visit: next });
}

/** Listens for the end of the visit; reconnects if the connection breaks. */
async function watch(): Promise<void> {
  for (let attempt = 1; stage.get().at === 'inside'; attempt++) {
    // Reconnect after any failure. A refusal has already been handled where the request was sent.
    if (await receiveEvents().catch(() => false)) attempt = 1;
    await pause(Math.min(backoff(firstPause, attempt), maxPause), undefined);
  }
}

/** Returns whether any event was received. */
async function receiveEvents(): Promise<boolean> {
  const used = token;
  let heard = false;
  for await (const event of visit.watchVisit()) {
    heard = true;
    if (event.type === 'ended') await ended(used, event.message);
  }
  return heard;
}

/** Called when access was revoked. Tries to regain it once; otherwise closes the visit. */
async function ended(used: string | undefined, message: string): Promise<void> {
  // Another request has already renewed the token.
  if (used !== token) return;
  if (await regain()) await readAgain();
  else close(message);
}

let regaining: Promise<boolean> | undefined;

function regain(): Promise<boolean> {
  regaining ??= reenter().finally(() => {
    regaining = undefined;
  });
  return regaining;
}

/** Re-enters as the same visitor. Retries failed requests; a refusal ends the visit. */
async function reenter(): Promise<boolean> {
  const before = token;
  if (before === undefined) return false;
  for (let attempt = 1; ; attempt++)
    try {
      const { token: given } = await client.enterStudy({ body: { link: arrived, before, ...language() } });
      keep(given);
      return true;
    } catch (error) {
      if (isRefused(error)) {
        keep(undefined);
        return false;
      }
      await pause(Math.min(backoff(firstPause, attempt), maxPause), undefined);
    }
}

function isRefused(error: unknown): boolean {
  return error instanceof DrydockError && error.status < 500 && error.status !== 429;
}
