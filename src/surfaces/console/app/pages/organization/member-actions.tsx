import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answersOf, askPeople } from '../../api/ask.ts';
import { people } from '../../api/client.ts';
import { session } from '../../api/session.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Select } from '../../kit/field.tsx';
import { Skeleton } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { complain, say } from '../../kit/toast.tsx';
import { LinkOnce } from './once.tsx';
import css from './organization.module.css';
import type { Standing } from './organization-page.tsx';
import { decidesAbout, type Member, type Role, rolesGivenBy } from './roles.ts';

interface About {
  standing: Standing;
  member: Member;
}

export function RoleSelect({ standing, member }: About) {
  const { organization, organizationId, signedIn } = standing;
  const [wanted, setWanted] = useState<Role>();
  const queryClient = useQueryClient();
  const self = member.userId === signedIn.user.id;
  const changing = useMutation({
    mutationFn: (role: Role) => people.setMember({ organizationId, memberId: member.userId, body: { role } }),
    onSuccess: async ({ role, name }) => {
      say(`${name} is ${role} now`);
      await queryClient.invalidateQueries(answersOf('listMembers'));
      if (self) await queryClient.invalidateQueries({ queryKey: session.queryKey });
    },
    onError: complain,
    onSettled: () => setWanted(undefined),
  });
  if (!standing.administers || !decidesAbout(organization.role, member.role)) return member.role;
  // Who gives away what they may do here cannot take it back.
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
          lost={
            <p>
              You are {member.role} of {organization.name} and would be {wanted}. Somebody else has to give
              the role back.
            </p>
          }
        />
      )}
    </>
  );
}

export function MemberActions({ standing, member }: About) {
  const [removing, setRemoving] = useState(false);
  const { organizationId, organization, signedIn } = standing;
  const linking = useMutation({
    mutationFn: () => people.createResetLink({ organizationId, memberId: member.userId }),
    onError: complain,
  });
  if (!decidesAbout(organization.role, member.role)) return null;
  const self = member.userId === signedIn.user.id;
  return (
    <span className={css.actions}>
      {!self && (
        <Button
          busy={linking.isPending}
          onClick={() => linking.mutate()}
          aria-label={`Make a link to a new password for ${member.name}`}
        >
          Password link
        </Button>
      )}
      <Button look="danger" onClick={() => setRemoving(true)} aria-label={`Remove ${member.name}`}>
        {self ? 'Leave' : 'Remove'}
      </Button>
      {linking.data && (
        <LinkOnce
          title={`A new password for ${member.name}`}
          link={linking.data}
          email={member.email}
          onClose={linking.reset}
        />
      )}
      {removing && <Remove standing={standing} member={member} onClose={() => setRemoving(false)} />}
    </span>
  );
}

/** Says what ends with the membership. */
function Remove({ standing, member, onClose }: About & { onClose: () => void }) {
  const { organizationId, organization, signedIn } = standing;
  const queryClient = useQueryClient();
  const self = member.userId === signedIn.user.id;
  const keys = useQuery(askPeople('listKeys', { organizationId, limit: 200 }));
  const removing = useMutation({
    mutationFn: () => people.removeMember({ organizationId, memberId: member.userId }),
    onSuccess: async () => {
      onClose();
      say(self ? `You left ${organization.name}` : `${member.name} was removed`);
      for (const id of ['listMembers', 'listKeys', 'listProjectMembers'] as const)
        await queryClient.invalidateQueries(answersOf(id));
      if (self) await queryClient.invalidateQueries({ queryKey: session.queryKey });
    },
    onError: complain,
  });
  const theirs = keys.data?.items.filter(
    ({ user, revokedAt }) => user?.id === member.userId && revokedAt === null,
  );
  return (
    <Confirm
      onClose={onClose}
      title={self ? `Leave ${organization.name}?` : `Remove ${member.name} from ${organization.name}?`}
      verb={self ? 'Leave' : 'Remove member'}
      keep={self ? 'Stay' : 'Keep member'}
      busy={removing.isPending}
      onConfirm={() => removing.mutate()}
      lost={
        <>
          <p>
            {self ? 'You lose' : `${member.email} loses`} access to the organization and all of its projects
            with the next request, in every browser. What {self ? 'you' : 'they'} made stays.
          </p>
          {keys.isPending && <Skeleton lines={1} />}
          {theirs && theirs.length === 0 && <p>No API key of {self ? 'yours' : 'theirs'} is in use here.</p>}
          {theirs && theirs.length > 0 && (
            <>
              <p>
                {counted(theirs.length, 'API key stops', 'API keys stop')} working, and so does whatever uses
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
          )}
        </>
      }
    />
  );
}
