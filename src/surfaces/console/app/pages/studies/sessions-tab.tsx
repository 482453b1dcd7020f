import { Link } from '@tanstack/react-router';
import { askPages, useInfiniteQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { count } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { cut } from '../../kit/text.ts';
import { Time } from '../../kit/time.tsx';
import { Rating } from './rating.tsx';
import { type StudySession, visitorText } from './session-labels.ts';
import type { Study } from './study.ts';

/** Poll interval in milliseconds. */
const pollEvery = 5_000;

export function SessionsTab({ study }: { study: Study }) {
  const which = { projectId: study.projectId, studyId: study.id };
  const sessions = useInfiniteQuery({
    ...askPages('listStudySessions', which),
    // Polling stops while earlier pages are shown.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : pollEvery),
  });
  return (
    <Section title="Sessions" actions={<ApiExample operation="listStudySessions" input={which} />}>
      <QueryTable of={sessions} lines={6} title="No sessions yet" label="Sessions" columns={columnsOf(which)}>
        {study.published
          ? 'Share the link. Conversations appear here as they happen.'
          : 'The study is not published.'}
      </QueryTable>
    </Section>
  );
}

function columnsOf(which: { projectId: string; studyId: string }): Column<StudySession>[] {
  return [
    {
      name: 'First message',
      main: true,
      cell: ({ id: sessionId, preview }) => (
        <Link
          to="/projects/$projectId/studies/$studyId/sessions/$sessionId"
          params={{ ...which, sessionId }}
          dir="auto"
        >
          {cut(preview.trim(), 120) || 'no text'}
        </Link>
      ),
    },
    { name: 'Visitor', cell: visitorText },
    { name: 'Messages', figure: true, cell: ({ messageCount }) => count(messageCount) },
    {
      name: 'Tool calls',
      figure: true,
      cell: ({ toolCallCount = 0, authInterrupted }) => (
        <span>
          {authInterrupted && <StateMark state="attention">OAuth grant missing</StateMark>}{' '}
          {count(toolCallCount)}
        </span>
      ),
    },
    { name: 'Rating', cell: ({ feedback }) => <Rating feedback={feedback} /> },
    { name: 'Last active', figure: true, cell: ({ lastActivityAt }) => <Time at={lastActivityAt} /> },
  ];
}
