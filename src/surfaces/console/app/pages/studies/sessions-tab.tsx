import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { askPages } from '../../api/ask.ts';
import { Button } from '../../kit/button.tsx';
import { Empty, Problem, Skeleton } from '../../kit/notice.tsx';
import { count } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { cut } from '../../kit/text.ts';
import { Time } from '../../kit/time.tsx';
import { Same } from '../../same/same.tsx';
import { type StudySession, visitorWords } from './session-words.ts';
import type { Study } from './study.ts';
import { Thumb } from './thumb.tsx';

/** Milliseconds. */
const pollEvery = 5_000;

/** What visitors did, the latest first. */
export function SessionsTab({ study }: { study: Study }) {
  const which = { projectId: study.projectId, studyId: study.id };
  const sessions = useInfiniteQuery({
    ...askPages('listStudySessions', which),
    // Whoever reads back through earlier ones is not moved on.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : pollEvery),
  });
  const items = sessions.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Section title="Sessions" actions={<Same operation="listStudySessions" input={which} />}>
      {sessions.isPending && <Skeleton lines={6} />}
      {sessions.isError && <Problem error={sessions.error} retry={() => void sessions.refetch()} />}
      {sessions.isSuccess && items.length === 0 && (
        <Empty title="Nobody has chatted yet">
          {study.published
            ? 'Hand the link on. What visitors say stands here while they say it.'
            : 'The study is not published, so nobody can.'}
        </Empty>
      )}
      {items.length > 0 && (
        <Table label="Sessions" columns={columnsOf(which)} rows={items} keyOf={({ id }) => id} />
      )}
      {sessions.hasNextPage && (
        <div>
          <Button busy={sessions.isFetchingNextPage} onClick={() => void sessions.fetchNextPage()}>
            Show earlier sessions
          </Button>
        </div>
      )}
    </Section>
  );
}

function columnsOf(which: { projectId: string; studyId: string }): Column<StudySession>[] {
  return [
    {
      name: 'Began with',
      main: true,
      cell: ({ id: sessionId, preview }) => (
        <Link
          to="/projects/$projectId/studies/$studyId/sessions/$sessionId"
          params={{ ...which, sessionId }}
          dir="auto"
        >
          {cut(preview.trim(), 120) || 'no words'}
        </Link>
      ),
    },
    { name: 'Visitor', cell: visitorWords },
    { name: 'Messages', figure: true, cell: ({ messageCount }) => count(messageCount) },
    {
      name: 'Tool calls',
      figure: true,
      cell: ({ toolCallCount = 0, authInterrupted }) => (
        <span>
          {authInterrupted && <StateMark state="attention">a grant was missing</StateMark>}{' '}
          {count(toolCallCount)}
        </span>
      ),
    },
    { name: 'Thumb', cell: ({ feedback }) => <Thumb feedback={feedback} /> },
    { name: 'Active', figure: true, cell: ({ lastActivityAt }) => <Time at={lastActivityAt} /> },
  ];
}
