import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answersOf } from '../../api/ask.ts';
import { people } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Field, Select, TextInput } from '../../kit/field.tsx';
import { LazyDialog } from '../../kit/lazy-dialog.tsx';
import { Problem } from '../../kit/notice.tsx';
import { LinkOnce } from './once.tsx';
import css from './organization.module.css';
import type { Standing } from './organization-page.tsx';
import { type Role, rolesGivenBy, roleWords } from './roles.ts';

export function Invite({ standing, onClose }: { standing: Standing; onClose: () => void }) {
  const { organization, organizationId } = standing;
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const queryClient = useQueryClient();
  const inviting = useMutation({
    mutationFn: () => people.createInvitation({ organizationId, body: { email: email.trim(), role } }),
    onSuccess: () => queryClient.invalidateQueries(answersOf('listInvitations')),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    inviting.mutate();
  };
  if (inviting.data)
    return (
      <LinkOnce
        title={`The invitation of ${inviting.data.invitation.email}`}
        link={inviting.data}
        email={inviting.data.invitation.email}
        onClose={onClose}
      />
    );
  return (
    <LazyDialog onClose={onClose} title={`Invite somebody to ${organization.name}`}>
      <form className={css.form} onSubmit={submit}>
        <Field label="E-mail" hint="An earlier invitation of the same address stops working.">
          <TextInput
            type="email"
            autoComplete="off"
            required
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        </Field>
        <Field label="Role" hint={`May do ${roleWords[role]}.`}>
          <Select
            value={role}
            onChange={({ target }) => setRole(target.value as Role)}
            options={rolesGivenBy(organization.role).map((one) => [one, one] as const)}
          />
        </Field>
        {inviting.isError && <Problem error={inviting.error} />}
        <footer className={css.foot}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={inviting.isPending}>
            Make invitation
          </Button>
        </footer>
      </form>
    </LazyDialog>
  );
}
