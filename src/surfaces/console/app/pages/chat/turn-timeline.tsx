import { useMemo } from 'react';
import { ask, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Waterfall } from '../../charts/waterfall.tsx';
import common from '../../kit/common.module.css';
import { artifactPath } from '../../kit/given.ts';
import { Note } from '../../kit/notice.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { spansOf } from '../trial/trace.ts';
import css from './chat.module.css';

/** Timeline of a turn: start and duration of each step, model call and tool call. */
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
  const pictures = (turn?.screenshots ?? []).flatMap(({ toolCallId, url }) =>
    url === undefined ? [] : [{ toolCallId, url }],
  );
  if (!trace.isSuccess || !turn) return <QueryState of={trace} lines={4} />;
  return (
    <div className={common.tightColumn}>
      {spans.length > 0 ? (
        <Waterfall label="Turn timeline" bars={spans} chosen={chosen} onChoose={onChoose} />
      ) : (
        <Note>No timing was recorded for this turn.</Note>
      )}
      {pictures.map(({ toolCallId, url }, at) => (
        <img key={at} className={css.picture} src={artifactPath(url)} alt={`Page after call ${toolCallId}`} />
      ))}
      <p className={css.foot}>
        {turn.spansTruncated && <span className={common.soft}>The trace was truncated.</span>}
        <ApiExample operation="getChatSessionTrace" input={which} />
      </p>
    </div>
  );
}
