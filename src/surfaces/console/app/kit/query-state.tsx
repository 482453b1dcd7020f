import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Empty, Problem, Skeleton } from './notice.tsx';

interface Query {
  isPending: boolean;
  isError: boolean;
  error: unknown;
  refetch: () => unknown;
}

/** The states of a query beside its data: a skeleton while it loads, its error, and empty. */
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
  /** A link to where the reader came from, beside the error. */
  back?: ReactNode;
  /** Whether what was loaded has nothing to show; the rest says so. */
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

/** Loads the next page of a list, where there is one. */
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
