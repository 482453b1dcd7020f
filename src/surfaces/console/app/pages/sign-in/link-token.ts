import { keepIn, keptIn } from '../../kit/kept.ts';
import { personalStoreOf } from '../../kit/store.ts';

/** The token after `#` in a link. Kept in memory, and in session storage only during a sign-in. */
const token = personalStoreOf<string | undefined>(undefined);
const place = 'drydock-link';

/** Takes the token out of the address, so that it is in no history, no bookmark and on no screen. */
export function takeFromAddress(): void {
  const found = location.hash.slice(1);
  if (found !== '') {
    history.replaceState(history.state, '', location.pathname + location.search);
    dropKept();
    token.set(found);
  } else if (token.get() === undefined) token.set(keptIn('sessionStorage', place));
}

export function useLinkToken(): string | undefined {
  return token.use() ?? keptIn('sessionStorage', place);
}

/** Until they are back: a provider's page is another page. */
export function keepTokenWhileAway(): void {
  if (token.get() !== undefined) keepIn('sessionStorage', place, token.get());
}

export function forgetToken(): void {
  dropKept();
  token.set(undefined);
}

/** They are back, or it does not work. */
export function dropKept(): void {
  keepIn('sessionStorage', place, undefined);
}
