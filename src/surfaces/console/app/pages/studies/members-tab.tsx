import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Empty, Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { Invite } from './invite.tsx';
import type { Study } from './study.ts';

type Member = Output<'listStudyMembers'>['items'][number];

/** Who is invited. */
export function MembersTab({ study }: { study: Study }) {
  const which = { projectId: study.projectId, studyId: study.id };
  const members = useQuery(ask('listStudyMembers', which));
  const [inviting, setInviting] = useState(false);
  const items = members.data?.items ?? [];
  return (
    <Section
      title="Invited people"
      actions={
        <>
          <Same operation="listStudyMembers" input={which} />
          <Button look="primary" onClick={() => setInviting(true)}>
            Invite somebody
          </Button>
        </>
      }
    >
      {study.mode === 'project_members' && (
        <Note>
          Only members of the project get in at the moment. Change that on the overview to let these in.
        </Note>
      )}
      {members.isPending && <Skeleton lines={3} />}
      {members.isError && <Problem error={members.error} retry={() => void members.refetch()} />}
      {members.isSuccess && items.length === 0 && (
        <Empty title="Nobody is invited">
          Whoever you invite comes in with a link of their own, without an account here, and is known by the
          address.
        </Empty>
      )}
      {items.length > 0 && (
        <Table label="Invited people" columns={columnsOf(study)} rows={items} keyOf={({ id }) => id} />
      )}
      {inviting && <Invite study={study} onClose={() => setInviting(false)} />}
    </Section>
  );
}

function columnsOf(study: Study): Column<Member>[] {
  return [
    { name: 'E-mail', main: true, cell: ({ email }) => email },
    { name: 'Invited', figure: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      name: 'Last seen',
      figure: true,
      cell: ({ lastSeenAt }) => (lastSeenAt === null ? 'not yet' : <Time at={lastSeenAt} />),
    },
    { name: 'Actions', figure: true, cell: (member) => <Remove study={study} member={member} /> },
  ];
}

function Remove({ study, member: { id, email } }: { study: Study; member: Member }) {
  const [asking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const input = { projectId: study.projectId, studyId: study.id, memberIdOrEmail: id };
  const removing = useMutation({
    mutationFn: () => api.removeStudyMember(input),
    onSuccess: async () => {
      setAsking(false);
      say(`${email} is no longer invited`);
      await queryClient.invalidateQueries(answersOf('listStudyMembers'));
    },
    onError: complain,
  });
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)} aria-label={`Remove ${email}`}>
        Remove
      </Button>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title={`No longer invite ${email}?`}
          verb="Remove"
          busy={removing.isPending}
          onConfirm={() => removing.mutate()}
          same={<Same operation="removeStudyMember" input={input} />}
          lost={
            <>
              <p>{email} is out at once. Visits of others end too and begin again by themselves.</p>
              {study.mode === 'anyone_with_link' && (
                <p>Anyone with the link gets in, so this person still can, as a guest.</p>
              )}
            </>
          }
        />
      )}
    </>
  );
}
