import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { people, useSubmit } from '../../api/index.ts';
import { type SignedIn, sessionIs, useSignedIn } from '../../api/session.ts';
import { RequiredField } from '../../kit/field.tsx';
import { Skeleton } from '../../kit/notice.tsx';
import { toastSuccess } from '../../kit/toast.tsx';
import { savedText } from '../account/profile.tsx';
import { Entry, EntryForm, EntryLinks } from './entry.tsx';
import { NewPasswordField } from './password-field.tsx';

/** Domain of the account created on first start, which has no owner yet. */
const initialDomain = '@drydock.local';

/** For a user who signed in with a one-time link and has no password yet. */
export function SetUpPage() {
  const signedIn = useSignedIn();
  return (
    <Entry title="Set up your account">
      {signedIn ? <SetUpForm signedIn={signedIn} /> : <Skeleton lines={5} />}
    </Entry>
  );
}

function SetUpForm({ signedIn: { user } }: { signedIn: SignedIn }) {
  const fresh = user.email.endsWith(initialDomain);
  const [name, setName] = useState(fresh ? '' : user.name);
  const [email, setEmail] = useState(fresh ? '' : user.email);
  const [password, setPassword] = useState('');
  const navigate = useNavigate();
  const saving = useSubmit(
    async () => {
      // The password comes first: changing the email requires it, and it stays set if the email is refused.
      if (!user.hasPassword) sessionIs(await people.changePassword({ body: { newPassword: password } }));
      return people.updateProfile({
        body: { name: name.trim(), email: email.trim(), currentPassword: password },
      });
    },
    {
      onDone: ({ confirmationSentTo, ...next }) => {
        sessionIs(next);
        if (confirmationSentTo !== null) toastSuccess(savedText(confirmationSentTo));
        void navigate({ to: '/', replace: true });
      },
    },
  );
  return (
    <>
      <p>You signed in with a one-time link. Set the password you will sign in with from now on.</p>
      <EntryForm attempt={saving} verb="Save and continue" onSubmit={() => saving.mutate()}>
        {' '}
        <RequiredField label="Name" autoComplete="name" value={name} onChange={setName} />
        <RequiredField label="Email" type="email" autoComplete="username" value={email} onChange={setEmail} />
        <NewPasswordField label="Password" value={password} onChange={setPassword} />
      </EntryForm>
      <EntryLinks>
        <Link to="/">Skip for now</Link>
      </EntryLinks>
    </>
  );
}
