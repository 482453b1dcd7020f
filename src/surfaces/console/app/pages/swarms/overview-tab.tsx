import { Link } from '@tanstack/react-router';
import { ask, type Output, useQuery } from '../../api/index.ts';
import { Rate } from '../../charts/rate.tsx';
import { linkClass } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { Empty } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { type State, StateMark } from '../../kit/state.tsx';
import { type Column, Progress, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { GoalTrend } from './goal-trend.tsx';
import { endedOf, summaryText } from './states.ts';

type Overview = Output<'getSwarmOverview'>;
type Run = Overview['runs'][number];

/** Poll interval in milliseconds while a run is in progress. */
const pollEvery = 5_000;

export function OverviewTab({ projectId }: { projectId: string }) {
  const overview = useQuery({
    ...ask('getSwarmOverview', { projectId }),
    refetchInterval: ({ state }) =>
      state.data?.runs.some(({ status }) => status === 'running') ? pollEvery : false,
  });
  if (!overview.isSuccess) return <QueryState of={overview} lines={10} />;
  const { runs, goalCompletion } = overview.data;
  if (runs.length === 0) return <NoRuns projectId={projectId} />;
  return (
    <>
      {goalCompletion.trend.length > 0 && <GoalTrend days={goalCompletion.trend} />}
      <Section title="Latest runs">
        <Table
          label="Latest runs of journeys"
          columns={columnsOf(projectId)}
          rows={runs}
          keyOf={({ runId }) => runId}
        />
      </Section>
    </>
  );
}

function NoRuns({ projectId }: { projectId: string }) {
  return (
    <Empty
      title="No journey runs yet"
      action={
        <Link
          to="/projects/$projectId/swarms"
          params={{ projectId }}
          search={{ tab: 'journeys' }}
          className={linkClass}
        >
          Select journey
        </Link>
      }
    >
      A persona describes a user, a journey their goal. In a run, a model plays the persona in many sessions,
      and each is graded.
    </Empty>
  );
}

function statusOf({ status, verdict }: Run): { state: State; word: string | undefined } {
  if (status === 'running') return { state: 'running', word: undefined };
  if (verdict === null) return { state: 'grading', word: undefined };
  if (verdict !== 'notEstablished') return { state: verdict, word: undefined };
  if (status === 'failed') return { state: 'setupFailed', word: 'aborted' };
  if (status === 'rate_limited') return { state: 'timedOut', word: 'stopped by a limit' };
  return { state: 'notEstablished', word: 'not graded' };
}

function columnsOf(projectId: string): Column<Run>[] {
  return [
    {
      name: 'Journey',
      main: true,
      cell: ({ runId, journeyName }) => (
        <Link to="/projects/$projectId/swarms/runs/$journeyRunId" params={{ projectId, journeyRunId: runId }}>
          {journeyName}
        </Link>
      ),
    },
    { name: 'Persona', cell: ({ personaName }) => personaName },
    {
      name: 'Verdict',
      cell: (run) => {
        const { state, word } = statusOf(run);
        return <StateMark state={state}>{word}</StateMark>;
      },
    },
    {
      name: 'Goal reached',
      cell: ({ goalCompletion: goal }) =>
        goal && goal.gradedCount > 0 ? <Rate passed={goal.passedCount} trials={goal.gradedCount} /> : null,
    },
    {
      name: 'Sessions',
      cell: ({ status, summary }) =>
        status === 'running' ? (
          <Progress ended={endedOf(summary)} total={summary.total} noun="sessions" />
        ) : (
          <span className={common.soft}>{summaryText(summary)}</span>
        ),
    },
    { name: 'Recurring failures', cell: (run) => failing(run) },
    {
      name: 'Target',
      cell: ({ targets }) =>
        targets.map(({ hostName, environmentName }) => environmentName ?? hostName).join(', '),
    },
    { name: 'Launched', figure: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
}

/** The criterion with the longest failure streak. */
function failing({ findings }: Run): string {
  const [first] = findings.toSorted((a, b) => b.runStreak - a.runStreak);
  if (!first) return '';
  return `${first.label ?? first.criterionId}${first.runStreak > 1 ? `, ${counted(first.runStreak, 'run')} in a row` : ''}`;
}
