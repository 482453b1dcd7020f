import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../../api/ask.ts';
import { useStudiesOff } from '../../../api/features.ts';
import { partFrom } from '../../../api/parts.ts';
import { Button } from '../../../kit/button.tsx';
import { Id } from '../../../kit/copy.tsx';
import { Note, Problem, Skeleton } from '../../../kit/notice.tsx';
import { count } from '../../../kit/numbers.ts';
import { Facts, Page } from '../../../kit/page.tsx';
import { StateMark } from '../../../kit/state.tsx';
import { Time } from '../../../kit/time.tsx';
import { Same } from '../../../same/same.tsx';
import { visitorWords } from '../session-words.ts';
import { StudiesOff } from '../studies-off.tsx';
import { Thumb } from '../thumb.tsx';
import type { MadeCase } from './make-case.tsx';
import { Transcript, transcriptOf, type Which } from './transcript.tsx';

const MakeCase = partFrom(() => import('./make-case.tsx'), 'MakeCase');

const route = '/projects/$projectId/studies/$studyId/sessions/$sessionId';

export function StudySessionPage() {
  const which = useParams({ from: route });
  const off = useStudiesOff(which.projectId);
  // What was made of one session says nothing about the next.
  return off ? <StudiesOff /> : <SessionView key={which.sessionId} which={which} />;
}

/** What a visitor and the model said to each other. */
function SessionView({ which }: { which: Which }) {
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
      name="Session"
      crumbs={[
        <Link key="studies" to="/projects/$projectId/studies" params={{ projectId }}>
          Studies
        </Link>,
        back,
      ]}
      actions={
        <>
          <Same operation="getStudySession" input={which} />
          <Button look="primary" disabled={!first} onClick={() => setMaking(true)}>
            Make an eval case
          </Button>
        </>
      }
    >
      {made && (
        <p role="status">
          <StateMark state="passed">Made the case</StateMark>{' '}
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
      {talk.isError && <Problem error={talk.error} retry={() => void talk.refetch()} back={back} />}
      {talk.isPending && <Skeleton lines={8} />}
      {first && (
        <Facts
          facts={[
            ['Id', <Id key="id" value={sessionId} />],
            ['Visitor', visitorWords(first)],
            [
              'Thumb',
              first.feedback.rating === null ? undefined : <Thumb key="thumb" feedback={first.feedback} />,
            ],
            ['Model', first.modelId],
            ['Messages', first.messageCount === null ? undefined : count(first.messageCount)],
            ['Began', first.startedAt === null ? undefined : <Time key="began" at={first.startedAt} />],
            [
              'Active',
              first.lastActivityAt === null ? undefined : <Time key="active" at={first.lastActivityAt} />,
            ],
          ]}
        />
      )}
      {first?.transcriptUnavailable && <Note>It is longer than can be shown.</Note>}
      {first && messages.length === 0 && !first.transcriptUnavailable && (
        <Note>No message of it was answered, so nothing of it was kept.</Note>
      )}
      {messages.length > 0 && (
        <Transcript messages={messages} visitor={first?.visitor.displayName ?? 'Visitor'} />
      )}
      {talk.hasNextPage && (
        <div>
          <Button busy={talk.isFetchingNextPage} onClick={() => void talk.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
      {making && <MakeCase which={which} onMade={setMade} onClose={() => setMaking(false)} />}
    </Page>
  );
}
