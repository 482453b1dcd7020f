import { setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'undici';
import { EventParser } from '../../../src/surfaces/client/event-parser.ts';
import type { Caller } from './caller.ts';

/** The events that a watcher of a run received. */
export interface Watched {
  runId: string;
  /** Event IDs in the order of arrival; empty if events have none. */
  ids: number[];
  /** Number of reconnections. */
  resumed: number;
  /** Whether the final event arrived. */
  ended: boolean;
}

/** Milliseconds after which a run counts as stuck. */
const patience = 150_000;

/** Follows the events of a run over as many connections as needed. */
export async function watch(caller: Caller, runId: string, path: string): Promise<Watched> {
  const seen: Watched = { runId, ids: [], resumed: -1, ended: false };
  const stuck = performance.now() + patience;
  while (!seen.ended && performance.now() < stuck) {
    const response = await caller.stream('watch', path, seen.ids.at(-1)?.toString());
    if (response) {
      seen.resumed++;
      const cut = setTimeout(() => void response.body?.cancel().catch(() => {}), stuck - performance.now());
      // The connection was cut, or a stopping replica ended it.
      await follow(response, seen).catch(() => {});
      clearTimeout(cut);
    }
    if (!seen.ended) await delay(100);
  }
  return seen;
}

async function follow(response: Response, seen: Watched): Promise<void> {
  const parser = new EventParser();
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
    for (const { id, data } of parser.feed(decoder.decode(chunk, { stream: true }))) {
      if (id !== undefined) seen.ids.push(Number(id));
      const { type } = JSON.parse(data) as { type: string };
      if (type === 'run.decided' || type === 'run.ended') seen.ended = true;
    }
}
