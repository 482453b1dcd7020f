import { askPeople, type ConsoleOutput, people, useAction, useQuery } from '../../api/index.ts';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { browserName } from './browser-name.ts';

type Session = ConsoleOutput<'listMySessions'>['items'][number];

const signInLabels: Record<Session['way'], string> = {
  password: 'password',
  link: 'a one-time link',
  oidc: 'OpenID Connect',
};

export function Sessions() {
  const sessions = useQuery(askPeople('listMySessions', {}));
  return (
    <Section title="Sessions">
      <QueryState of={sessions} lines={3} />
      {sessions.data && <Table label="Sessions" columns={columns} rows={sessions.data.items} />}
      <Note>If you do not recognize a session, end it and change your password.</Note>
    </Section>
  );
}

const columns: Column<Session>[] = [
  {
    name: 'Browser',
    main: true,
    cell: ({ userAgent }) => <span title={userAgent ?? undefined}>{browserName(userAgent)}</span>,
  },
  { name: 'IP address', cell: ({ address }) => <code className={common.softText}>{address}</code> },
  { name: 'Signed in with', cell: ({ way }) => signInLabels[way] },
  { name: 'Signed in', figure: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Last seen', figure: true, cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
  { name: 'Expires', figure: true, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  {
    name: 'Actions',
    figure: true,
    cell: (session) =>
      session.current ? <StateMark state="passed">this session</StateMark> : <EndSession session={session} />,
  },
];

function EndSession({ session }: { session: Session }) {
  const ending = useAction(() => people.endSession({ signInId: session.id }), { says: 'Session ended' });
  return (
    <Button
      variant="danger"
      action={ending}
      aria-label={`End the session of ${browserName(session.userAgent)} at ${session.address}`}
    >
      End session
    </Button>
  );
}
