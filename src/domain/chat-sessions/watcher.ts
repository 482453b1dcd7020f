import type { z } from 'zod';
import type { turnEvents } from '../../contract/chat-sessions.ts';
import type { Watcher } from './run-turn.ts';

type TurnEvent = z.input<(typeof turnEvents)[number]>;

/** Turns the progress of a turn into stream events. */
export function watcherFor(tell: (event: TurnEvent) => void): Watcher {
  return {
    text: (text) => {
      if (text !== '') tell({ type: 'text', text });
    },
    restart: () => tell({ type: 'text.restarted' }),
    toolStarted: (call) => tell({ type: 'tool.started', ...call }),
    toolEnded: ({ ok, ...call }) => tell({ type: 'tool.ended', ...call, status: ok ? 'ok' : 'error' }),
  };
}
