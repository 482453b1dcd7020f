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

/** The user that the cache belongs to. */
let cachedUser: string | undefined;

/** The current session. Refetched on window focus and whenever a response indicates a change. */
export const session = queryOptions<Session>({
  queryKey: ['getSession'],
  queryFn: async ({ signal }) => {
    const answer = await people.getSession(undefined, { signal });
    settle(answer);
    return answer;
  },
  staleTime: 60_000,
});

/** The signed-in user; pages within the shell render only if there is one. */
export function useSignedIn(): SignedIn | undefined {
  const { data } = useQuery(session);
  return data?.signedIn === true ? data : undefined;
}

/** Stores the session after sign-in, sign-out or an account change; other tabs refetch it. */
export function sessionIs(next: Session): void {
  settle(next);
  queryClient.setQueryData(session.queryKey, next);
  announceSession();
}

/** Clears the cache when the user changes. Replaces a selected organization that the user does not belong to. */
function settle(answer: Session): void {
  const user = answer.signedIn ? answer.user.id : undefined;
  rememberSignedIn(user);
  if (cachedUser !== undefined && cachedUser !== user) {
    forgetPersonal();
    clearCache(user !== undefined);
  }
  cachedUser = user;
  const chosen = chosenOrganization();
  if (!answer.signedIn) chooseOrganization(undefined);
  else if (!answer.organizations.some(({ id }) => id === chosen))
    chooseOrganization(answer.organizationId ?? undefined);
}

/** The session as it is cached, otherwise as the service knows it. */
export function knownSession(): Promise<Session> {
  return queryClient.ensureQueryData(session);
}

/** Switches to another organization and clears the cache of the previous one. */
export function enterOrganization(id: string): void {
  if (chosenOrganization() === id) return;
  chooseOrganization(id);
  clearCache(true);
}

function clearCache(readAgain: boolean): void {
  const ofOthers = {
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== 'getSession',
  };
  if (readAgain) void queryClient.resetQueries(ofOthers);
  else queryClient.removeQueries(ofOthers);
}

function refetchSession(): void {
  void queryClient.invalidateQueries({ queryKey: session.queryKey });
}

onSessionChange(refetchSession);

/** A page restored from the back/forward cache may belong to a user who has signed out since. */
globalThis.addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return;
  if (lastSignedIn() === cachedUser) return refetchSession();
  document.body.hidden = true;
  location.reload();
});
