import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { useSwarmsOff } from '../../../api/features.ts';
import { ask, useQuery } from '../../../api/index.ts';
import { ApiExample } from '../../../api-example/api-example.tsx';
import { Button, linkClass } from '../../../kit/button.tsx';
import common from '../../../kit/common.module.css';
import { Id } from '../../../kit/copy.tsx';
import { Note, Skeleton } from '../../../kit/notice.tsx';
import { count, counted } from '../../../kit/numbers.ts';
import { Facts, Page } from '../../../kit/page.tsx';
import { QueryError, QueryState } from '../../../kit/query-state.tsx';
import { StateBadge } from '../../../kit/state.tsx';
import { Time } from '../../../kit/time.tsx';
import chat from '../../chat/chat.module.css';
import { type Chosen, Stored } from '../../chat/stored.tsx';
import { TurnTimeline } from '../../chat/turn-timeline.tsx';
import { type JourneyRun, sessionStatusOf } from '../states.ts';
import { SwarmsOff } from '../swarms-off.tsx';
import { Grades } from './grades.tsx';
import css from './session.module.css';
import { useGraded, useTranscript } from './use-session.ts';

const route = '/projects/$projectId/swarms/runs/$journeyRunId/sessions/$sessionId';
/** Exchanges rendered initially, and added by “Show more”. */
const step = 50;

interface SessionRef {
  projectId: string;
  journeyRunId: string;
  sessionId: string;
}

export function SwarmSessionPage() {
  const which = useParams({ from: route });
  const off = useSwarmsOff(which.projectId);
  return off ? <SwarmsOff /> : <SessionView key={which.sessionId} which={which} />;
}

function SessionView({ which }: { which: SessionRef }) {
  const { projectId, journeyRunId, sessionId } = which;
  const run = useQuery(ask('getJourneyRun', { projectId, journeyRunId }));
  const attempts = run.data?.attempts?.filter(({ chatSessionId }) => chatSessionId !== null) ?? [];
  const at = attempts.findIndex(({ chatSessionId }) => chatSessionId === sessionId);
  const [again, setAgain] = useState(false);
  const { query, session } = useGraded(which, again);
  const open =
    session !== undefined &&
    (session.outcome === 'running' ||
      session.outcome === 'pending' ||
      session.verdict?.grading.state === 'running');
  if (open !== again) setAgain(open);
  const crumbs = useCrumbs(projectId, run.data);
  const target = attempts[at] && targetName(run.data, attempts[at]);
  const name = `Session${at < 0 ? '' : ` ${(attempts[at]?.sessionIndex ?? 0) + 1}`}${target === undefined ? '' : ` with ${target}`}`;
  const shownStatus =
    session &&
    sessionStatusOf(
      { status: session.outcome ?? 'pending', errorCode: attempts[at]?.errorCode ?? null },
      session.verdict,
    );
  const lost = query.isSuccess && !session && !query.hasNextPage && !query.isFetching;
  return (
    <Page
      title={name}
      crumbs={crumbs}
      mark={shownStatus && <StateBadge state={shownStatus.state}>{shownStatus.word}</StateBadge>}
      actions={
        <>
          <ApiExample operation="listJourneyRunSessions" input={{ projectId, journeyRunId }} />
          <Neighbour which={which} sessionId={attempts[at - 1]?.chatSessionId} word="Previous" />
          <Neighbour
            which={which}
            sessionId={at < 0 ? undefined : attempts[at + 1]?.chatSessionId}
            word="Next"
          />
        </>
      }
    >
      <QueryError of={query} />
      {lost && <Note>Session not found in this run.</Note>}
      <Facts
        facts={[
          ['ID', <Id key="id" value={sessionId} />],
          ['Persona', session?.personaLabel],
          ['Model', session?.modelId],
          ['Messages', session && count(session.messageCount)],
          ['Started', session?.startedAt == null ? undefined : <Time key="began" at={session.startedAt} />],
          ['Error', attempts[at]?.errorMessage],
        ]}
      />
      <Sides
        which={which}
        again={again}
        speaker={session?.personaLabel ?? run.data?.persona?.name ?? 'Persona'}
      >
        {session ? <Graded projectId={projectId} run={run.data} session={session} /> : <Skeleton lines={4} />}
      </Sides>
    </Page>
  );
}

