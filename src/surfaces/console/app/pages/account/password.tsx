import { useState } from 'react';
import { people, useSubmit } from '../../api/index.ts';
import { type SignedIn, sessionIs } from '../../api/session.ts';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { submits } from '../../kit/field.tsx';
import { Section } from '../../kit/page.tsx';
import { Refused } from '../sign-in/entry.tsx';
import { NewPasswordField, PasswordField } from '../sign-in/password-field.tsx';
import css from './account.module.css';

export function Password({ signedIn: { user } }: { signedIn: SignedIn }) {
  const [currentPassword, setCurrentPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const saving = useSubmit(
    () => people.changePassword({ body: { newPassword, ...(user.hasPassword && { currentPassword }) } }),
    {
      says: 'Password changed. All other sessions have ended',
      onDone: (next) => {
        setCurrentPassword('');
        setNewPassword('');
        sessionIs(next);
      },
    },
  );
  return (
    <Section title="Password">
      <form className={css.form} onSubmit={submits(() => saving.mutate())}>
        {/* Password managers need the username. */}
        <input type="email" autoComplete="username" value={user.email} readOnly hidden />
        {user.hasPassword && (
          <PasswordField label="Current password" value={currentPassword} onChange={setCurrentPassword} />
        )}
        <NewPasswordField label="New password" value={newPassword} onChange={setNewPassword} />
        <Refused of={saving} />
        <div className={common.wideRow}>
          <Button type="submit" variant="primary" busy={saving.isPending} disabled={newPassword === ''}>
            {user.hasPassword ? 'Change password' : 'Set password'}
          </Button>
          <span className={common.soft}>Ends all other sessions. API keys keep working.</span>
        </div>
      </form>
    </Section>
  );
}
