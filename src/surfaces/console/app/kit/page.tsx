import { createContext, type ReactNode, useContext } from 'react';
import { createPortal } from 'react-dom';
import css from './page.module.css';
import { plain } from './text.ts';

/** Element in which the shell shows breadcrumbs. */
export const CrumbsPlace = createContext<HTMLElement | null>(null);

interface PageProps {
  title: string;
  /** Document title and last breadcrumb, if different from `title`. */
  name?: string;
  /** Parent pages, nearest last. */
  crumbs?: ReactNode[];
  /** Status next to the title. */
  mark?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, name = title, crumbs = [], mark, actions, children }: PageProps) {
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
    <nav aria-label="Breadcrumb" className={css.crumbs}>
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

/** A page section with a heading. */
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

/** A description list. Facts without a value are omitted. */
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
