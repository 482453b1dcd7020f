import { useState } from 'react';
import { people, useSubmit } from '../../api/index.ts';
import { RequiredField, SelectField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { OneTimeLinkDialog } from './one-time-secret-dialog.tsx';
import type { OrganizationContext } from './organization-page.tsx';
import { type Role, roleLabels, rolesGivenBy } from './roles.ts';

export function Invite({ context, onClose }: { context: OrganizationContext; onClose: () => void }) {
  const { organization, organizationId } = context;
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const inviting = useSubmit(() =>
    people.createInvitation({ organizationId, body: { email: email.trim(), role } }),
  );
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
    <FormDialog
      title={`Invite to ${organization.name}`}
      verb="Create invitation"
      action={inviting}
      onClose={onClose}
    >
      <RequiredField
        label="Email"
        hint="Replaces any earlier invitation of this address."
        type="email"
        autoComplete="off"
        value={email}
        onChange={setEmail}
      />
      <SelectField
        label="Role"
        hint={`Can ${roleLabels[role]}.`}
        value={role}
        options={rolesGivenBy(organization.role).map((one) => [one, one] as const)}
        onChange={setRole}
      />
    </FormDialog>
  );
}
