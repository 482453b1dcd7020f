import { useSyncExternalStore } from 'react';

/** A value in the memory of this tab. Components that use it re-render when it changes. */
export interface Store<Value> {
  get: () => Value;
  set: (next: Value) => void;
  use: () => Value;
}

export function storeOf<Value>(first: Value): Store<Value> {
  let current = first;
  const listeners = new Set<() => void>();
  const subscribe = (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  };
  const get = (): Value => current;
  const set = (next: Value): void => {
    current = next;
    for (const tell of listeners) tell();
  };
  return { get, set, use: () => useSyncExternalStore(subscribe, get) };
}

const resets: (() => void)[] = [];

/** A store that is reset when the user changes. */
export function personalStoreOf<Value>(first: Value): Store<Value> {
  const store = storeOf(first);
  resets.push(() => store.set(first));
  return store;
}

/** Resets every personal store to its initial value. */
export function forgetPersonal(): void {
  for (const reset of resets) reset();
}
