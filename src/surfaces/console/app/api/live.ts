import { type Dispatch, type SetStateAction, useEffect, useEffectEvent, useState } from 'react';
import { type Client, DrydockError } from '../../../client/index.ts';
import { watchingApi } from './client.ts';

/** State of a live part of a page; `over` means that no more events follow. */
export type Live = { state: 'connecting' | 'live' | 'over' } | { state: 'lost'; since: number };

type EventsOf<Id extends keyof Client> = Client[Id] extends (...args: never[]) => AsyncGenerator<infer Event>
  ? Event
  : never;
export type RunEvent = EventsOf<'watchEvalRun'>;
export type JourneyRunEvent = EventsOf<'watchJourneyRun'>;

/** Milliseconds before a broken stream is restarted; doubled after each failure. */
const firstPause = 1_000;
const maxPause = 15_000;

interface WhichRun {
  projectId: string;
  runId: string;
}

/**
 * Streams the events of a run from its beginning. The client resumes a broken stream after the last event;
 * when it gives up, the stream restarts, so that an event may repeat.
 */
export function useRunEvents(which: WhichRun, wanted: boolean, onEvent: (event: RunEvent) => void): Live {
  return useEvents(watchEvals, which, wanted, onEvent);
}

/** Streams the events of a journey run; a restarted stream begins with the current state of every session. */
export function useJourneyRunEvents(
  which: WhichRun,
  wanted: boolean,
  onEvent: (event: JourneyRunEvent) => void,
): Live {
  return useEvents(watchJourneys, which, wanted, onEvent);
}

type Watch<Event> = (from: Client, which: WhichRun, signal: AbortSignal) => AsyncGenerator<Event>;

const watchEvals: Watch<RunEvent> = (from, which, signal) => from.watchEvalRun(which, { signal });
const watchJourneys: Watch<JourneyRunEvent> = (from, { projectId, runId }, signal) =>
  from.watchJourneyRun({ projectId, journeyRunId: runId }, { signal });

function useEvents<Event>(
  watch: Watch<Event>,
  { projectId, runId }: WhichRun,
  wanted: boolean,
  onEvent: (event: Event) => void,
): Live {
  const [live, setLive] = useState<Live>({ state: 'connecting' });
  const handOn = useEffectEvent(onEvent);
  useEffect(() => {
    if (!wanted) return;
    const end = new AbortController();
    const begin = (connected: (open: boolean) => void): AsyncGenerator<Event> =>
      watch(watchingApi(connected), { projectId, runId }, end.signal);
    void watchRun(begin, end.signal, handOn, setLive);
    return () => end.abort();
  }, [watch, projectId, runId, wanted]);
  return live;
}

/** Runs until the stream ends, is refused, or is aborted. */
async function watchRun<Event>(
  begin: (connected: (open: boolean) => void) => AsyncGenerator<Event>,
  signal: AbortSignal,
  handOn: (event: Event) => void,
  setLive: Dispatch<SetStateAction<Live>>,
): Promise<void> {
  const connected = (open: boolean): void =>
    setLive((before) => {
      if (open) return { state: 'live' };
      return before.state === 'lost' ? before : { state: 'lost', since: Date.now() };
    });
  for (let pause = firstPause; !signal.aborted; pause = Math.min(pause * 2, maxPause)) {
    try {
      for await (const event of begin(connected)) {
        pause = firstPause;
        handOn(event);
      }
      return setLive({ state: 'over' });
    } catch (error) {
      if (signal.aborted || isFinal(error)) return;
      connected(false);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Retrying a 4xx error other than 429 is useless. */
function isFinal(error: unknown): boolean {
  return error instanceof DrydockError && error.status >= 400 && error.status < 500 && error.status !== 429;
}
