import type { ReactNode } from 'react';
import { isNotFound } from '../api/problem.ts';
import { Button } from './button.tsx';
import { Empty, Problem, Skeleton } from './notice.tsx';
import { Page } from './page.tsx';

interface Failing {
  isError: boolean;
  error: unknown;
  refetch: () => unknown;
}

interface Query extends Failing {
  isPending: boolean;
}

/** The error of a query, with a button that repeats it. */
export function QueryError({
  of: query,
  advice,
  back,
}: {
  of: Failing;
  /** Overrides the advice for the error code. */
  advice?: string;
  /** A link back, shown next to the error. */
  back?: ReactNode;
}) {
  if (!query.isError) return null;
  return <Problem error={query.error} advice={advice} retry={() => void query.refetch()} back={back} />;
}

/** The states of a query other than its data: loading skeleton, error and empty. */
export function QueryState({
  of: query,
  lines = 3,
  back,
  missing,
  empty = false,
  title,
  action,
  children,
}: {
  of: Query;
  lines?: number | undefined;
  /** A link back, shown next to the error. */
  back?: ReactNode;
  /** Shown instead of the error if the resource does not exist. */
  missing?: ReactNode;
  /** Whether the result is empty; the other props describe the empty state. */
  empty?: boolean;
  title?: string | undefined;
  action?: ReactNode;
  children?: ReactNode;
}) {
  if (query.isPending) return <Skeleton lines={lines} />;
  if (missing !== undefined && isNotFound(query.error)) return missing;
  if (query.isError) return <QueryError of={query} back={back} />;
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
