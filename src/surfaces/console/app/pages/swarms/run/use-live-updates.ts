import { useEffect, useRef, useState } from 'react';
import { refreshAfter } from '../../../api/index.ts';
import { type JourneyRunEvent, useJourneyRunEvents } from '../../../api/live.ts';
import type { JourneyRun } from '../states.ts';
import { keyOf, type LiveUpdate } from './rows.ts';

interface PendingUpdates {
  sessions: Map<string, LiveUpdate>;
  summary: JourneyRun['summary'] | undefined;
}

/**
 * State of every session of a run, updated from events. Also used after the run, because the stream begins with
 * the verdict of every session. Events are batched, because thousands may arrive at once.
 */
export function useLiveUpdates(
  { projectId, journeyRunId }: { projectId: string; journeyRunId: string },
  underWay: boolean,
) {
  const [updates, setUpdates] = useState<PendingUpdates>({ sessions: new Map(), summary: undefined });
  const pending = useRef<PendingUpdates & { drawing: number }>({
    sessions: new Map(),
    summary: undefined,
    drawing: 0,
  });
  const draw = (): void => {
    const { sessions, summary } = pending.current;
    pending.current.drawing = 0;
    setUpdates({ sessions: new Map(sessions), summary });
  };
  const note = (event: JourneyRunEvent): void => {
    const { current } = pending;
    if (event.type === 'session.state')
      current.sessions.set(keyOf(event.attempt), { attempt: event.attempt, verdict: event.verdict });
    else current.summary = event.summary;
    if (event.type === 'run.ended' && underWay) void refreshAfter('journey run ended');
    current.drawing ||= requestAnimationFrame(draw);
  };
  const live = useJourneyRunEvents({ projectId, runId: journeyRunId }, true, note);
  useEffect(() => () => cancelAnimationFrame(pending.current.drawing), []);
  return { ...updates, live };
}
