import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { people } from '../../api/client.ts';
import { session } from '../../api/session.ts';
import { Field, TextInput } from '../../kit/field.tsx';
import { Skeleton } from '../../kit/notice.tsx';
import { Entry, EntryForm, Refused, SubmitButton, Ways, Words } from './entry.tsx';

export function ForgotPage() {
  const known = useQuery(session);
  return (
    <Entry title="Forgot your password?">
      {known.isPending && <Skeleton lines={3} />}
      {known.isError && <Refused error={known.error} retry={() => void known.refetch()} />}
      {known.data && (known.data.ways.mail ? <AskByMail /> : <AskSomebody />)}
      <Ways>
        <Link to="/sign-in">Back to sign-in</Link>
      </Ways>
    </Entry>
  );
}

function AskByMail() {
  const [email, setEmail] = useState('');
  const asking = useMutation({ mutationFn: () => people.requestReset({ body: { email } }) });
  if (asking.isSuccess)
    return (
      <p role="status">
        If {email} has an account here, a link to a new password is on its way. It works once, within an hour.
        Nothing came? Look among the unwanted mail, or ask an administrator of your organization for a link.
      </p>
    );
  return (
    <EntryForm onSubmit={() => asking.mutate()}>
      <p>A link with which you choose a new password is sent to your address.</p>
      <Field label="E-mail">
        <TextInput
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
      </Field>
      {asking.isError && <Refused error={asking.error} />}
      <SubmitButton attempt={asking}>Send the link</SubmitButton>
    </EntryForm>
  );
}

function AskSomebody() {
  return (
    <Words>
      <p>
        This installation sends no mail. Ask an administrator of your organization: they make a link for you
        on its page of members, with which you choose a new password.
      </p>
      <p>
        Whoever runs the installation can make one on the machine:{' '}
        <code>drydock console link --user EMAIL</code>
      </p>
    </Words>
  );
}
