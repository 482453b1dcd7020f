import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ServerSearch } from '../../addresses.ts';
import { askPages, useInfiniteQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { QueryState, ShowMore } from '../../kit/query-state.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import type { ServerRef } from '../servers/address.ts';
import { directories, isOpen, type ReadinessRun, stateOf } from './labels.ts';
import { ReadinessRunView, useReadinessRun } from './run-view.tsx';
import { StartReadiness } from './start-readiness.tsx';

const route = '/projects/$projectId/servers/$serverId';
/** Poll interval in milliseconds while a run is in progress. */
const pollEvery = 3_000;

/** Directory readiness of the server: starts runs, and shows their checklist and earlier runs. */
export function ReadinessTab({ which, overHttp }: { which: ServerRef; overHttp: boolean }) {
  const { run: named, start } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const runs = useInfiniteQuery({
    ...askPages('listReadinessRuns', { ...which, limit: 20 }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isOpen)) ? pollEvery : false,
  });
  const items = runs.data?.items ?? [];
  const shown = named ?? items[0]?.id;
  // Polled more often than the list, whose entry for this run may be outdated.
  const { data: fresh } = useReadinessRun(which.projectId, shown);
  const known = items.map((one) => (one.id === fresh?.id ? fresh : one));
  const go = (changed: ServerSearch): void =>
    void navigate({
      search: { tab: 'readiness', run: named, ...changed },
      replace: changed.run === undefined,
    });
  const begin = (
    <Button variant="primary" onClick={() => go({ start: true })}>
      Check readiness
    </Button>
  );
  if (!overHttp && items.length === 0)
    return <Note>Directories list only HTTP servers. This server is a command.</Note>;
  return (
    <>
      <QueryState of={runs} lines={6} empty={shown === undefined} title="Not checked yet" action={begin}>
        Claude and OpenAI review servers against directory rules before listing them. A run checks the same
        rules and tells you how to fix each one that fails.
      </QueryState>
      {shown !== undefined && (
        <ReadinessRunView projectId={which.projectId} runId={shown} again={overHttp ? begin : undefined} />
      )}
      {items.length > 0 && (
        <Section title="Runs" actions={<ApiExample operation="listReadinessRuns" input={which} />}>
          <Table label="Readiness runs" columns={columnsOf(which, shown)} rows={known} />
          <ShowMore of={runs}>Show more</ShowMore>
        </Section>
      )}
      {start && overHttp && runs.isSuccess && (
        <StartReadiness
          which={which}
          before={items.find(({ id }) => id === shown)}
          onStarted={(run) => go({ run, start: undefined })}
          onClose={() => go({ start: undefined })}
        />
      )}
    </>
  );
}

function columnsOf(which: ServerRef, shown: string | undefined): Column<ReadinessRun>[] {
  return [
    {
      name: 'Started',
      main: true,
      cell: ({ id, createdAt }) => (
        <Link
          to={route}
          params={which}
          search={{ tab: 'readiness', run: id }}
          aria-current={id === shown ? 'true' : undefined}
        >
          <Time at={createdAt} />
        </Link>
      ),
    },
    {
      name: 'Result',
      cell: (run) => {
        const { state, word } = stateOf(run);
        return <StateMark state={state}>{word}</StateMark>;
      },
    },
    { name: 'Directory', cell: ({ readinessKind }) => directories[readinessKind] },
    { name: 'Selected', cell: ({ id }) => id === shown && 'above' },
    { name: 'Rules as of', figure: true, cell: ({ policySnapshotDate }) => policySnapshotDate },
  ];
}
