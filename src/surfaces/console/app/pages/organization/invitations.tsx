import { useState } from 'react';
import { askPeople, type ConsoleOutput, people, useQuery } from '../../api/index.ts';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import type { OrganizationContext } from './organization-page.tsx';

type Invitation = ConsoleOutput<'listInvitations'>['items'][number];

export function Invitations({ context: { organizationId } }: { context: OrganizationContext }) {
  const invitations = useQuery(askPeople('listInvitations', { organizationId }));
  return (
    <Section title="Open invitations">
      <QueryTable of={invitations} lines={2} label="Open invitations" columns={columnsOf(organizationId)}>
        <Note>No open invitations.</Note>
      </QueryTable>
    </Section>
  );
}

function columnsOf(organizationId: string): Column<Invitation>[] {
  return [
    { name: 'Email', main: true, cell: ({ email }) => email },
    { name: 'Role', cell: ({ role }) => role },
    { name: 'Invited by', cell: ({ invitedBy }) => invitedBy?.name ?? 'the command line' },
    { name: 'Invited', figure: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Expires', figure: true, cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
    {
      name: 'Actions',
      figure: true,
      cell: (invitation) => <Revoke organizationId={organizationId} invitation={invitation} />,
    },
  ];
}

function Expiry({ at }: { at: number }) {
  const [now] = useState(Date.now);
  if (at > now) return <Time at={at} />;
  return (
    <StateMark state="timedOut">
      expired <Time at={at} />
    </StateMark>
  );
}

function Revoke({
  organizationId,
  invitation: { id: invitationId, email },
}: {
  organizationId: string;
  invitation: Invitation;
}) {
  return (
    <ConfirmButton
      variant="danger"
      label="Revoke"
      aria-label={`Revoke the invitation of ${email}`}
      question={`Revoke the invitation of ${email}?`}
      verb="Revoke invitation"
      write={() => people.revokeInvitation({ organizationId, invitationId })}
      says="Invitation revoked"
    >
      <p>The invitation link of {email} stops working immediately. You can invite them again.</p>
    </ConfirmButton>
  );
}
