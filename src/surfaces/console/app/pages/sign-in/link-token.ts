import { personalStoreOf } from '../../kit/store.ts';
import { readStorage, writeStorage } from '../../kit/web-storage.ts';

/** The token after `#` in a link. Kept in memory, and in session storage only during a sign-in. */
const token = personalStoreOf<string | undefined>(undefined);
const storageKey = 'drydock-link';

/** Removes the token from the URL, so that it does not stay in the history, bookmarks or on screen. */
export function takeFromAddress(): void {
  const found = location.hash.slice(1);
  if (found !== '') {
    history.replaceState(history.state, '', location.pathname + location.search);
    dropKept();
    token.set(found);
  } else if (token.get() === undefined) token.set(readStorage('sessionStorage', storageKey));
}

export function useLinkToken(): string | undefined {
  return token.use() ?? readStorage('sessionStorage', storageKey);
}

/** Stores the token during a sign-in, which may leave this page. */
export function keepTokenWhileAway(): void {
  if (token.get() !== undefined) writeStorage('sessionStorage', storageKey, token.get());
}

export function forgetToken(): void {
  dropKept();
  token.set(undefined);
}

/** Removes the stored token. Called once the link has been read, successfully or not. */
export function dropKept(): void {
  writeStorage('sessionStorage', storageKey, undefined);
}
