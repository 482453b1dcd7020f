import type { ReactNode } from 'react';
import { Time } from '../kit/time.tsx';
import css from './shared.module.css';

/** What whoever came by a link should know of what is shown. */
export function ReadOnly({ expiresAt, children }: { expiresAt: number | null; children: ReactNode }) {
  return (
    <p className={css.soft}>
      Read-only
      {expiresAt === null ? (
        '.'
      ) : (
        <>
          , until <Time at={expiresAt} />.
        </>
      )}{' '}
      {children}
    </p>
  );
}
