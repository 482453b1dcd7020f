import { storeOf } from '../kit/store.ts';

/** Whether the service responds, and since when it has not. */
export interface Connection {
  lost: boolean;
  /** Epoch milliseconds of the last response before the connection was lost. */
  since: number;
}

/** Milliseconds between readiness checks while disconnected, and minimum between two recoveries. */
const pause = 5_000;

let lastResponseAt = Date.now();
const connection = storeOf<Connection>({ lost: false, since: lastResponseAt });
const recoveries = new Set<() => void>();
let pollTimer: ReturnType<typeof setInterval> | undefined;
let notifyTimer: ReturnType<typeof setTimeout> | undefined;
let lastNotified = 0;

export function useConnection(): Connection {
  return connection.use();
}

/** Called for every response, including errors. */
export function markOnline(): void {
  lastResponseAt = Date.now();
  if (!connection.get().lost) return;
  clearInterval(pollTimer);
  connection.set({ lost: false, since: lastResponseAt });
  // Throttled, so that one request that always fails cannot cause endless refetching.
  clearTimeout(notifyTimer);
  notifyTimer = setTimeout(notifyAll, Math.max(0, lastNotified + pause - lastResponseAt));
}

/** Called when a request or its response is lost. Polls the service until it responds. */
export function markOffline(): void {
  if (connection.get().lost) return;
  connection.set({ lost: true, since: lastResponseAt });
  pollTimer = setInterval(() => void checkReady(), pause);
}

/** Whether the service is ready. While it starts, it answers health checks only. */
export async function checkReady(): Promise<boolean> {
  try {
    const { ok } = await fetch('/readyz', { cache: 'no-store' });
    if (ok) markOnline();
    return ok;
  } catch {
    return false;
  }
}

/** Registers a callback for when the service responds again, to refetch what failed. */
export function onRecovery(tell: () => void): void {
  recoveries.add(tell);
}

function notifyAll(): void {
  lastNotified = Date.now();
  for (const tell of recoveries) tell();
}

globalThis.addEventListener('offline', markOffline);
globalThis.addEventListener('online', () => void checkReady());
