import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ServerSearch } from '../../addresses.ts';
import { askPages } from '../../api/ask.ts';
import { Button } from '../../kit/button.tsx';
import { Empty, Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { Same } from '../../same/same.tsx';
import type { Which } from '../servers/which.ts';
import { ReadinessRunView, useReadinessRun } from './run-view.tsx';
import { StartReadiness } from './start-readiness.tsx';
import { directories, isOpen, type ReadinessRun, stateOf } from './words.ts';

const route = '/projects/$projectId/servers/$serverId';
const pollEvery = 3_000;

/** Whether a directory would take the server: a run that finds it out, as a checklist, and those before. */
export function ReadinessTab({ which, overHttp }: { which: Which; overHttp: boolean }) {
  const { run: named, start } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const runs = useInfiniteQuery({
    ...askPages('listReadinessRuns', { ...which, limit: 20 }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isOpen)) ? pollEvery : false,
  });
  const items = runs.data?.pages.flatMap((page) => page.items) ?? [];
  const shown = named ?? items[0]?.id;
  // The one that is shown is read more often than the list, which is not to say something older below it.
  const { data: fresh } = useReadinessRun(which.projectId, shown);
  const known = items.map((one) => (one.id === fresh?.id ? fresh : one));
  const go = (changed: ServerSearch): void =>
    void navigate({
      search: { tab: 'readiness', run: named, ...changed },
      replace: changed.run === undefined,
    });
  const begin = (
    <Button look="primary" onClick={() => go({ start: true })}>
      Check readiness
    </Button>
  );
  if (!overHttp && items.length === 0)
    return <Note>Directories list servers that are reached over HTTP. This one is a command.</Note>;
  return (
    <>
      {runs.isPending && <Skeleton lines={6} />}
      {runs.isError && <Problem error={runs.error} retry={() => void runs.refetch()} />}
      {runs.isSuccess && shown === undefined && (
        <Empty title="Not checked yet" action={begin}>
          Before a server is taken into the directory of Claude or of OpenAI, people there hold it against a
          list of rules. A run does the same beforehand, and says what to do about each rule that is broken.
        </Empty>
      )}
      {shown !== undefined && (
        <ReadinessRunView projectId={which.projectId} runId={shown} again={overHttp ? begin : undefined} />
      )}
      {items.length > 0 && (
        <Section title="Runs" actions={<Same operation="listReadinessRuns" input={which} />}>
          <Table
            label="Readiness runs"
            columns={columnsOf(which, shown)}
            rows={known}
            keyOf={({ id }) => id}
          />
          {runs.hasNextPage && (
            <div>
              <Button busy={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
                Show earlier ones
              </Button>
            </div>
          )}
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

function columnsOf(which: Which, shown: string | undefined): Column<ReadinessRun>[] {
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
    { name: 'Shown', cell: ({ id }) => id === shown && 'above' },
    { name: 'Rules of', figure: true, cell: ({ policySnapshotDate }) => policySnapshotDate },
  ];
}
