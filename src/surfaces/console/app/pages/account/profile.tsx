import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { people } from '../../api/client.ts';
import { type SignedIn, sessionIs } from '../../api/session.ts';
import { Button } from '../../kit/button.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Section } from '../../kit/page.tsx';
import { say } from '../../kit/toast.tsx';
import { Refused } from '../sign-in/entry.tsx';
import { PasswordField } from '../sign-in/password-field.tsx';
import css from './account.module.css';

/** What somebody has to do before a new address counts. */
export function savedWords(confirmationSentTo: string | null): string {
  if (confirmationSentTo === null) return 'Profile saved';
  return `Profile saved. Your address changes when you open the link that is on its way to ${confirmationSentTo}`;
}

export function Profile({ signedIn: { user } }: { signedIn: SignedIn }) {
  const [name, setName] = useState(user.name);
  const [email, setEmail] = useState(user.email);
  const [currentPassword, setCurrentPassword] = useState('');
  const newEmail = email.trim() !== user.email;
  const changed = newEmail || name.trim() !== user.name;
  const saving = useMutation({
    mutationFn: () =>
      people.updateProfile({
        body: { name: name.trim(), ...(newEmail && { email: email.trim(), currentPassword }) },
      }),
    onSuccess: ({ confirmationSentTo, ...next }) => {
      setCurrentPassword('');
      setEmail(next.user.email);
      sessionIs(next);
      say(savedWords(confirmationSentTo));
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <Section title="Profile">
      <form className={css.form} onSubmit={submit}>
        <Field label="Name">
          <TextInput
            autoComplete="name"
            required
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        <Field label="E-mail" hint={user.hasPassword ? undefined : 'Choose a password before you change it.'}>
          <TextInput
            type="email"
            autoComplete="email"
            required
            readOnly={!user.hasPassword}
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        </Field>
        {newEmail && (
          <PasswordField
            label="Your password"
            hint="Links to a new password go to this address, so changing it asks for yours."
            value={currentPassword}
            onChange={setCurrentPassword}
          />
        )}
        {saving.isError && <Refused error={saving.error} />}
        <div className={css.foot}>
          <Button type="submit" look="primary" busy={saving.isPending} disabled={!changed}>
            Save profile
          </Button>
        </div>
      </form>
    </Section>
  );
}
