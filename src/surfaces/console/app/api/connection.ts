import { useSyncExternalStore } from 'react';

/** Whether the service answers, and since when it does not. */
export interface Connection {
  lost: boolean;
  /** Epoch milliseconds of the last answer before it was lost. */
  since: number;
}

let current: Connection = { lost: false, since: Date.now() };
let lastHeard = Date.now();
const listeners = new Set<() => void>();

function change(next: Connection): void {
  current = next;
  for (const tell of listeners) tell();
}

/** An answer came, whatever it said. */
export function heard(): void {
  lastHeard = Date.now();
  if (current.lost) change({ lost: false, since: lastHeard });
}

/** A request did not reach the service, or its answer did not reach us. */
export function missed(): void {
  if (!current.lost) change({ lost: true, since: lastHeard });
}

globalThis.addEventListener('offline', missed);

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => current);
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}
