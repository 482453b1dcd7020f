import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ask, askPages, type Output, useInfiniteQuery, useQuery } from '../../api/index.ts';
import { partFrom } from '../../api/parts.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Rate } from '../../charts/rate.tsx';
import { type Measured, Trend } from '../../charts/trend.tsx';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { count } from '../../kit/numbers.ts';
import { Page } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { scheduleState, stateOfLatest } from './suite-labels.ts';
import css from './suites.module.css';

const MakeSuite = partFrom(() => import('./make-suite.tsx'), 'MakeSuite');
const ImportFile = partFrom(() => import('./import-file.tsx'), 'ImportFile');

type Suite = Output<'listEvalSuites'>['items'][number];

const route = '/projects/$projectId/suites';
const pageSize = 50;

export function SuitesPage() {
  const { projectId } = useParams({ from: route });
  const { make } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const suites = useInfiniteQuery(askPages('listEvalSuites', { projectId, limit: pageSize }));
  // One request for all suites; a suite without a run in the response shows no trend.
  const runs = useQuery(ask('listEvalRuns', { projectId, coverage: 'suite', limit: 100 }));
  const past = pastOf(runs.data?.items ?? []);
  const open = (next: typeof make): void => void navigate({ search: { make: next }, replace: true });
  return (
    <Page
      title="Suites"
      actions={
        <>
          <ApiExample operation="listEvalSuites" input={{ projectId }} />
          <Button onClick={() => open('file')}>Import file</Button>
          <Button variant="primary" onClick={() => open('suite')}>
            New suite
          </Button>
        </>
      }
    >
      <QueryTable
        of={suites}
        lines={6}
        title="No suites yet"
        action={
          <Button variant="primary" onClick={() => open('suite')}>
            New suite
          </Button>
        }
        label="Suites"
        columns={columnsOf(projectId, past)}
      >
        A suite contains cases: what a user says and the checks the result must pass. A run tries each case
        several times.
      </QueryTable>
      {make === 'suite' && <MakeSuite projectId={projectId} onClose={() => open(undefined)} />}
      {make === 'file' && <ImportFile projectId={projectId} onClose={() => open(undefined)} />}
    </Page>
  );
}

/** Past runs by suite, oldest first. */
function pastOf(runs: Output<'listEvalRuns'>['items']): Map<string, Measured[]> {
  const past = new Map<string, Measured[]>();
  for (const { suiteId, summary, completedAt } of runs.toReversed())
    if (summary?.passRate !== undefined && completedAt !== null && summary.total > 0)
      past.set(suiteId, [...(past.get(suiteId) ?? []), { passed: summary.passed, trials: summary.total }]);
  return past;
}

function columnsOf(projectId: string, past: Map<string, Measured[]>): Column<Suite>[] {
  return [
    {
      name: 'Suite',
      main: true,
      cell: ({ id, name }) => (
        <Link to="/projects/$projectId/suites/$suiteId" params={{ projectId, suiteId: id }}>
          {name ?? id}
        </Link>
      ),
    },
    {
      name: 'Cases',
      figure: true,
      cell: ({ caseCount }) => count(caseCount),
    },
    {
      name: 'Last run',
      cell: (suite) => {
        const state = stateOfLatest(suite);
        if (!suite.latestRun || state === undefined) return <span className={common.soft}>never run</span>;
        return (
          <Link
            to="/projects/$projectId/runs/$runId"
            params={{ projectId, runId: suite.latestRun.id }}
            className={css.latest}
          >
            <StateMark state={state} />
            {suite.latestRun.warnings && <span className={common.soft}>with warnings </span>}
            <Time at={suite.latestRun.createdAt} />
          </Link>
        );
      },
    },
    {
      name: 'Trials passed',
      cell: ({ latestRun }) =>
        latestRun && latestRun.passed + latestRun.failed > 0 ? (
          <Rate passed={latestRun.passed} trials={latestRun.passed + latestRun.failed} />
        ) : null,
    },
    { name: 'Trend', cell: ({ id }) => <Trend past={past.get(id)?.slice(-20) ?? []} /> },
    { name: 'Runs', figure: true, cell: ({ totals }) => count(totals.runs) },
    {
      name: 'Schedule',
      cell: (suite) => {
        const { state, words } = scheduleState(suite);
        if (state === 'skipped') return <span className={common.soft}>none</span>;
        return <StateMark state={state}>{words}</StateMark>;
      },
    },
  ];
}
