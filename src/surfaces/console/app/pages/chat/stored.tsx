import { memo } from 'react';
import { Button } from '../../kit/button.tsx';
import { count } from '../../kit/numbers.ts';
import { StateMark } from '../../kit/state.tsx';
import { duration, Time } from '../../kit/time.tsx';
import css from './chat.module.css';
import type { Entry, Turn } from './exchanges.ts';
import { MessageBubble, Pieces } from './pieces.tsx';
import { TurnTimeline } from './turn-timeline.tsx';

export interface Chosen {
  turn: string | undefined;
  span: string | undefined;
}

/** The stored conversation. Memoized, so that it does not re-render while text streams. */
export const Stored = memo(function Stored({
  sessionId,
  entries,
  speaker = 'You',
  beside = false,
  chosen,
  choose,
}: {
  sessionId: string;
  entries: readonly Entry[];
  speaker?: string;
  /** Whether the timeline of the selected turn is rendered elsewhere. */
  beside?: boolean;
  chosen: Chosen;
  choose: (chosen: Chosen) => void;
}) {
  return entries.map(({ exchange, turn }) => (
    <li key={exchange ? `m${exchange.index}` : turn.turnId} className={css.exchange}>
      {exchange ? (
        <>
          <MessageBubble by="You" name={speaker} text={exchange.said} />
          <Pieces
            pieces={exchange.pieces}
            meant={turn?.turnId === chosen.turn ? callOf(chosen.span) : undefined}
          />
        </>
      ) : (
        <p>
          <StateMark state="failed">A turn failed</StateMark> <bdi>{turn.error}</bdi>
        </p>
      )}
      {turn && <TurnFacts {...{ sessionId, turn, beside, chosen, choose }} />}
    </li>
  ));
});

/** Tool call ID of a span, whose own ID contains it. */
function callOf(span: string | undefined): string | undefined {
  return span?.replace(/^tool-(err-)?/, '');
}

function TurnFacts({
  sessionId,
  turn,
  beside,
  chosen,
  choose,
}: {
  sessionId: string;
  turn: Turn;
  beside: boolean;
  chosen: Chosen;
  choose: (chosen: Chosen) => void;
}) {
  const { turnId, startedAt, endedAt, usage, finishReason, spanCount } = turn;
  const open = chosen.turn === turnId;
  const turnedOff = { turn: undefined, span: undefined };
  return (
    <>
      <p className={css.facts}>
        <Time at={startedAt} />
        <span>{duration(endedAt - startedAt)}</span>
        {usage && <UsageText usage={usage} />}
        {finishReason !== undefined && finishReason !== 'stop' && <span>{finishText(finishReason)}</span>}
        {spanCount > 0 && (
          <Button
            variant="quiet"
            {...(beside ? { 'aria-pressed': open } : { 'aria-expanded': open })}
            onClick={() => choose(open && !beside ? turnedOff : { turn: turnId, span: undefined })}
          >
            Timeline
          </Button>
        )}
      </p>
      {open && !beside && (
        <TurnTimeline
          sessionId={sessionId}
          turnId={turnId}
          chosen={chosen.span}
          onChoose={(span) => choose({ turn: turnId, span })}
        />
      )}
    </>
  );
}

function UsageText({ usage }: { usage: NonNullable<Turn['usage']> }) {
  const { inputTokens, outputTokens } = usage;
  if (inputTokens === undefined && outputTokens === undefined) return <span>token usage unknown</span>;
  const said = (tokens: number | undefined): string => (tokens === undefined ? 'unknown' : count(tokens));
  return (
    <span>
      {said(inputTokens)} tokens in, {said(outputTokens)} out
    </span>
  );
}

const finishLabels: Record<string, string> = {
  length: 'cut off at the output limit',
  'content-filter': "blocked by the provider's content filter",
  'step-limit': 'stopped at the limit of model calls',
};

function finishText(reason: string): string {
  return finishLabels[reason] ?? `ended: ${reason}`;
}
