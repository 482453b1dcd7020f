import type { ReactNode } from 'react';
import { Time } from '../kit/time.tsx';
import css from './shared.module.css';

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
