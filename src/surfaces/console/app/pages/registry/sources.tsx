import { ask, type Output, type UseQueryResult, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Fold } from '../../kit/fold.tsx';
import { count, counted } from '../../kit/numbers.ts';
import { QueryError } from '../../kit/query-state.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { cut } from '../../kit/text.ts';
import { Time } from '../../kit/time.tsx';
import css from './registry.module.css';

type Answer = Output<'listRegistryDirectorySources'>;
type Source = Answer['items'][number];

export function useSources(): UseQueryResult<Answer> {
  return useQuery({ ...ask('listRegistryDirectorySources', {}), refetchInterval: 60_000 });
}

/** Sources of the directory, with their last sync and errors. */
export function Sources({ sources }: { sources: UseQueryResult<Answer> }) {
  if (sources.isError) return <QueryError of={sources} />;
  const items = sources.data?.items ?? [];
  if (items.length === 0) return null;
  const listed = items.reduce((sum, { liveCount = 0 }) => sum + liveCount, 0);
  const ill = items.filter(({ lastError }) => lastError !== undefined);
  return (
    <Fold
      summary={
        <>
          {listed > 0 && `${counted(listed, 'server')} from `}
          {counted(items.length, 'source')}
          {ill.length > 0 && (
            <>
              {' '}
              <StateMark state="attention">{counted(ill.length, 'source')} failing to sync</StateMark>
            </>
          )}
        </>
      }
    >
      {() => (
        <div className={css.more}>
          <Table label="Sources" columns={columns} rows={items} keyOf={({ source }) => source} />
          <div>
            <ApiExample operation="listRegistryDirectorySources" input={{}} />
          </div>
        </div>
      )}
    </Fold>
  );
}

const columns: Column<Source>[] = [
  { name: 'Source', main: true, cell: ({ source }) => source },
  {
    name: 'State',
    cell: ({ lastError, lastSyncedAt }) => {
      if (lastError !== undefined) return <StateMark state="attention">sync failed</StateMark>;
      if (lastSyncedAt === undefined) return <StateMark state="pending">not synced yet</StateMark>;
      return <StateMark state="passed">synced</StateMark>;
    },
  },
  {
    name: 'Last error',
    cell: ({ lastError }) => lastError !== undefined && cut(lastError, 500),
  },
  { name: 'Servers', figure: true, cell: ({ liveCount }) => liveCount !== undefined && count(liveCount) },
  {
    name: 'Last successful request',
    figure: true,
    cell: ({ upstreamFetchedAt }) => upstreamFetchedAt !== undefined && <Time at={upstreamFetchedAt} />,
  },
  {
    name: 'Last complete sync',
    figure: true,
    cell: ({ lastSyncedAt }) => (lastSyncedAt === undefined ? 'never' : <Time at={lastSyncedAt} />),
  },
];