function useCrumbs(projectId: string, run: JourneyRun | undefined) {
  return [
    <Link key="swarms" to="/projects/$projectId/swarms" params={{ projectId }}>
      Swarms
    </Link>,
    ...(run
      ? [
          <Link
            key="run"
            to="/projects/$projectId/swarms/runs/$journeyRunId"
            params={{ projectId, journeyRunId: run.id }}
          >
            Run
          </Link>,
        ]
      : []),
  ];
}

function targetName(
  run: JourneyRun | undefined,
  { targetId, hostId }: { targetId: string | null; hostId: string },
): string | undefined {
  const target = run?.targets.find((one) => (one.targetId ?? one.hostId) === (targetId ?? hostId));
  return target?.environmentName ?? target?.hostName;
}

function Neighbour({
  which: { projectId, journeyRunId },
  sessionId,
  word,
}: {
  which: SessionRef;
  sessionId: string | null | undefined;
  word: string;
}) {
  if (sessionId == null) return <Button disabled>{word}</Button>;
  return (
    <Link to={route} params={{ projectId, journeyRunId, sessionId }} className={linkClass}>
      {word}
    </Link>
  );
}

/** Grades, with the criterion labels of the run's scorecard. */
function Graded({
  projectId,
  run,
  session,
}: {
  projectId: string;
  run: JourneyRun | undefined;
  session: Parameters<typeof Grades>[0]['session'];
}) {
  const card = useQuery({
    ...ask('getJourneyRunScorecard', { projectId, journeyRunId: run?.id ?? '' }),
    enabled: run !== undefined && session.criteria !== undefined,
  });
  const labels = new Map(card.data?.criteria.map(({ id, label }) => [id, label ?? id]));
  return <Grades session={session} labels={labels} />;
}

function Sides({
  which,
  again,
  speaker,
  children,
}: {
  which: SessionRef;
  again: boolean;
  speaker: string;
  children: React.ReactNode;
}) {
  const { turn, span } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const { messages, entries } = useTranscript(which, again);
  const [most, setMost] = useState(step);
  // Defaults to the first turn that has spans.
  const shownTurn = turn ?? entries.find((entry) => (entry.turn?.spanCount ?? 0) > 0)?.turn?.turnId;
  const chosen = useMemo(() => ({ turn: shownTurn, span }), [shownTurn, span]);
  const choose = useCallback(
    (next: Chosen) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false }),
    [navigate],
  );
  const shown = useMemo(() => entries.slice(0, most), [entries, most]);
  const place = entries.findIndex((entry) => entry.turn?.turnId === shownTurn);
  return (
    <div className={css.sides}>
      <div className={common.panel}>
        <QueryState of={messages} lines={8} empty={entries.length === 0}>
          <Note>No messages yet.</Note>
        </QueryState>
        <ol className={chat.conversation} aria-label="Transcript">
          <Stored
            sessionId={which.sessionId}
            entries={shown}
            speaker={speaker}
            beside
            chosen={chosen}
            choose={choose}
          />
        </ol>
        {entries.length > most && (
          <div>
            <Button onClick={() => setMost(most + step)}>
              Show more ({counted(entries.length - most, 'exchange')})
            </Button>
          </div>
        )}
      </div>
      <div className={css.aside}>
        {children}
        {shownTurn !== undefined && (
          <section className={css.trace} aria-label="Trace">
            <h2>Trace{place < 0 ? '' : ` of message ${place + 1}`}</h2>
            <TurnTimeline
              sessionId={which.sessionId}
              turnId={shownTurn}
              chosen={span}
              onChoose={(next) => choose({ turn: shownTurn, span: next })}
            />
          </section>
        )}
      </div>
    </div>
  );
}
