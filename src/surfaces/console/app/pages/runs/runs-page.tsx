import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { runStatuses } from '../../../../../contract/run-statuses.ts';
import { runResults } from '../../addresses.ts';
import { ask, askPages, type Output, useInfiniteQuery, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Rate } from '../../charts/rate.tsx';
import { Button, linkClass } from '../../kit/button.tsx';
import { Select } from '../../kit/field.tsx';
import { Empty } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { StateMark, wordFor } from '../../kit/state.tsx';
import { type Column, Progress, QueryTable } from '../../kit/table.tsx';
import { duration, Time } from '../../kit/time.tsx';
import css from './runs.module.css';
import { isOpen, modelText, starterText, stateOfRun } from './states.ts';

type Run = Output<'listEvalRuns'>['items'][number];

/** Poll interval in milliseconds while a run is in progress. */
const pollEvery = 5_000;

export function RunsPage() {
  const { projectId } = useParams({ from: '/projects/$projectId/runs' });
  const { suite, result, status } = useSearch({ from: '/projects/$projectId/runs' });
  const navigate = useNavigate({ from: '/projects/$projectId/runs' });
  const suites = useQuery(ask('listEvalSuites', { projectId }));
  const input = { projectId, suiteId: suite, result, status, limit: 50 };
  const runs = useInfiniteQuery({
    ...askPages('listEvalRuns', input),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isOpen)) ? pollEvery : false,
  });
  const names = new Map(suites.data?.items.map(({ id, name }) => [id, name ?? id]));
  const filtered = suite !== undefined || result !== undefined || status !== undefined;
  const set = (changed: Record<string, string>): void =>
    void navigate({
      search: (before) => ({
        ...before,
        ...Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, value || undefined])),
      }),
      replace: true,
    });
  return (
    <Page title="Runs" actions={<ApiExample operation="listEvalRuns" input={input} />}>
      <search className={css.filters}>
        <Select
          aria-label="Suite"
          value={suite ?? ''}
          onChange={(event) => set({ suite: event.target.value })}
          options={[['', 'Any suite'], ...[...names].map(([id, name]) => [id, name] as const)]}
        />
        <Select
          aria-label="Result"
          value={result ?? ''}
          onChange={(event) => set({ result: event.target.value })}
          options={[['', 'Any result'], ...runResults.map((one) => [one, one] as const)]}
        />
        <Select
          aria-label="Status"
          value={status ?? ''}
          onChange={(event) => set({ status: event.target.value })}
          options={[['', 'Any status'], ...runStatuses.map((one) => [one, statusText(one)] as const)]}
        />
        {filtered && (
          <Button variant="quiet" onClick={() => set({ suite: '', result: '', status: '' })}>
            Show all
          </Button>
        )}
      </search>
      <QueryTable of={runs} lines={8} label="Runs" columns={columnsOf(projectId, names)}>
        <NoRuns projectId={projectId} filtered={filtered} />
      </QueryTable>
    </Page>
  );
}

function statusText(status: (typeof runStatuses)[number]): string {
  return status === 'pending' ? wordFor(status) : status.replace('_', ' ');
}

function NoRuns({ projectId, filtered }: { projectId: string; filtered: boolean }) {
  if (filtered) return <Empty title="No matching runs">Remove a filter.</Empty>;
  return (
    <Empty
      title="No runs yet"
      action={
        <Link to="/projects/$projectId/suites" params={{ projectId }} className={linkClass}>
          Select suite
        </Link>
      }
    >
      A run tries every case of a suite several times and reports how often it passed.
    </Empty>
  );
}

function columnsOf(projectId: string, names: Map<string, string>): Column<Run>[] {
  return [
    {
      name: 'Run',
      main: true,
      cell: (run) => (
        <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: run.id }}>
          {names.get(run.suiteId) ?? 'Suite'} #{run.runNumber}
        </Link>
      ),
    },
    {
      name: 'Result',
      cell: (run) => (
        <>
          <StateMark state={stateOfRun(run)} />
          {run.result === 'passed' && run.warnings && <span className={css.soft}> with warnings</span>}
        </>
      ),
    },
    {
      name: 'Trials passed',
      cell: ({ summary, progress, status }) =>
        summary && !isOpen({ status }) ? (
          summary.passRate === undefined ? (
            <span className={css.soft}>
              {summary.passed} of {summary.total}, {summary.notRun} not run
            </span>
          ) : (
            <Rate passed={summary.passed} trials={summary.total} />
          )
        ) : (
          <Progress ended={progress.finished} total={progress.trials} noun="trials" />
        ),
    },
    { name: 'Model', cell: modelText },
    { name: 'Environment', cell: ({ environment }) => environment?.name },
    { name: 'Started by', cell: (run) => <span className={css.soft}>{starterText(run)}</span> },
    { name: 'Started', figure: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      name: 'Duration',
      figure: true,
      cell: ({ startedAt, completedAt }) =>
        startedAt !== null && completedAt !== null ? duration(completedAt - startedAt) : '',
    },
  ];
}
