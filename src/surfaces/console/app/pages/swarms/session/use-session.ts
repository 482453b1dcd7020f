import { useEffect, useMemo } from 'react';
import { askPages, useInfiniteQuery } from '../../../api/index.ts';
import { entriesOf, exchangesOf } from '../../chat/exchanges.ts';
import { sessionOf, turnsOf } from '../../chat/queries.ts';
import { useEveryPage } from '../../chat/use-every-page.ts';

interface SessionRef {
  projectId: string;
  journeyRunId: string;
  sessionId: string;
}

/** Poll interval in milliseconds while the session is running or being graded. */
const pollEvery = 2_000;
/** Maximum page size of the API. */
const atOnce = 200;

/** Finds a session of a run page by page. */
export function useGraded({ projectId, journeyRunId, sessionId }: SessionRef, again: boolean) {
  const query = useInfiniteQuery({
    ...askPages('listJourneyRunSessions', { projectId, journeyRunId, limit: atOnce }),
    refetchInterval: again ? pollEvery : false,
  });
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const session = data?.pages.flatMap(({ items }) => items).find(({ id }) => id === sessionId);
  useEffect(() => {
    if (!session && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [session, hasNextPage, isFetching, isError, fetchNextPage]);
  return { query, session };
}

export function useTranscript(which: SessionRef, again: boolean) {
  const refetchInterval = again ? pollEvery : false;
  const messages = useEveryPage(useInfiniteQuery({ ...sessionOf(which), refetchInterval }));
  const turns = useEveryPage(useInfiniteQuery({ ...turnsOf(which), refetchInterval }));
  const entries = useMemo(
    () =>
      entriesOf(
        exchangesOf(messages.data?.pages.flatMap((page) => page.messages)),
        turns.data?.pages.flatMap((page) => page.turns) ?? [],
      ),
    [messages.data, turns.data],
  );
  return { messages, entries };
}
