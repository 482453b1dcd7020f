import { DrydockError } from '../../../client/error.ts';
import { backoff, pause } from '../../../client/lifetime.ts';
import { createVisitClient, type VisitOutput } from '../../../client/visit.ts';
import { keepIn, keptIn } from '../kit/kept.ts';
import { storeOf } from '../kit/store.ts';

/** Where somebody who came by a link stands. */
type Stage =
  | { at: 'loading' }
  /** A ticket does not say what it leads to before it is used. */
  | { at: 'door'; study: VisitOutput<'openStudy'> | undefined }
  | { at: 'inside'; visit: VisitOutput<'getVisit'> }
  | { at: 'away' }
  | { at: 'closed'; message: string };

export const stage = storeOf<Stage>({ at: 'loading' });

const deadLink = 'This link is not valid. Ask the person who sent it for a new one';
const firstPause = 1_000;
const maxPause = 15_000;

/** Behind the `#`, where no log sees it. */
const arrived = location.hash.slice(1);
const ticket = arrived.startsWith('t.') ? arrived.slice(2) : undefined;
/** Enough of the link to tell it from others; the whole of it is not kept. */
const place = `drydock-visit-${arrived.slice(0, 16)}`;

const options = { baseUrl: location.origin, headers: { 'x-drydock-console': '1' }, maxWait: 5_000 };
const atDoor = createVisitClient(options);
let token = keptIn('localStorage', place);

/** Every operation of a visit, for whoever is inside. */
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
  keepIn('localStorage', place, next);
}

function close(message: string): void {
  keep(undefined);
  stage.set({ at: 'closed', message });
}

/** Opens the page: for those who were here before, where they were; for others, at the door. */
export async function start(): Promise<void> {
  if (arrived === '') return close(deadLink);
  stage.set({ at: 'loading' });
  try {
    if (token === undefined || !(await goIn())) await toDoor();
  } catch {
    stage.set({ at: 'away' });
  }
}

export async function toDoor(): Promise<void> {
  if (ticket !== undefined) return stage.set({ at: 'door', study: undefined });
  try {
    stage.set({ at: 'door', study: await atDoor.openStudy({ body: { link: arrived } }) });
  } catch (error) {
    if (!(error instanceof DrydockError)) throw error;
    close([400, 404].includes(error.status) ? deadLink : error.message);
  }
}

/** Throws why not. */
export async function enter(): Promise<void> {
  const led = ticket === undefined ? { link: arrived } : { ticket };
  const { token: given } = await atDoor.enterStudy({ body: { ...led, ...language() } });
  keep(given);
  await goIn();
}

export function askForTicket(email: string): Promise<unknown> {
  return atDoor.requestStudyTicket({ body: { link: arrived, email } });
}

function language(): { language?: string } {
  const { language: said } = navigator;
  return /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}$/.test(said) ? { language: said } : {};
}

async function goIn(): Promise<boolean> {
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

/** Reads again what the study offers, and the own conversations. On a failed read the last state stays. */
export async function readAgain(): Promise<void> {
  const next = await visit.getVisit().catch(() => undefined);
  if (next && stage.get().at === 'inside') stage.set({ at: 'inside', visit: next });
}

/** Hears when the visit ends, for as long as it goes on; a connection that breaks off is made anew. */
async function watch(): Promise<void> {
  for (let attempt = 1; stage.get().at === 'inside'; attempt++) {
    // Reconnect after any failure. A refusal has already been handled where the request was sent.
    if (await hear().catch(() => false)) attempt = 1;
    await pause(Math.min(backoff(firstPause, attempt), maxPause), undefined);
  }
}

/** Whether anything was heard. */
async function hear(): Promise<boolean> {
  const used = token;
  let heard = false;
  for await (const event of visit.watchVisit()) {
    heard = true;
    if (event.type === 'ended') await ended(used, event.message);
  }
  return heard;
}

/** Access was revoked. They try once more, and go on if they may. */
async function ended(used: string | undefined, message: string): Promise<void> {
  // Another request has already renewed the token.
  if (used !== token) return;
  if (await regain()) await readAgain();
  else close(message);
}

let regaining: Promise<boolean> | undefined;

function regain(): Promise<boolean> {
  regaining ??= comeBack().finally(() => {
    regaining = undefined;
  });
  return regaining;
}

/** As whom they were before. If the request fails, retry later; a refusal ends the visit. */
async function comeBack(): Promise<boolean> {
  const before = token;
  if (before === undefined) return false;
  for (let attempt = 1; ; attempt++)
    try {
      const { token: given } = await atDoor.enterStudy({ body: { link: arrived, before, ...language() } });
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
