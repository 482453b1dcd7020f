import { useState } from 'react';
import { askPeople, useQuery } from '../../api/index.ts';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { Note } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { Invitations } from './invitations.tsx';
import { Invite } from './invite.tsx';
import { MemberActions, RoleSelect } from './member-actions.tsx';
import css from './organization.module.css';
import { type OrganizationContext, OrganizationPage } from './organization-page.tsx';
import type { Member } from './roles.ts';

export function MembersPage() {
  const [inviting, setInviting] = useState(false);
  return (
    <OrganizationPage
      name="Members"
      administration={
        <Button variant="primary" onClick={() => setInviting(true)}>
          Invite member
        </Button>
      }
    >
      {(context) => (
        <>
          <Members context={context} />
          {context.administers && <Invitations context={context} />}
          {inviting && <Invite context={context} onClose={() => setInviting(false)} />}
        </>
      )}
    </OrganizationPage>
  );
}

function Members({ context }: { context: OrganizationContext }) {
  const { organizationId, organization } = context;
  const members = useQuery(askPeople('listMembers', { organizationId }));
  const items = members.data?.items ?? [];
  return (
    <Section title={members.data ? counted(items.length, 'member') : 'Members'}>
      <QueryTable
        of={members}
        lines={4}
        label="Members"
        columns={columnsOf(context, items)}
        keyOf={({ userId }) => userId}
      />
      {members.data?.nextCursor !== undefined && <Note>Only the first {items.length} are shown.</Note>}
      <Note>
        Owners can do everything. Admins can do everything except manage owners. Members can open public
        projects and those they are invited to. You are {organization.role} here.
      </Note>
    </Section>
  );
}

function columnsOf(context: OrganizationContext, members: readonly Member[]): Column<Member>[] {
  const { administers, signedIn } = context;
  const owners = members.filter(({ role }) => role === 'owner').length;
  // The last owner can neither be removed nor change roles.
  const stays = ({ role }: Member): boolean => role === 'owner' && owners === 1;
  const forAll: Column<Member>[] = [
    {
      name: 'Member',
      main: true,
      cell: ({ userId, name, email }) => (
        <span className={css.person}>
          <span>
            {name}
            {userId === signedIn.user.id && <span className={common.soft}> (you)</span>}
          </span>
          <small>{email}</small>
        </span>
      ),
    },
    {
      name: 'Role',
      cell: (member) => (stays(member) ? 'owner' : <RoleSelect context={context} member={member} />),
    },
  ];
  if (!administers) return forAll;
  return [
    ...forAll,
    {
      name: 'Password',
      cell: ({ hasPassword }) =>
        hasPassword ? (
          <StateMark state="passed">set</StateMark>
        ) : (
          <StateMark state="notMeasured">not set</StateMark>
        ),
    },
    {
      name: 'Last seen',
      figure: true,
      cell: ({ lastSeenAt }) =>
        lastSeenAt === null ? <span className={common.soft}>not signed in</span> : <Time at={lastSeenAt} />,
    },
    {
      name: 'Actions',
      figure: true,
      cell: (member) => !stays(member) && <MemberActions context={context} member={member} />,
    },
  ];
}
