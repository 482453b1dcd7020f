import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ConsoleOutput } from '../../../../client/console.ts';
import { answersOf, askPeople } from '../../api/ask.ts';
import { people } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import css from './account.module.css';
import { browserName } from './browser-name.ts';

type Session = ConsoleOutput<'listMySessions'>['items'][number];

const ways: Record<Session['way'], string> = {
  password: 'password',
  link: 'a link',
  oidc: 'OpenID Connect',
};

/** Where one is signed in. */
export function Sessions() {
  const sessions = useQuery(askPeople('listMySessions', {}));
  return (
    <Section title="Sessions">
      {sessions.isPending && <Skeleton lines={3} />}
      {sessions.isError && <Problem error={sessions.error} retry={() => void sessions.refetch()} />}
      {sessions.data && (
        <Table label="Sessions" columns={columns} rows={sessions.data.items} keyOf={({ id }) => id} />
      )}
      <Note>Somebody else in this list? End that session and change your password.</Note>
    </Section>
  );
}

const columns: Column<Session>[] = [
  {
    name: 'Browser',
    main: true,
    cell: ({ userAgent }) => <span title={userAgent ?? undefined}>{browserName(userAgent)}</span>,
  },
  { name: 'Address', cell: ({ address }) => <code className={css.agent}>{address}</code> },
  { name: 'Began with', cell: ({ way }) => ways[way] },
  { name: 'Began', figure: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Last seen', figure: true, cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
  { name: 'Ends unless used', figure: true, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  {
    name: 'Actions',
    figure: true,
    cell: (session) =>
      session.current ? <StateMark state="passed">this one</StateMark> : <EndSession session={session} />,
  },
];

function EndSession({ session }: { session: Session }) {
  const queryClient = useQueryClient();
  const ending = useMutation({
    mutationFn: () => people.endSession({ signInId: session.id }),
    onSuccess: async () => {
      say('Session ended');
      await queryClient.invalidateQueries(answersOf('listMySessions'));
    },
    onError: complain,
  });
  return (
    <Button
      look="danger"
      busy={ending.isPending}
      onClick={() => ending.mutate()}
      aria-label={`End the session of ${browserName(session.userAgent)} at ${session.address}`}
    >
      End session
    </Button>
  );
}
