import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askPages } from '../../api/ask.ts';
import { Button, linkClass } from '../../kit/button.tsx';
import { Empty, Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { StateBadge } from '../../kit/state.tsx';
import { Same } from '../../same/same.tsx';
import type { Which } from '../servers/which.ts';
import css from './conformance.module.css';
import { CancelConformance, ConformanceRunView, useConformanceRun } from './run-view.tsx';
import { RunsTable } from './runs-table.tsx';
import { ScoreChart } from './score-chart.tsx';
import { StartConformance } from './start-conformance.tsx';
import { type ConformanceRun, isOpen, stateOfRun } from './words.ts';

const route = '/projects/$projectId/servers/$serverId';
const pollEvery = 3_000;

/** How well the server follows the protocol: the latest run, and the score of those before. */
export function ConformanceTab({ which, overHttp }: { which: Which; overHttp: boolean }) {
  const { start } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const runs = useInfiniteQuery({
    ...askPages('listConformanceRuns', { ...which, limit: 20 }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isOpen)) ? pollEvery : false,
  });
  const items = runs.data?.pages.flatMap((page) => page.items) ?? [];
  const ask = (open: boolean): void =>
    void navigate({ search: { tab: 'conformance', ...(open && { start: true }) }, replace: true });
  const begin = overHttp && (
    <Button look="primary" onClick={() => ask(true)}>
      Check conformance
    </Button>
  );
  const latest = items[0];
  // Read more often than the list, which is not to say something older below it.
  const run = useConformanceRun(which.projectId, latest?.id);
  const known = items.map((one) => (one.id === run.data?.id ? run.data : one));
  return (
    <>
      {runs.isPending && <Skeleton lines={6} />}
      {runs.isError && <Problem error={runs.error} retry={() => void runs.refetch()} />}
      {runs.isSuccess && !latest && (
        <Empty title="Not checked yet" action={begin}>
          {overHttp
            ? 'A run asks the server what the protocol demands of it, and says which checks failed.'
            : 'The suite talks to servers over HTTP, and this one is a command. What other runners find is shown here when they report it.'}
        </Empty>
      )}
      {run.isError && <Problem error={run.error} retry={() => void run.refetch()} />}
      {latest && <Latest run={run.data ?? latest} begin={begin} />}
      {items.length > 0 && (
        <Section title="Runs" actions={<Same operation="listConformanceRuns" input={which} />}>
          {!overHttp && <Note>This server is a command, so that its runs are made elsewhere.</Note>}
          <ScoreChart runs={known} />
          <RunsTable runs={known} />
          {runs.hasNextPage && (
            <div>
              <Button busy={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
                Show earlier ones
              </Button>
            </div>
          )}
        </Section>
      )}
      {start && overHttp && <StartConformance which={which} onClose={() => ask(false)} />}
    </>
  );
}

function Latest({ run, begin }: { run: ConformanceRun; begin: ReactNode }) {
  const { projectId, id: runId } = run;
  return (
    <Section
      title={
        <span className={css.head}>
          Latest run <StateBadge state={stateOfRun(run)} />
        </span>
      }
      actions={
        <>
          <Link
            to="/projects/$projectId/conformance/$runId"
            params={{ projectId, runId }}
            className={linkClass}
          >
            Open run
          </Link>
          {isOpen(run) && run.hosted ? <CancelConformance run={run} /> : begin}
        </>
      }
    >
      <ConformanceRunView run={run} />
    </Section>
  );
}
