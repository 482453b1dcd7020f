import type { MouseEvent } from 'react';
import { ask, useQuery } from '../../../api/index.ts';
import { artifactPath } from '../../../kit/given.ts';
import { Note } from '../../../kit/notice.tsx';
import { QueryState } from '../../../kit/query-state.tsx';
import css from './browser.module.css';
import type { Entry } from './types.ts';

/** Milliseconds after which the URL is refetched; signed image URLs expire after fifteen minutes. */
const urlLifetime = 10 * 60_000;

/** The latest screenshot. If allowed, a click on it clicks that point of the page. */
export function LastPicture({
  sessionId,
  entries,
  onPoint,
}: {
  sessionId: string;
  entries: readonly Entry[];
  onPoint: ((coordinates: [number, number]) => void) | undefined;
}) {
  const last = entries.findLast((entry) => entry['artifactId'] !== undefined);
  if (last?.commandId === undefined) return <Note>No screenshot yet. Open a page or inspect one.</Note>;
  return <Picture sessionId={sessionId} commandId={last.commandId} onPoint={onPoint} />;
}

export function Picture({
  sessionId,
  commandId,
  onPoint,
}: {
  sessionId: string;
  commandId: string;
  onPoint?: ((coordinates: [number, number]) => void) | undefined;
}) {
  const asked = ask('chatSessionBrowserArtifact', { sessionId, body: { commandId } });
  const found = useQuery({ ...asked, staleTime: urlLifetime, refetchInterval: urlLifetime });
  if (!found.isSuccess) return <QueryState of={found} lines={6} />;
  if (found.data.url === undefined) return <Note>The screenshot was deleted.</Note>;
  const shown = (
    <img className={css.picture} src={artifactPath(found.data.url)} alt="Screenshot of the page" />
  );
  if (!onPoint) return shown;
  const point = (event: MouseEvent<HTMLButtonElement>): void => {
    const image = event.currentTarget.querySelector('img');
    // Keyboard clicks have no position; the fields above are for keyboard users.
    if (!image || event.detail === 0) return;
    const { left, top, width } = image.getBoundingClientRect();
    const scale = image.naturalWidth / width;
    onPoint([Math.round((event.clientX - left) * scale), Math.round((event.clientY - top) * scale)]);
  };
  return (
    <button type="button" className={css.point} title="Click in the page" onClick={point}>
      {shown}
    </button>
  );
}
