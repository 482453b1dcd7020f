import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useSwarmsOff } from '../../../api/features.ts';
import { api, ask, useQuery } from '../../../api/index.ts';
import { partFrom } from '../../../api/parts.ts';
import { ApiExample } from '../../../api-example/api-example.tsx';
import { Rate } from '../../../charts/rate.tsx';
import common from '../../../kit/common.module.css';
import { ConfirmButton } from '../../../kit/confirm.tsx';
import { Id } from '../../../kit/copy.tsx';
import { LiveMark } from '../../../kit/live-mark.tsx';
import { Skeleton } from '../../../kit/notice.tsx';
import { counted } from '../../../kit/numbers.ts';
import { Facts, Page, Section } from '../../../kit/page.tsx';
import { LoadingPage } from '../../../kit/query-state.tsx';
import { StateBadge } from '../../../kit/state.tsx';
import { duration, Time } from '../../../kit/time.tsx';
import {
  decisionReasons,
  endedOf,
  isUnderWay,
  type JourneyRun,
  outcomeSentence,
  stateOfJourneyRun,
  summaryText,
} from '../states.ts';
import { SwarmsOff } from '../swarms-off.tsx';
import { Board, Legend } from './board.tsx';
import { rowsOf } from './rows.ts';
import { useLiveUpdates } from './use-live-updates.ts';

const loading = () => <Skeleton lines={3} />;
const Scorecard = partFrom(() => import('./scorecard.tsx'), 'Scorecard', loading);
const Insights = partFrom(() => import('./insights.tsx'), 'Insights', loading);

const route = '/projects/$projectId/swarms/runs/$journeyRunId';
/** Poll interval in milliseconds, for changes that events do not report. */
const pollEvery = 15_000;

export function JourneyRunPage() {
  const which = useParams({ from: route });
  const { projectId } = which;
  const off = useSwarmsOff(projectId);
  const query = useQuery({
    ...ask('getJourneyRun', which),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? pollEvery : false),
  });
  const run = query.data;
  const journey = useQuery({
    ...ask('getJourney', { projectId, journeyId: run?.journeyId ?? '' }),
    enabled: run !== undefined,
  });
  const list = (
    <Link to="/projects/$projectId/swarms" params={{ projectId }}>
      Swarms
    </Link>
  );
  if (off) return <SwarmsOff />;
  if (!run) return <LoadingPage of={query} title="Run" crumbs={[list]} lines={10} />;
  const title = journey.data?.name ?? 'Run of a journey';
  const above = journey.data && (
    <Link
      to="/projects/$projectId/swarms/journeys/$journeyId"
      params={{ projectId, journeyId: run.journeyId }}
    >
      {journey.data.name}
    </Link>
  );
  return (
    <Page
      title={title}
      name={`Run of ${title}`}
      crumbs={[list, ...(above ? [above] : [])]}
      mark={<StateBadge state={stateOfJourneyRun(run)} />}
      actions={
        <>
          <ApiExample operation="getJourneyRun" input={which} />
          {run.status === 'running' && <CancelRun run={run} />}
        </>
      }
    >
      <RunBody key={run.id} run={run} />
    </Page>
  );
}

function RunBody({ run }: { run: JourneyRun }) {
  const which = { projectId: run.projectId, journeyRunId: run.id };
  const underWay = isUnderWay(run);
  const { sessions, summary, live } = useLiveUpdates(which, underWay);
  const rows = useMemo(() => rowsOf(run, sessions), [run, sessions]);
  // The summary with more ended sessions is the newer one.
  const furthest = summary && endedOf(summary) > endedOf(run.summary) ? summary : run.summary;
  const shown = { ...run, summary: furthest };
  const { passed = 0, failed = 0 } = run.report?.goalGrading ?? {};
  return (
    <>
      <div className={common.tightColumn}>
        <p className={common.sentence} aria-live="polite">
          {outcomeSentence(shown)}
        </p>
        {decisionReasons(run).map((reason) => (
          <p key={reason}>{reason}</p>
        ))}
        {run.error !== undefined && !run.canceled && !run.stale && <p dir="auto">{run.error}</p>}
        {!underWay && passed + failed > 0 && (
          <p className={common.row}>
            <Rate passed={passed} trials={passed + failed} /> graded sessions passed
          </p>
        )}
        {underWay && (
          <div className={common.row}>
            <progress
              className={common.wideProgress}
              max={furthest.total}
              value={endedOf(furthest)}
              aria-label="Completed sessions"
            />
            <LiveMark live={live} />
          </div>
        )}
      </div>
      <RunFacts run={shown} />
      <Section title="Sessions" actions={<ApiExample operation="watchJourneyRun" input={which} />}>
        <Board {...which} rows={rows} />
        <Legend rows={rows} />
      </Section>
      {(run.report?.observations.length ?? 0) > 0 && <Scorecard {...which} />}
      {!underWay && <Insights run={run} />}
    </>
  );
}

function RunFacts({ run }: { run: JourneyRun }) {
  const { id, projectId, journeyId, persona, waveId, createdAt, completedAt, summary } = run;
  return (
    <Facts
      facts={[
        ['ID', <Id key="id" value={id} />],
        [
          'Journey',
          <Link
            key="journey"
            to="/projects/$projectId/swarms/journeys/$journeyId"
            params={{ projectId, journeyId }}
          >
            Goal and runs
          </Link>,
        ],
        ['Persona', [persona?.name, persona?.role].filter(Boolean).join(', ')],
        ['Wave', waveId === id ? undefined : waveId],
        ['Launched', <Time key="launched" at={createdAt} />],
        ['Duration', completedAt === undefined ? undefined : duration(completedAt - createdAt)],
        ['Sessions', run.status === 'running' ? undefined : summaryText(summary)],
      ]}
    />
  );
}

function CancelRun({ run: { projectId, id: journeyRunId, summary } }: { run: JourneyRun }) {
  const input = { projectId, journeyRunId };
  return (
    <ConfirmButton
      label="Cancel run"
      question="Cancel this run?"
      keep="Keep running"
      write={() => api.cancelJourneyRun(input)}
      says="Run cancelled"
      example={<ApiExample operation="cancelJourneyRun" input={input} />}
    >
      <p>
        {counted(summary.total - endedOf(summary), 'session')} will be skipped or stopped. Completed sessions
        keep their transcripts. The run gets no verdict.
      </p>
    </ConfirmButton>
  );
}
