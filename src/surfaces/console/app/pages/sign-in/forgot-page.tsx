import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { people, useQuery, useSubmit } from '../../api/index.ts';
import { session } from '../../api/session.ts';
import { Field, TextInput } from '../../kit/field.tsx';
import { Skeleton } from '../../kit/notice.tsx';
import { Entry, EntryForm, EntryLinks, Refused, SubmitButton, Words } from './entry.tsx';

export function ForgotPage() {
  const known = useQuery(session);
  return (
    <Entry title="Forgot your password?">
      {known.isPending && <Skeleton lines={3} />}
      {known.isError && <Refused error={known.error} retry={() => void known.refetch()} />}
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
    <EntryForm onSubmit={() => asking.mutate()}>
      <p>We will email you a password reset link.</p>
      <Field label="Email">
        <TextInput
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
      </Field>
      {asking.isError && <Refused error={asking.error} />}
      <SubmitButton attempt={asking}>Send link</SubmitButton>
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
