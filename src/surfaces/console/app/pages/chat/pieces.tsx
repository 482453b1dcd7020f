import { useEffect, useRef } from 'react';
import { classes } from '../../kit/classes.ts';
import { Code } from '../../kit/code.tsx';
import common from '../../kit/common.module.css';
import { Fold } from '../../kit/fold.tsx';
import { ToolIcon } from '../../kit/icons.tsx';
import { LimitedList } from '../../kit/limited-list.tsx';
import { LongText } from '../../kit/long-text.tsx';
import { type State, StateMark } from '../../kit/state.tsx';
import { duration } from '../../kit/time.tsx';
import css from './chat.module.css';
import type { Call, CallState, Piece } from './exchanges.ts';

/** Characters of a message rendered initially. */
const maxAtFirst = 20_000;

/** A message of a user or model, always rendered as plain text. */
export function MessageBubble({ by, name = by, text }: { by: 'You' | 'Model'; name?: string; text: string }) {
  return (
    <div className={classes(css.said, by === 'You' && css.own)}>
      <h2 className={by === 'You' ? undefined : 'visually-hidden'} dir="auto">
        {name}
      </h2>
      <LongText className={common.words} text={text} first={maxAtFirst} />
    </div>
  );
}

/** Highlights the selected call and scrolls it into view. */
export function Pieces({ pieces, meant }: { pieces: readonly Piece[]; meant?: string | undefined }) {
  return (
    <LimitedList items={pieces} noun="piece">
      {(piece, at) =>
        piece.kind === 'text' ? (
          <MessageBubble key={at} by="Model" text={piece.text} />
        ) : (
          <CallPiece key={at} call={piece} meant={meant !== undefined && piece.id === meant} />
        )
      }
    </LimitedList>
  );
}

const states: Record<CallState, [State, string]> = {
  running: ['running', 'running'],
  ok: ['passed', 'answered'],
  error: ['failed', 'error'],
  unknown: ['notMeasured', 'no result'],
};

const noResult: Record<CallState, string> = {
  running: 'No result yet.',
  ok: 'The result arrives with the reply.',
  error: 'The result arrives with the reply.',
  unknown: 'No result was recorded.',
};

function CallPiece({ call, meant }: { call: Call; meant: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  const { tool, input, output, durationMs } = call;
  const [state, word] = states[call.state];
  useEffect(() => {
    if (meant) place.current?.scrollIntoView({ block: 'nearest' });
  }, [meant]);
  return (
    <div
      ref={place}
      className={classes(css.call, meant && common.selected)}
      aria-current={meant || undefined}
    >
      <Fold
        summary={
          <span className={css.callLine}>
            <ToolIcon />
            <code title={tool}>{tool}</code>
            <StateMark state={state}>{word}</StateMark>
            {durationMs !== undefined && <span className={common.soft}>{duration(durationMs)}</span>}
            <span className={css.brief}>{input.slice(0, 200).replaceAll(/\s+/g, ' ')}</span>
          </span>
        }
      >
        {() => (
          <div className={css.callBody}>
            <Code text={input} label={`arguments of ${tool}`} />
            {output === undefined ? (
              <p className={common.soft}>{noResult[call.state]}</p>
            ) : (
              <Code text={output} label={`result of ${tool}`} />
            )}
          </div>
        )}
      </Fold>
    </div>
  );
}
