import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { people, useQuery, useSubmit } from '../../api/index.ts';
import { session } from '../../api/session.ts';
import { RequiredField } from '../../kit/field.tsx';
import { Skeleton } from '../../kit/notice.tsx';
import { Entry, EntryForm, EntryLinks, Refused, Words } from './entry.tsx';

export function ForgotPage() {
  const known = useQuery(session);
  return (
    <Entry title="Forgot your password?">
      {known.isPending && <Skeleton lines={3} />}
      <Refused of={known} />
      {known.data && (known.data.ways.mail ? <AskByMail /> : <NoEmail />)}
      <EntryLinks>
        <Link to="/sign-in">Back to sign-in</Link>
      </EntryLinks>
    </Entry>
  );
}

function AskByMail() {
  const [email, setEmail] = useState('');
  const asking = useSubmit(() => people.requestReset({ body: { email } }));
  if (asking.isSuccess)
    return (
      <p role="status">
        If {email} has an account, we have sent a password reset link. It works once and expires in an hour.
        If it does not arrive, check your spam folder or ask an administrator of your organization.
      </p>
    );
  return (
    <EntryForm attempt={asking} verb="Send link" onSubmit={() => asking.mutate()}>
      {' '}
      <p>We will email you a password reset link.</p>
      <RequiredField label="Email" type="email" autoComplete="username" value={email} onChange={setEmail} />
    </EntryForm>
  );
}

function NoEmail() {
  return (
    <Words>
      <p>
        This installation sends no email. Ask an administrator of your organization to create a password reset
        link on the Members page.
      </p>
      <p>
        Operators can create one on the machine that runs Drydock:{' '}
        <code>drydock console link --user EMAIL</code>
      </p>
    </Words>
  );
}
