import { type FormEvent, useState } from 'react';
import { people, useSubmit } from '../../api/index.ts';
import { Button } from '../../kit/button.tsx';
import { LazyDialog } from '../../kit/dialog-button.tsx';
import { Field, SelectField, TextInput } from '../../kit/field.tsx';
import { Problem } from '../../kit/notice.tsx';
import { OneTimeLinkDialog } from './one-time-secret-dialog.tsx';
import css from './organization.module.css';
import type { Standing } from './organization-page.tsx';
import { type Role, roleLabels, rolesGivenBy } from './roles.ts';

export function Invite({ standing, onClose }: { standing: Standing; onClose: () => void }) {
  const { organization, organizationId } = standing;
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const inviting = useSubmit(() =>
    people.createInvitation({ organizationId, body: { email: email.trim(), role } }),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    inviting.mutate();
  };
  if (inviting.data)
    return (
      <OneTimeLinkDialog
        title={`The invitation of ${inviting.data.invitation.email}`}
        link={inviting.data}
        email={inviting.data.invitation.email}
        onClose={onClose}
      />
    );
  return (
    <LazyDialog onClose={onClose} title={`Invite to ${organization.name}`}>
      <form className={css.form} onSubmit={submit}>
        <Field label="Email" hint="Replaces any earlier invitation of this address.">
          <TextInput
            type="email"
            autoComplete="off"
            required
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        </Field>
        <SelectField
          label="Role"
          hint={`Can ${roleLabels[role]}.`}
          value={role}
          options={rolesGivenBy(organization.role).map((one) => [one, one] as const)}
          onChange={setRole}
        />
        {inviting.isError && <Problem error={inviting.error} />}
        <footer className={css.foot}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={inviting.isPending}>
            Create invitation
          </Button>
        </footer>
      </form>
    </LazyDialog>
  );
}
