import { type ReactNode, useEffect, useRef } from 'react';
import css from './visit.module.css';

/** A request that the visitor has to decide on. */
export function Question({ title, name, children }: { title: ReactNode; name: string; children: ReactNode }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    // In braces: some browsers return a value, which an effect must not.
    place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <section ref={place} className={css.question} aria-label={name}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}
