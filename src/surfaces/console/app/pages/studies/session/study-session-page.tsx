import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useStudiesOff } from '../../../api/features.ts';
import { ask, useInfiniteQuery, useQuery } from '../../../api/index.ts';
import { partFrom } from '../../../api/parts.ts';
import { ApiExample } from '../../../api-example/api-example.tsx';
import { Button } from '../../../kit/button.tsx';
import { Id } from '../../../kit/copy.tsx';
import { Note } from '../../../kit/notice.tsx';
import { count } from '../../../kit/numbers.ts';
import { Facts, Page } from '../../../kit/page.tsx';
import { QueryState, ShowMore } from '../../../kit/query-state.tsx';
import { StateMark } from '../../../kit/state.tsx';
import { Time } from '../../../kit/time.tsx';
import { Rating } from '../rating.tsx';
import { visitorText } from '../session-labels.ts';
import { StudiesOff } from '../studies-off.tsx';
import type { MadeCase } from './make-case.tsx';
import { type SessionRef, Transcript, transcriptOf } from './transcript.tsx';

const MakeCase = partFrom(() => import('./make-case.tsx'), 'MakeCase');

const route = '/projects/$projectId/studies/$studyId/sessions/$sessionId';

export function StudySessionPage() {
  const which = useParams({ from: route });
  const off = useStudiesOff(which.projectId);
  // Each session starts with fresh state.
  return off ? <StudiesOff /> : <SessionView key={which.sessionId} which={which} />;
}

function SessionView({ which }: { which: SessionRef }) {
  const { projectId, studyId, sessionId } = which;
  const study = useQuery(ask('getStudy', { projectId, studyId }));
  const talk = useInfiniteQuery(transcriptOf(which));
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<MadeCase>();
  const [first] = talk.data?.pages ?? [];

  const messages = talk.data?.pages.flatMap((page) => page.messages) ?? [];
  const back = (
    <Link
      to="/projects/$projectId/studies/$studyId"
      params={{ projectId, studyId }}
      search={{ tab: 'sessions' }}
    >
      {study.data?.name ?? 'Study'}
    </Link>
  );
  return (
    <Page
      title="Session"
      crumbs={[
        <Link key="studies" to="/projects/$projectId/studies" params={{ projectId }}>
          Studies
        </Link>,
        back,
      ]}
      actions={
        <>
          <ApiExample operation="getStudySession" input={which} />
          <Button variant="primary" disabled={!first} onClick={() => setMaking(true)}>
            Create eval case
          </Button>
        </>
      }
    >
      {made && (
        <p role="status">
          <StateMark state="passed">Created case</StateMark>{' '}
          <Link
            to="/projects/$projectId/suites/$suiteId"
            params={{ projectId, suiteId: made.suiteId }}
            search={{ case: made.caseId }}
            dir="auto"
          >
            {made.title}
          </Link>
        </p>
      )}
      <QueryState of={talk} lines={8} back={back} />
      {first && (
        <Facts
          facts={[
            ['ID', <Id key="id" value={sessionId} />],
            ['Visitor', visitorText(first)],
            [
              'Rating',
              first.feedback.rating === null ? undefined : <Rating key="thumb" feedback={first.feedback} />,
            ],
            ['Model', first.modelId],
            ['Messages', first.messageCount === null ? undefined : count(first.messageCount)],
            ['Started', first.startedAt === null ? undefined : <Time key="began" at={first.startedAt} />],
            [
              'Last active',
              first.lastActivityAt === null ? undefined : <Time key="active" at={first.lastActivityAt} />,
            ],
          ]}
        />
      )}
      {first?.transcriptUnavailable && <Note>The session is too long to show in full.</Note>}
      {first && messages.length === 0 && !first.transcriptUnavailable && (
        <Note>No message was answered, so no transcript was stored.</Note>
      )}
      {messages.length > 0 && (
        <Transcript messages={messages} visitor={first?.visitor.displayName ?? 'Visitor'} />
      )}
      <ShowMore of={talk} />
      {making && <MakeCase which={which} onMade={setMade} onClose={() => setMaking(false)} />}
    </Page>
  );
}
