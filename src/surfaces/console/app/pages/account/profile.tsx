import { useState } from 'react';
import { people, useSubmit } from '../../api/index.ts';
import { type SignedIn, sessionIs } from '../../api/session.ts';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { RequiredField, submits } from '../../kit/field.tsx';
import { Section } from '../../kit/page.tsx';
import { Refused } from '../sign-in/entry.tsx';
import { PasswordField } from '../sign-in/password-field.tsx';
import css from './account.module.css';

export function savedText(confirmationSentTo: string | null): string {
  if (confirmationSentTo === null) return 'Profile saved';
  return `Profile saved. To confirm the new email, open the link we sent to ${confirmationSentTo}`;
}

export function Profile({ signedIn: { user } }: { signedIn: SignedIn }) {
  const [name, setName] = useState(user.name);
  const [email, setEmail] = useState(user.email);
  const [currentPassword, setCurrentPassword] = useState('');
  const newEmail = email.trim() !== user.email;
  const changed = newEmail || name.trim() !== user.name;
  const saving = useSubmit(
    () =>
      people.updateProfile({
        body: { name: name.trim(), ...(newEmail && { email: email.trim(), currentPassword }) },
      }),
    {
      says: ({ confirmationSentTo }) => savedText(confirmationSentTo),
      onDone: ({ confirmationSentTo: _, ...next }) => {
        setCurrentPassword('');
        setEmail(next.user.email);
        sessionIs(next);
      },
    },
  );
  return (
    <Section title="Profile">
      <form className={css.form} onSubmit={submits(() => saving.mutate())}>
        <RequiredField label="Name" autoComplete="name" value={name} onChange={setName} />
        <RequiredField
          label="Email"
          hint={user.hasPassword ? undefined : 'Set a password before you change your email.'}
          type="email"
          autoComplete="email"
          readOnly={!user.hasPassword}
          value={email}
          onChange={setEmail}
        />
        {newEmail && (
          <PasswordField
            label="Your password"
            hint="Password reset links go to this address, so your password is required to change it."
            value={currentPassword}
            onChange={setCurrentPassword}
          />
        )}
        <Refused of={saving} />
        <div className={common.wideRow}>
          <Button type="submit" variant="primary" busy={saving.isPending} disabled={!changed}>
            Save profile
          </Button>
        </div>
      </form>
    </Section>
  );
}
