import { useState } from 'react';
import { askPeople, maxPageSize, people, useAction, useQuery } from '../../api/index.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm, ConfirmButton } from '../../kit/confirm.tsx';
import { Select } from '../../kit/field.tsx';
import { counted } from '../../kit/numbers.ts';
import { QueryState } from '../../kit/query-state.tsx';
import { toastError } from '../../kit/toast.tsx';
import { OneTimeLinkDialog } from './one-time-secret-dialog.tsx';
import css from './organization.module.css';
import type { OrganizationContext } from './organization-page.tsx';
import { decidesAbout, type Member, type Role, rolesGivenBy } from './roles.ts';

interface About {
  context: OrganizationContext;
  member: Member;
}

export function RoleSelect({ context, member }: About) {
  const { organization, organizationId, signedIn } = context;
  const [wanted, setWanted] = useState<Role>();
  const self = member.userId === signedIn.user.id;
  const changing = useAction(
    (role: Role) => people.setMember({ organizationId, memberId: member.userId, body: { role } }),
    {
      says: ({ role, name }) => `${name}'s role is now ${role}`,
      onDone: () => setWanted(undefined),
      onFail: (error) => {
        setWanted(undefined);
        toastError(error);
      },
    },
  );
  if (!context.administers || !decidesAbout(organization.role, member.role)) return member.role;
  // A change of the user's own role is confirmed first, because they may be unable to undo it.
  const choose = (role: Role): void => (self ? setWanted(role) : changing.mutate(role));
  return (
    <>
      <Select
        aria-label={`Role of ${member.name}`}
        value={changing.isPending ? changing.variables : member.role}
        disabled={changing.isPending}
        onChange={({ target }) => choose(target.value as Role)}
        options={rolesGivenBy(organization.role).map((role) => [role, role] as const)}
      />
      {wanted && (
        <Confirm
          onClose={() => setWanted(undefined)}
          title="Change your own role?"
          verb={`Become ${wanted}`}
          keep={`Stay ${member.role}`}
          busy={changing.isPending}
          onConfirm={() => changing.mutate(wanted)}
        >
          <p>
            You are {member.role} of {organization.name} and would be {wanted}. You cannot undo this yourself.
          </p>
        </Confirm>
      )}
    </>
  );
}

export function MemberActions({ context, member }: About) {
  const { organizationId, organization, signedIn } = context;
  const linking = useAction(() => people.createResetLink({ organizationId, memberId: member.userId }));
  if (!decidesAbout(organization.role, member.role)) return null;
  const self = member.userId === signedIn.user.id;
  return (
    <span className={css.actions}>
      {!self && (
        <Button action={linking} aria-label={`Create a password reset link for ${member.name}`}>
          Reset link
        </Button>
      )}
      <Remove context={context} member={member} />
      {linking.data && (
        <OneTimeLinkDialog
          title={`Password reset for ${member.name}`}
          link={linking.data}
          email={member.email}
          onClose={linking.reset}
        />
      )}
    </span>
  );
}

function Remove({ context, member }: About) {
  const { organizationId, organization, signedIn } = context;
  const self = member.userId === signedIn.user.id;
  return (
    <ConfirmButton
      variant="danger"
      label={self ? 'Leave' : 'Remove'}
      aria-label={`Remove ${member.name}`}
      question={self ? `Leave ${organization.name}?` : `Remove ${member.name} from ${organization.name}?`}
      verb={self ? 'Leave' : 'Remove member'}
      keep={self ? 'Stay' : 'Keep member'}
      write={() => people.removeMember({ organizationId, memberId: member.userId })}
      says={self ? `You left ${organization.name}` : `${member.name} was removed`}
    >
      <p>
        {self ? 'You lose' : `${member.email} loses`} access to the organization and all of its projects
        immediately. Everything {self ? 'you' : 'they'} created stays.
      </p>
      <StoppingKeys organizationId={organizationId} userId={member.userId} self={self} />
    </ConfirmButton>
  );
}

function StoppingKeys({
  organizationId,
  userId,
  self,
}: {
  organizationId: string;
  userId: string;
  self: boolean;
}) {
  const keys = useQuery(askPeople('listKeys', { organizationId, limit: maxPageSize }));
  if (!keys.data) return <QueryState of={keys} lines={1} />;
  const theirs = keys.data.items.filter(({ user, revokedAt }) => user?.id === userId && revokedAt === null);
  if (theirs.length === 0) return <p>{self ? 'You have' : 'They have'} no active API keys here.</p>;
  return (
    <>
      <p>
        {counted(theirs.length, 'API key stops', 'API keys stop')} working, along with everything that uses
        them:
      </p>
      <ul className={css.names}>
        {theirs.slice(0, 10).map(({ id, name, hint }) => (
          <li key={id}>
            {name} <code>{hint}</code>
          </li>
        ))}
        {theirs.length > 10 && <li>and {counted(theirs.length - 10, 'other')}</li>}
      </ul>
    </>
  );
}
