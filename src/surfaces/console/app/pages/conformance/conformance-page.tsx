import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { askPages } from '../../api/ask.ts';
import { Button, linkClass } from '../../kit/button.tsx';
import { Empty, Problem, Skeleton } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { Same } from '../../same/same.tsx';
import { RunsTable } from './runs-table.tsx';
import { isOpen } from './words.ts';

const pollEvery = 5_000;

/** Every conformance run of the project, those of servers that are not saved here too. */
export function ConformancePage() {
  const { projectId } = useParams({ from: '/projects/$projectId/conformance' });
  const runs = useInfiniteQuery({
    ...askPages('listConformanceRuns', { projectId }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isOpen)) ? pollEvery : false,
  });
  const items = runs.data?.pages.flatMap((page) => page.items) ?? [];
  const servers = (
    <Link to="/projects/$projectId/servers" params={{ projectId }}>
      Servers
    </Link>
  );
  return (
    <Page
      title="Conformance runs"
      name="Conformance runs"
      crumbs={[servers]}
      actions={<Same operation="listConformanceRuns" input={{ projectId }} />}
    >
      {runs.isPending && <Skeleton lines={6} />}
      {runs.isError && <Problem error={runs.error} retry={() => void runs.refetch()} />}
      {runs.isSuccess && items.length === 0 && (
        <Empty
          title="No conformance run yet"
          action={
            <Link to="/projects/$projectId/servers" params={{ projectId }} className={linkClass}>
              Choose a server
            </Link>
          }
        >
          Start one on the page of a server, or report what ran elsewhere with{' '}
          <code>drydock conformance-ingest report</code>.
        </Empty>
      )}
      {items.length > 0 && <RunsTable runs={items} named />}
      {runs.hasNextPage && (
        <div>
          <Button busy={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
            Show earlier ones
          </Button>
        </div>
      )}
    </Page>
  );
}
