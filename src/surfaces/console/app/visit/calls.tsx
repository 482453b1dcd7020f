import { lazy, Suspense, useEffect, useState } from 'react';
import { Button } from '../kit/button.tsx';
import { Code, Json } from '../kit/code.tsx';
import { Fold } from '../kit/fold.tsx';
import { ToolIcon } from '../kit/icons.tsx';
import { type State, StateMark } from '../kit/state.tsx';
import { cut } from '../kit/text.ts';
import { Question } from './question.tsx';
import type { Call } from './turns.ts';
import css from './visit.module.css';

const Widget = lazy(() => import('./widget.tsx').then(({ Widget: part }) => ({ default: part })));

const states: Record<Call['state'], [State, string]> = {
  asks: ['pending', 'waiting for your approval'],
  running: ['running', 'running'],
  ok: ['passed', 'done'],
  error: ['failed', 'failed'],
  refused: ['skipped', 'not allowed'],
};

/** A tool call: its state, expandable details, and its widget, if any. */
export function CallRow({
  call,
  sessionId,
  fresh,
  asksFirst,
  decide,
}: {
  call: Call;
  sessionId: string | undefined;
  /** Whether the call was made on this page; its widget then opens without a click. */
  fresh: boolean;
  /** Whether tool calls need the visitor's approval. */
  asksFirst: boolean;
  decide: ((approved: boolean) => Promise<void>) | undefined;
}) {
  const [opened, setOpened] = useState(false);
  const { tool, input, output, widget, state } = call;
  const [mark, word] = states[state];
  if (state === 'asks' && decide) return <Approval call={call} decide={decide} />;
  return (
    <div className={css.call}>
      <Fold
        summary={
          <span className={css.callLine}>
            <ToolIcon />
            <code title={tool}>{cut(tool)}</code>
            <StateMark state={mark}>{word}</StateMark>
          </span>
        }
      >
        {() => (
          <div className={css.callBody}>
            <Json value={input} label={`Arguments of ${cut(tool)}`} />
            {output !== undefined && <Value value={output} label={`Result of ${cut(tool)}`} />}
          </div>
        )}
      </Fold>
      {widget &&
        sessionId !== undefined &&
        (fresh || opened ? (
          <Suspense fallback={<p className={css.soft}>Loading…</p>}>
            <Widget sessionId={sessionId} toolCallId={call.id} tool={cut(tool)} asksFirst={asksFirst} />
          </Suspense>
        ) : (
          <p className={css.closedWidget}>
            <Button onClick={() => setOpened(true)}>Open widget</Button>
          </p>
        ))}
    </div>
  );
}

function Value({ value, label }: { value: unknown; label: string }) {
  return typeof value === 'string' ? (
    <Code text={value} label={label} />
  ) : (
    <Json value={value} label={label} />
  );
}

/** Asks for approval of a tool call until the request times out. */
function Approval({ call, decide }: { call: Call; decide: (approved: boolean) => Promise<void> }) {
  const [decided, setDecided] = useState<boolean>();
  const [late, setLate] = useState(false);
  const left = useSecondsUntil(call.until ?? 0);
  const over = late || left === 0;
  const answer = (approved: boolean): void => {
    setDecided(approved);
    decide(approved).catch(() => setLate(true));
  };
  return (
    <Question
      title={
        <>
          Allow the tool <code>{cut(call.tool)}</code>?
        </>
      }
      name={`Allow ${cut(call.tool)}?`}
    >
      <Json value={call.input} label={`Arguments of ${cut(call.tool)}`} />
      {over ? (
        <p className={css.soft}>The request timed out and was declined.</p>
      ) : (
        <div className={css.answers}>
          <Button variant="primary" disabled={decided !== undefined} onClick={() => answer(true)}>
            Allow
          </Button>
          <Button disabled={decided !== undefined} onClick={() => answer(false)}>
            Deny
          </Button>
          <span className={css.soft}>{left} s left</span>
        </div>
      )}
    </Question>
  );
}

function useSecondsUntil(until: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.floor((until - now) / 1000));
}
