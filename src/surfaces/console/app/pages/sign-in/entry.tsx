import { type ReactNode, useEffect, useState } from 'react';
import { factsOf } from '../../api/problem.ts';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { submits } from '../../kit/field.tsx';
import { Glyph } from '../../kit/state.tsx';
import css from './entry.module.css';
import { doorText, secondsToWait } from './refusal.ts';

export const mainButton = css.main as string;

/** Layout of pages without the shell, such as sign-in. */
export function Entry({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main id="page" className={css.ground}>
      <title>{`${title} · Drydock`}</title>
      <div className={css.card}>
        <p className={css.mark}>
          <img src="/console/icon.svg" alt="" width={24} height={24} />
          Drydock
        </p>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

/** A form with one button, which shows above it why the last attempt failed. */
export function EntryForm({
  attempt,
  verb,
  onSubmit,
  children,
}: {
  attempt: Attempt;
  verb: string;
  onSubmit: () => void;
  children: ReactNode;
}) {
  return (
    <form className={css.form} onSubmit={submits(onSubmit)}>
      {children}
      <Refused of={attempt} />
      <SubmitButton attempt={attempt}>{verb}</SubmitButton>
    </form>
  );
}

export function Words({ children }: { children: ReactNode }) {
  return <div className={css.words}>{children}</div>;
}

export function EntryLinks({ children }: { children: ReactNode }) {
  return <p className={common.facts}>{children}</p>;
}

export function Or() {
  return <p className={css.or}>or</p>;
}

export function MutedText({ children }: { children: ReactNode }) {
  return <p className={common.soft}>{children}</p>;
}

/** Explains an error in plain language, with the next step. */
export function Refused({ of: { error, refetch } }: { of: { error: unknown; refetch?: () => unknown } }) {
  if (error === null) return null;
  const { happened, next, requestId } = doorText(error);
  return (
    <div role="alert" className={css.refusal}>
      <Glyph state="attention" />
      <div className={css.words}>
        <p>
          <strong>{happened}</strong> {next}
          {requestId !== undefined && (
            <>
              {' '}
              Request <code>{requestId}</code>.
            </>
          )}
        </p>
        {refetch && factsOf(error).again && (
          <p>
            <Button onClick={() => void refetch()}>Try again</Button>
          </p>
        )}
      </div>
    </div>
  );
}

interface Attempt {
  isPending: boolean;
  error: unknown;
  submittedAt: number;
}

/** Submit button of a form. After too many attempts it counts down the wait. */
function SubmitButton({ children, attempt }: { children: string; attempt: Attempt }) {
  const left = useSecondsLeft(attempt);
  return (
    <Button
      type="submit"
      variant="primary"
      className={mainButton}
      busy={attempt.isPending}
      disabled={left > 0}
    >
      {left > 0 ? `Try again in ${left} s` : children}
    </Button>
  );
}

function useSecondsLeft({ error, submittedAt }: Attempt): number {
  const wait = secondsToWait(error);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (wait === 0) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [wait]);
  const left = Math.ceil(wait - (now - submittedAt) / 1000);
  // Until the timer ticks, `now` may be outdated.
  return Math.min(wait, Math.max(0, left));
}
