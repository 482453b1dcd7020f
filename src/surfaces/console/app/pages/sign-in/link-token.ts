import { useSyncExternalStore } from 'react';

/** What stood behind `#` in a link. It is in this page's memory; in the tab's storage only while somebody signs in first. */
let token: string | undefined;
const place = 'drydock-link';
const listeners = new Set<() => void>();

function set(next: string | undefined): void {
  token = next;
  for (const tell of listeners) tell();
}

/** Takes the token out of the address, so that it is in no history, no bookmark and on no screen. */
export function takeFromAddress(): void {
  const found = location.hash.slice(1);
  if (found === '') return;
  history.replaceState(history.state, '', location.pathname + location.search);
  dropKept();
  set(found);
}

export function useLinkToken(): string | undefined {
  return useSyncExternalStore(subscribe, () => (token ??= kept()));
}

/** Until they are back: a provider's page is another page. */
export function keepTokenWhileAway(): void {
  try {
    if (token !== undefined) sessionStorage.setItem(place, token);
  } catch {
    // Then the link is opened again after signing in.
  }
}

/** It was used. */
export function forgetToken(): void {
  dropKept();
  set(undefined);
}

/** They are back, or it does not work. */
export function dropKept(): void {
  try {
    sessionStorage.removeItem(place);
  } catch {
    // Then nothing is there.
  }
}

function kept(): string | undefined {
  try {
    return sessionStorage.getItem(place) ?? undefined;
  } catch {
    return undefined;
  }
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}
