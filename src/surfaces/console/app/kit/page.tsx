import { createContext, type ReactNode, useContext } from 'react';
import { createPortal } from 'react-dom';
import css from './page.module.css';
import { plain } from './text.ts';

/** Where the shell shows the way to the page. */
export const CrumbsPlace = createContext<HTMLElement | null>(null);

interface PageProps {
  title: ReactNode;
  /** The same in plain words, for the window. */
  name: string;
  /** The pages above it, the nearest last. */
  crumbs?: ReactNode[];
  /** Beside the title: what state it is in. */
  mark?: ReactNode;
  /** What can be done here. */
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, name, crumbs = [], mark, actions, children }: PageProps) {
  const place = useContext(CrumbsPlace);
  return (
    <div className={css.page}>
      <title>{`${plain(name)} · Drydock`}</title>
      {place && createPortal(<Crumbs crumbs={[...crumbs, name]} />, place)}
      <header className={css.head}>
        <h1 className={css.title} dir="auto">
          {title}
        </h1>
        {mark}
        {actions && <div className={css.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

function Crumbs({ crumbs }: { crumbs: ReactNode[] }) {
  return (
    <nav aria-label="Where you are" className={css.crumbs}>
      <ol>
        {crumbs.map((crumb, at) => (
          <li
            key={at}
            title={typeof crumb === 'string' ? crumb : undefined}
            aria-current={at === crumbs.length - 1 ? 'page' : undefined}
          >
            {crumb}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** A part of a page with a heading. */
export function Section({
  title,
  actions,
  children,
}: {
  title: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={css.section}>
      <header className={css.sectionHead}>
        <h2>{title}</h2>
        {actions && <div className={css.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** Facts in a line: what it is, then the value. Those without a value are left out. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className={css.facts}>
      {facts
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
