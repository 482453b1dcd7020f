import type { ReactNode } from 'react';
import { plain } from '../kit/text.ts';
import css from './visit.module.css';

/** A card centered on an otherwise empty page. */
export function Card({
  title,
  name = title,
  children,
}: {
  title: string;
  name?: string;
  children?: ReactNode;
}) {
  return (
    <main className={css.alone}>
      <title>{plain(name)}</title>
      <div className={css.card}>
        <h1 dir="auto">{title}</h1>
        {children}
      </div>
    </main>
  );
}

/** A page with only a message. */
export function MessagePage({ children }: { children: string }) {
  return (
    <main className={css.alone}>
      <title>Drydock</title>
      <p role="alert" className={css.sentence}>
        {children.replace(/\.$/, '')}.
      </p>
    </main>
  );
}
