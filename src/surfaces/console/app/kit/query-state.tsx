import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Empty, Problem, Skeleton } from './notice.tsx';
import { Page } from './page.tsx';

interface Query {
  isPending: boolean;
  isError: boolean;
  error: unknown;
  refetch: () => unknown;
}

/** The states of a query other than its data: loading skeleton, error and empty. */
export function QueryState({
  of: query,
  lines = 3,
  back,
  empty = false,
  title,
  action,
  children,
}: {
  of: Query;
  lines?: number;
  /** A link back, shown next to the error. */
  back?: ReactNode;
  /** Whether the result is empty; the other props describe the empty state. */
  empty?: boolean;
  title?: string;
  action?: ReactNode;
  children?: ReactNode;
}) {
  if (query.isPending) return <Skeleton lines={lines} />;
  if (query.isError) return <Problem error={query.error} retry={() => void query.refetch()} back={back} />;
  if (!empty) return null;
  return title === undefined ? (
    children
  ) : (
    <Empty title={title} action={action}>
      {children}
    </Empty>
  );
}

/** A page whose data is loading or could not be loaded. The last crumb is the way back. */
export function LoadingPage({
  of: query,
  title,
  crumbs,
  lines = 8,
}: {
  of: Query;
  title: string;
  crumbs: ReactNode[];
  lines?: number;
}) {
  return (
    <Page title={title} crumbs={crumbs}>
      <QueryState of={query} lines={lines} back={crumbs.at(-1)} />
    </Page>
  );
}

/** Loads the next page of a list, if there is one. */
export function ShowMore({
  of: list,
  children = 'Show more',
}: {
  of: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  children?: ReactNode;
}) {
  if (!list.hasNextPage) return null;
  return (
    <div>
      <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {children}
      </Button>
    </div>
  );
}
