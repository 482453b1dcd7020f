import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { refreshAfter, useInfiniteQuery } from '../../api/index.ts';
import { type Live, type RunEvent, useRunEvents } from '../../api/live.ts';
import { trialsOf } from './queries.ts';
import { type LiveUpdate, type Row, rowsOf } from './rows.ts';

interface RunRef {
  projectId: string;
  runId: string;
}

/** Loads every trial of a run, page by page. */
export function useTrials(which: RunRef, updates: ReadonlyMap<string, LiveUpdate> = nothing) {
  const query = useInfiniteQuery(trialsOf(which));
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  // Deferred, so that computing rows does not block the page.
  const counted = useDeferredValue(data);
  const rows = useMemo((): Row[] => rowsOf(counted?.pages ?? [], updates), [counted, updates]);
  return { query, rows, complete: counted !== undefined && counted === data && !hasNextPage };
}

const nothing: ReadonlyMap<string, LiveUpdate> = new Map();

/** Follows the events of a run in progress. Batches them, because thousands may arrive at once. */
export function useLiveUpdates(which: RunRef, open: boolean) {
  const [updates, setUpdates] = useState<ReadonlyMap<string, LiveUpdate>>(nothing);
  const [finished, setFinished] = useState(0);
  const pending = useRef({ trials: new Map<string, LiveUpdate>(), finished: 0, drawing: 0 });
  const draw = (): void => {
    pending.current.drawing = 0;
    setUpdates(new Map(pending.current.trials));
    setFinished(pending.current.finished);
  };
  const note = (event: RunEvent): void => {
    const { current } = pending;
    if (event.type === 'trial.started')
      current.trials.set(event.iterationId, { status: 'running', result: null, durationMs: null });
    if (event.type === 'trial.finished') {
      current.trials.set(event.iterationId, event);
      current.finished = Math.max(current.finished, event.finished);
    }
    if (event.type === 'run.decided' || event.type === 'run.grading') void refreshAfter('eval run decided');
    current.drawing ||= requestAnimationFrame(draw);
  };
  const live: Live = useRunEvents(which, open, note);
  useEffect(() => () => cancelAnimationFrame(pending.current.drawing), []);
  return { updates, finished, live };
}
