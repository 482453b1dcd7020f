import { useParams } from '@tanstack/react-router';
import { type MyOrganization, useSignedIn } from '../api/session.ts';
import { chosenOrganization } from '../api/session-state.ts';

/** The current organization: from the URL, otherwise the one selected or used last. */
export function useOrganization(): MyOrganization | undefined {
  const { organizationId } = useParams({ strict: false });
  const signedIn = useSignedIn();
  const wanted = organizationId ?? chosenOrganization() ?? signedIn?.organizationId;
  return signedIn?.organizations.find(({ id }) => id === wanted);
}
