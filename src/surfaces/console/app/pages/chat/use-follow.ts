import { type RefObject, useEffect, useRef } from 'react';
import type { LiveTurn } from './turn-state.ts';

/** Distance from the end, in pixels, within which the reader counts as following. */
const near = 160;

/**
 * Keeps the end of a conversation in view: on open, on send, and while a reply streams, unless the reader has
 * scrolled away. The ref belongs to an element after the last entry.
 */
export function useFollow(
  length: number,
  live: LiveTurn | undefined,
  fromEnd: boolean,
): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null);
  const opened = useRef(false);
  const sent = useRef<string>(undefined);
  const key = live?.body.idempotencyKey;
  useEffect(() => {
    const page = end.current?.closest('main');
    if (!page || (length === 0 && !live)) return;
    const first = !opened.current && fromEnd;
    const justSent = key !== sent.current && key !== undefined;
    opened.current = true;
    sent.current = key;
    const away = page.scrollHeight - page.scrollTop - page.clientHeight;
    if (first || justSent || (live && away < near)) page.scrollTop = page.scrollHeight;
  }, [length, live, key, fromEnd]);
  return end;
}
