import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answersOf } from '../../api/ask.ts';
import { people } from '../../api/client.ts';
import { type SignedIn, sessionIs } from '../../api/session.ts';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/page.tsx';
import { say } from '../../kit/toast.tsx';
import { Refused } from '../sign-in/entry.tsx';
import { NewPasswordField, PasswordField } from '../sign-in/password-field.tsx';
import css from './account.module.css';

export function Password({ signedIn: { user } }: { signedIn: SignedIn }) {
  const [currentPassword, setCurrentPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const queryClient = useQueryClient();
  const saving = useMutation({
    mutationFn: () =>
      people.changePassword({ body: { newPassword, ...(user.hasPassword && { currentPassword }) } }),
    onSuccess: async (next) => {
      setCurrentPassword('');
      setNewPassword('');
      sessionIs(next);
      say('Password changed. Other sessions have ended');
      await queryClient.invalidateQueries(answersOf('listMySessions'));
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <Section title="Password">
      <form className={css.form} onSubmit={submit}>
        {/* What keeps passwords wants to know whose it is. */}
        <input type="email" autoComplete="username" value={user.email} readOnly hidden />
        {user.hasPassword && (
          <PasswordField label="Current password" value={currentPassword} onChange={setCurrentPassword} />
        )}
        <NewPasswordField label="New password" value={newPassword} onChange={setNewPassword} />
        {saving.isError && <Refused error={saving.error} />}
        <div className={css.foot}>
          <Button type="submit" look="primary" busy={saving.isPending} disabled={newPassword === ''}>
            {user.hasPassword ? 'Change password' : 'Set password'}
          </Button>
          <span className={css.soft}>Ends all other sessions. API keys go on working.</span>
        </div>
      </form>
    </Section>
  );
}
