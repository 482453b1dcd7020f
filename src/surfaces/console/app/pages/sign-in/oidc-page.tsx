import { Link, useLoaderData, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { people, useSubmit } from '../../api/index.ts';
import { sessionIs } from '../../api/session.ts';
import { Skeleton } from '../../kit/notice.tsx';
import { Entry, EntryLinks, Refused } from './entry.tsx';
import { safeRedirectPath } from './redirect-path.ts';

/** Redirect target of the identity provider. Its response is removed from the URL and sent once. */
export function OidcPage() {
  const navigate = useNavigate();
  const said = useLoaderData({ from: '/oidc' });
  const begun = useRef(false);
  const { mutate, error } = useSubmit((search: string) => people.finishOidc({ body: { search } }), {
    onDone: ({ returnTo, ...next }) => {
      sessionIs(next);
      const within = returnTo?.replace(/^\/console(?=\/|\?|#|$)/, '');
      void navigate({ href: safeRedirectPath(within), replace: true });
    },
  });
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    history.replaceState(history.state, '', location.pathname);
    mutate(said);
  }, [mutate, said]);
  return (
    <Entry title={error ? 'You are not signed in' : 'Signing you in'}>
      {error ? <Refused of={{ error }} /> : <Skeleton lines={2} />}
      {error && (
        <EntryLinks>
          <Link to="/sign-in">Go to sign-in</Link>
        </EntryLinks>
      )}
    </Entry>
  );
}
