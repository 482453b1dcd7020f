import { useEffect, useRef, useState } from 'react';
import { refreshAfter } from '../../../api/index.ts';
import { type JourneyRunEvent, useJourneyRunEvents } from '../../../api/live.ts';
import type { JourneyRun } from '../states.ts';
import { type Heard, keyOf } from './rows.ts';

interface News {
  sessions: Map<string, Heard>;
  summary: JourneyRun['summary'] | undefined;
}

/**
 * State of every session of a run, updated from events. Also used after the run, because the stream begins with
 * the verdict of every session. Events are batched, because thousands may arrive at once.
 */
export function useHeard(
  { projectId, journeyRunId }: { projectId: string; journeyRunId: string },
  underWay: boolean,
) {
  const [heard, setHeard] = useState<News>({ sessions: new Map(), summary: undefined });
  const news = useRef<News & { drawing: number }>({ sessions: new Map(), summary: undefined, drawing: 0 });
  const draw = (): void => {
    const { sessions, summary } = news.current;
    news.current.drawing = 0;
    setHeard({ sessions: new Map(sessions), summary });
  };
  const note = (event: JourneyRunEvent): void => {
    const { current } = news;
    if (event.type === 'session.state')
      current.sessions.set(keyOf(event.attempt), { attempt: event.attempt, verdict: event.verdict });
    else current.summary = event.summary;
    if (event.type === 'run.ended' && underWay) void refreshAfter('journey run ended');
    current.drawing ||= requestAnimationFrame(draw);
  };
  const live = useJourneyRunEvents({ projectId, runId: journeyRunId }, true, note);
  useEffect(() => () => cancelAnimationFrame(news.current.drawing), []);
  return { ...heard, live };
}
