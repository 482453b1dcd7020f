import { Link, useParams } from '@tanstack/react-router';
import { askPages, useInfiniteQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { linkClass } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryState, ShowMore } from '../../kit/query-state.tsx';
import { isOpen } from './labels.ts';
import { RunsTable } from './runs-table.tsx';

/** Poll interval in milliseconds while a run is in progress. */
const pollEvery = 5_000;

/** Every conformance run of the project, including runs of servers that are not saved. */
export function ConformancePage() {
  const { projectId } = useParams({ from: '/projects/$projectId/conformance' });
  const runs = useInfiniteQuery({
    ...askPages('listConformanceRuns', { projectId }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isOpen)) ? pollEvery : false,
  });
  const items = runs.data?.items ?? [];
  const servers = (
    <Link to="/projects/$projectId/servers" params={{ projectId }}>
      Servers
    </Link>
  );
  return (
    <Page
      title="Conformance runs"
      crumbs={[servers]}
      actions={<ApiExample operation="listConformanceRuns" input={{ projectId }} />}
    >
      <QueryState
        of={runs}
        lines={6}
        empty={items.length === 0}
        title="No conformance runs yet"
        action={
          <Link to="/projects/$projectId/servers" params={{ projectId }} className={linkClass}>
            Select server
          </Link>
        }
      >
        Start a run on a server's page, or report an external run with{' '}
        <code>drydock conformance-ingest report</code>.
      </QueryState>
      {items.length > 0 && <RunsTable runs={items} named />}
      <ShowMore of={runs}>Show more</ShowMore>
    </Page>
  );
}
