import { storeOf } from '../kit/store.ts';

/** Whether the service answers, and since when it does not. */
export interface Connection {
  lost: boolean;
  /** Epoch milliseconds of the last answer before it was lost. */
  since: number;
}

/** Between two questions to a service that is away, and at least between two recoveries. */
const pause = 5_000;

let lastHeard = Date.now();
const connection = storeOf<Connection>({ lost: false, since: lastHeard });
const recoveries = new Set<() => void>();
let asking: ReturnType<typeof setInterval> | undefined;
let telling: ReturnType<typeof setTimeout> | undefined;
let lastTold = 0;

export function useConnection(): Connection {
  return connection.use();
}

/** An answer came, whatever it said. */
export function heard(): void {
  lastHeard = Date.now();
  if (!connection.get().lost) return;
  clearInterval(asking);
  connection.set({ lost: false, since: lastHeard });
  // One request that always fails among others that do not would lead to reading everything again without end.
  clearTimeout(telling);
  telling = setTimeout(tellAll, Math.max(0, lastTold + pause - lastHeard));
}

/** A request did not reach the service, or its answer did not reach us. The service is asked until it answers. */
export function missed(): void {
  if (connection.get().lost) return;
  connection.set({ lost: true, since: lastHeard });
  asking = setInterval(() => void answers(), pause);
}

/** Whether the service answers now. While it starts it has an answer for its health, and refuses everything else. */
export async function answers(): Promise<boolean> {
  try {
    const { ok } = await fetch('/readyz', { cache: 'no-store' });
    if (ok) heard();
    return ok;
  } catch {
    return false;
  }
}

/** Called when the service answers again, so that what could not be read is read. */
export function onRecovery(tell: () => void): void {
  recoveries.add(tell);
}

function tellAll(): void {
  lastTold = Date.now();
  for (const tell of recoveries) tell();
}

globalThis.addEventListener('offline', missed);
globalThis.addEventListener('online', () => void answers());
