import { api, ask, type Output, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { DialogButton } from '../../kit/dialog-button.tsx';
import { Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { Invite } from './invite.tsx';
import type { Study } from './study.ts';

type Member = Output<'listStudyMembers'>['items'][number];

export function MembersTab({ study }: { study: Study }) {
  const which = { projectId: study.projectId, studyId: study.id };
  const members = useQuery(ask('listStudyMembers', which));
  return (
    <Section
      title="Invited people"
      actions={
        <>
          <ApiExample operation="listStudyMembers" input={which} />
          <DialogButton variant="primary" renderDialog={(close) => <Invite study={study} onClose={close} />}>
            Invite member
          </DialogButton>
        </>
      }
    >
      {study.mode === 'project_members' && (
        <Note>
          Access is currently limited to project members. Change access on the Overview tab to admit invited
          people.
        </Note>
      )}
      <QueryTable
        of={members}
        lines={3}
        title="No invited people"
        label="Invited people"
        columns={columnsOf(study)}
      >
        Invited people get a personal link, need no account, and are identified by email.
      </QueryTable>
    </Section>
  );
}

function columnsOf(study: Study): Column<Member>[] {
  return [
    { name: 'Email', main: true, cell: ({ email }) => email },
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
  const input = { projectId: study.projectId, studyId: study.id, memberIdOrEmail: id };
  return (
    <ConfirmButton
      variant="danger"
      label="Remove"
      aria-label={`Remove ${email}`}
      question={`Remove ${email}?`}
      write={() => api.removeStudyMember(input)}
      says={`${email} removed`}
      example={<ApiExample operation="removeStudyMember" input={input} />}
    >
      <p>{email} loses access immediately. Other visits end and reconnect automatically.</p>
      {study.mode === 'anyone_with_link' && (
        <p>Anyone with the link has access, so this person can still enter as a guest.</p>
      )}
    </ConfirmButton>
  );
}
