import { type Dispatch, type SetStateAction, useEffect, useEffectEvent, useState } from 'react';
import { type Client, DrydockError } from '../../../client/index.ts';
import { watchingApi } from './client.ts';

/** How a live part of a page stands: `over` when there is nothing more to come. */
export type Live = { state: 'connecting' | 'live' | 'over' } | { state: 'lost'; since: number };

export type RunEvent = Client['watchEvalRun'] extends (...args: never[]) => AsyncGenerator<infer Event>
  ? Event
  : never;

const firstPause = 1_000;
const longestPause = 15_000;

/**
 * Hands on the events of a run from its beginning. The client takes a broken stream up after the last event; when it gives
 * up, the stream is begun anew, so that an event may come twice.
 */
export function useRunEvents(
  which: { projectId: string; runId: string },
  wanted: boolean,
  onEvent: (event: RunEvent) => void,
): Live {
  const [live, setLive] = useState<Live>({ state: 'connecting' });
  const handOn = useEffectEvent(onEvent);
  const { projectId, runId } = which;
  useEffect(() => {
    if (!wanted) return;
    const end = new AbortController();
    void watchRun({ projectId, runId }, end.signal, handOn, setLive);
    return () => end.abort();
  }, [projectId, runId, wanted]);
  return live;
}

/** Until it is over, refused or not wanted any more. */
async function watchRun(
  which: { projectId: string; runId: string },
  signal: AbortSignal,
  handOn: (event: RunEvent) => void,
  setLive: Dispatch<SetStateAction<Live>>,
): Promise<void> {
  const connected = (open: boolean): void =>
    setLive((before) => {
      if (open) return { state: 'live' };
      return before.state === 'lost' ? before : { state: 'lost', since: Date.now() };
    });
  for (let pause = firstPause; !signal.aborted; pause = Math.min(pause * 2, longestPause)) {
    try {
      for await (const event of watchingApi(connected).watchEvalRun(which, { signal })) {
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

/** What the service refuses will be refused again. */
function isFinal(error: unknown): boolean {
  return error instanceof DrydockError && error.status >= 400 && error.status < 500 && error.status !== 429;
}
