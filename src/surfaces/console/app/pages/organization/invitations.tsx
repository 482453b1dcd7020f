import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConsoleOutput } from '../../../../client/console.ts';
import { answersOf, askPeople } from '../../api/ask.ts';
import { people } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import type { Standing } from './organization-page.tsx';

type Invitation = ConsoleOutput<'listInvitations'>['items'][number];

/** Those that nobody has used. */
export function Invitations({ standing: { organizationId } }: { standing: Standing }) {
  const invitations = useQuery(askPeople('listInvitations', { organizationId }));
  const items = invitations.data?.items ?? [];
  return (
    <Section title="Open invitations">
      {invitations.isPending && <Skeleton lines={2} />}
      {invitations.isError && <Problem error={invitations.error} retry={() => void invitations.refetch()} />}
      {invitations.isSuccess && items.length === 0 && <Note>Nobody is invited at the moment.</Note>}
      {items.length > 0 && (
        <Table
          label="Open invitations"
          columns={columnsOf(organizationId)}
          rows={items}
          keyOf={({ id }) => id}
        />
      )}
    </Section>
  );
}

function columnsOf(organizationId: string): Column<Invitation>[] {
  return [
    { name: 'E-mail', main: true, cell: ({ email }) => email },
    { name: 'Role', cell: ({ role }) => role },
    { name: 'Invited by', cell: ({ invitedBy }) => invitedBy?.name ?? 'the command line' },
    { name: 'Invited', figure: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Works until', figure: true, cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
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
      over since <Time at={at} />
    </StateMark>
  );
}

function Revoke({ organizationId, invitation }: { organizationId: string; invitation: Invitation }) {
  const [asking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const { id: invitationId, email } = invitation;
  const revoking = useMutation({
    mutationFn: () => people.revokeInvitation({ organizationId, invitationId }),
    onSuccess: async () => {
      setAsking(false);
      say('Invitation revoked');
      await queryClient.invalidateQueries(answersOf('listInvitations'));
    },
    onError: complain,
  });
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)} aria-label={`Revoke the invitation of ${email}`}>
        Revoke
      </Button>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title={`Revoke the invitation of ${email}?`}
          verb="Revoke invitation"
          busy={revoking.isPending}
          onConfirm={() => revoking.mutate()}
          lost={<p>The link that was made for {email} stops working at once. You can invite them again.</p>}
        />
      )}
    </>
  );
}
