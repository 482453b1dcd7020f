import type { ReactNode } from 'react';
import { factsOf } from '../api/problem.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import css from './notice.module.css';
import { Glyph } from './state.tsx';

/** An error with its code, request ID and remedy. */
export function Problem({
  error,
  advice,
  retry,
  back,
}: {
  error: unknown;
  /** Overrides the advice for the error code. */
  advice?: string | undefined;
  retry?: () => void;
  back?: ReactNode;
}) {
  const { message, code, requestId, advice: usual, again } = factsOf(error);
  return (
    <div role="alert" className={css.problem}>
      <Glyph state="attention" size={16} />
      <div className={css.words}>
        <p className={css.message}>{message}</p>
        <p>{advice ?? usual}</p>
        {(code ?? requestId) && (
          <p className={css.trail}>
            {code && <code>{code}</code>}
            {requestId && (
              <span className={css.request}>
                request <code>{requestId}</code>
                <CopyButton text={requestId} label="Copy request ID" />
              </span>
            )}
          </p>
        )}
        {(back ?? (retry && again)) && (
          <p className={css.ways}>
            {retry && again && <Button onClick={retry}>Try again</Button>}
            {back}
          </p>
        )}
      </div>
    </div>
  );
}

export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={css.empty}>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

export function Note({ children }: { children: ReactNode }) {
  return <p className={css.note}>{children}</p>;
}

/** Placeholder for loading content, without animation. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div className={css.skeleton} aria-busy="true">
      <span className="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} className={css.bone} style={{ width: `${92 - ((at * 17) % 40)}%` }} />
      ))}
    </div>
  );
}
