import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ask } from '../../api/ask.ts';
import { Waterfall } from '../../charts/waterfall.tsx';
import { artifactPath } from '../../kit/artifact-path.ts';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Same } from '../../same/same.tsx';
import { spansOf } from '../trial/trace.ts';
import css from './chat.module.css';

/** When each step, model call and tool call of a turn began and how long it took. */
export function TurnTimeline({
  sessionId,
  turnId,
  chosen,
  onChoose,
}: {
  sessionId: string;
  turnId: string;
  chosen: string | undefined;
  onChoose: (span: string | undefined) => void;
}) {
  const which = { sessionId, turnId };
  const trace = useQuery({ ...ask('getChatSessionTrace', which), staleTime: 5 * 60_000 });
  const [turn] = trace.data?.turns ?? [];
  const spans = useMemo(() => spansOf({ spans: turn?.spans }), [turn]);
  // What the browser showed, where the turn used it.
  const pictures = (turn?.screenshots ?? []).flatMap(({ toolCallId, url }) =>
    url === undefined ? [] : [{ toolCallId, url }],
  );
  if (trace.isError) return <Problem error={trace.error} retry={() => void trace.refetch()} />;
  if (!turn) return <Skeleton lines={4} />;
  return (
    <div className={css.timeline}>
      {spans.length > 0 ? (
        <Waterfall label="Timeline of the turn" bars={spans} chosen={chosen} onChoose={onChoose} />
      ) : (
        <Note>Nothing is known about the times of this turn.</Note>
      )}
      {pictures.map(({ toolCallId, url }, at) => (
        <img
          key={at}
          className={css.picture}
          src={artifactPath(url)}
          alt={`The page after call ${toolCallId}`}
        />
      ))}
      <p className={css.foot}>
        {turn.spansTruncated && <span className={css.soft}>The end of it was too long to be kept.</span>}
        <Same operation="getChatSessionTrace" input={which} />
      </p>
    </div>
  );
}
