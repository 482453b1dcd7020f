import type { ReactNode } from 'react';
import css from './tabs.module.css';

/** Views of one page. Each is a link, so that it can be opened, kept and sent; the router marks the one that is shown. */
export function TabLinks({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className={css.tabs}>
      {children}
    </nav>
  );
}

export const tabClass = css.tab as string;

/** Views of a part of a page that are nobody's address. */
export function TabButtons<Name extends string>({
  label,
  names,
  chosen,
  choose,
}: {
  label: string;
  names: readonly (readonly [Name, string])[];
  chosen: Name;
  choose: (name: Name) => void;
}) {
  return (
    <div role="group" aria-label={label} className={css.buttons}>
      {names.map(([name, word]) => (
        <button key={name} type="button" aria-pressed={name === chosen} onClick={() => choose(name)}>
          {word}
        </button>
      ))}
    </div>
  );
}
