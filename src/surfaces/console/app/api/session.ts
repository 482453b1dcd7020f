import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ConsoleOutput } from '../../../client/console.ts';
import { forgetPersonal } from '../kit/store.ts';
import { queryClient } from './cache.ts';
import { people } from './client.ts';
import {
  announceSession,
  chooseOrganization,
  chosenOrganization,
  lastSignedIn,
  onSessionChange,
  rememberSignedIn,
} from './session-state.ts';

type Session = ConsoleOutput<'getSession'>;
export type SignedIn = Extract<Session, { signedIn: true }>;
export type MyOrganization = SignedIn['organizations'][number];

/** The user whose answers are cached. */
let readAs: string | undefined;

/** The current session. Asked again when a tab is looked at, and when anything says that it changed. */
export const session = queryOptions<Session>({
  queryKey: ['getSession'],
  queryFn: async ({ signal }) => {
    const answer = await people.getSession(undefined, { signal });
    settle(answer);
    return answer;
  },
  staleTime: 60_000,
});

/** The one who is signed in; pages within the shell are drawn only then. */
export function useSignedIn(): SignedIn | undefined {
  const { data } = useQuery(session);
  return data?.signedIn === true ? data : undefined;
}

/** After signing in or out, or when the account changed; other tabs look again. */
export function sessionIs(next: Session): void {
  settle(next);
  queryClient.setQueryData(session.queryKey, next);
  announceSession();
}

/** Drops the cache when the user changes, and the chosen organization when they are not a member of it. */
function settle(answer: Session): void {
  const user = answer.signedIn ? answer.user.id : undefined;
  rememberSignedIn(user);
  if (readAs !== undefined && readAs !== user) {
    forgetPersonal();
    forgetAnswers(user !== undefined);
  }
  readAs = user;
  const chosen = chosenOrganization();
  if (!answer.signedIn) chooseOrganization(undefined);
  else if (!answer.organizations.some(({ id }) => id === chosen))
    chooseOrganization(answer.organizationId ?? undefined);
}

/** Other projects, keys and people: what was read in the one before is forgotten. */
export function enterOrganization(id: string): void {
  if (chosenOrganization() === id) return;
  chooseOrganization(id);
  forgetAnswers(true);
}

function forgetAnswers(readAgain: boolean): void {
  const ofOthers = {
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== 'getSession',
  };
  if (readAgain) void queryClient.resetQueries(ofOthers);
  else queryClient.removeQueries(ofOthers);
}

function lookAgain(): void {
  void queryClient.invalidateQueries({ queryKey: session.queryKey });
}

onSessionChange(lookAgain);

/** A page that the browser kept whole while another one was open may be of somebody who has left since. */
globalThis.addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return;
  if (lastSignedIn() === readAs) return lookAgain();
  document.body.hidden = true;
  location.reload();
});
