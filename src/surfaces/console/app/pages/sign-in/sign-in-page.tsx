import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { people, useQuery, useSubmit } from '../../api/index.ts';
import { session, sessionIs } from '../../api/session.ts';
import { RequiredField } from '../../kit/field.tsx';
import { Skeleton } from '../../kit/notice.tsx';
import { Entry, EntryForm, EntryLinks, Or, Refused } from './entry.tsx';
import { OidcButton } from './oidc-button.tsx';
import { PasswordField } from './password-field.tsx';
import { safeRedirectPath } from './redirect-path.ts';

export function SignInPage() {
  const { to } = useSearch({ from: '/sign-in' });
  const known = useQuery(session);
  const navigate = useNavigate();
  const signedIn = known.data?.signedIn === true;
  useEffect(() => {
    if (signedIn) void navigate({ href: safeRedirectPath(to), replace: true });
  }, [signedIn, to, navigate]);
  const oidc = known.data?.ways.oidc;
  return (
    <Entry title="Sign in">
      {known.isPending && <Skeleton lines={4} />}
      <Refused of={known} />
      {known.data && (
        <>
          <PasswordForm />
          {oidc && (
            <>
              <Or />
              <OidcButton name={oidc.name} to={safeRedirectPath(to)} />
            </>
          )}
          <EntryLinks>
            <Link to="/forgot">Forgot your password?</Link>
          </EntryLinks>
        </>
      )}
    </Entry>
  );
}

function PasswordForm() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const enter = useSubmit(() => people.signIn({ body: { email, password } }), { onDone: sessionIs });
  return (
    <EntryForm attempt={enter} verb="Sign in" onSubmit={() => enter.mutate()}>
      {' '}
      <RequiredField label="Email" type="email" autoComplete="username" value={email} onChange={setEmail} />
      <PasswordField label="Password" value={password} onChange={setPassword} />
    </EntryForm>
  );
}
