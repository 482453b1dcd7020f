import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askPages, useInfiniteQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button, linkClass } from '../../kit/button.tsx';
import { Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { QueryError, QueryState, ShowMore } from '../../kit/query-state.tsx';
import { StateBadge } from '../../kit/state.tsx';
import type { ServerRef } from '../servers/address.ts';
import css from './conformance.module.css';
import { type ConformanceRun, isOpen, stateOfRun } from './labels.ts';
import { CancelConformance, ConformanceRunView, useConformanceRun } from './run-view.tsx';
import { RunsTable } from './runs-table.tsx';
import { ScoreChart } from './score-chart.tsx';
import { StartConformance } from './start-conformance.tsx';

const route = '/projects/$projectId/servers/$serverId';
/** Poll interval in milliseconds while a run is in progress. */
const pollEvery = 3_000;

/** Protocol conformance of the server: the latest run and the score history. */
export function ConformanceTab({ which, overHttp }: { which: ServerRef; overHttp: boolean }) {
  const { start } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const runs = useInfiniteQuery({
    ...askPages('listConformanceRuns', { ...which, limit: 20 }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isOpen)) ? pollEvery : false,
  });
  const items = runs.data?.items ?? [];
  const ask = (open: boolean): void =>
    void navigate({ search: { tab: 'conformance', ...(open && { start: true }) }, replace: true });
  const begin = overHttp && (
    <Button variant="primary" onClick={() => ask(true)}>
      Run conformance
    </Button>
  );
  const latest = items[0];
  // Polled more often than the list, whose entry for this run may be outdated.
  const run = useConformanceRun(which.projectId, latest?.id);
  const known = items.map((one) => (one.id === run.data?.id ? run.data : one));
  return (
    <>
      <QueryState of={runs} lines={6} empty={!latest} title="Not checked yet" action={begin}>
        {overHttp
          ? 'A run tests the server against the protocol specification and lists the checks that failed.'
          : 'The suite tests servers over HTTP; this one is a command. Runs reported by other runners are shown here.'}
      </QueryState>
      <QueryError of={run} />
      {latest && <Latest run={run.data ?? latest} begin={begin} />}
      {items.length > 0 && (
        <Section title="Runs" actions={<ApiExample operation="listConformanceRuns" input={which} />}>
          {!overHttp && (
            <Note>This server is a command, so its runs are reported by an external runner.</Note>
          )}
          <ScoreChart runs={known} />
          <RunsTable runs={known} />
          <ShowMore of={runs}>Show more</ShowMore>
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
