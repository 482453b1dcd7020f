import { Link } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import { partFrom } from '../api/parts.ts';
import { Skeleton } from './notice.tsx';
import css from './tabs.module.css';

/** Label and content of each tab of a page, by its name in the address. */
export type Tabs<Name extends string, Given extends unknown[]> = Record<
  Name,
  readonly [label: string, content: (...given: Given) => ReactNode]
>;

/** Tabs of a page, as links that can be opened, bookmarked and shared, and the content of the chosen one. */
export function PageTabs<Name extends string, Given extends unknown[]>({
  label,
  tabs,
  given,
  chosen = Object.keys(tabs)[0] as Name,
  hidden,
}: {
  label: string;
  tabs: Tabs<Name, Given>;
  /** Arguments of the content functions. */
  given: Given;
  chosen: Name | undefined;
  hidden?: Name | undefined;
}) {
  const names = Object.keys(tabs) as Name[];
  return (
    <>
      <nav aria-label={label} className={css.tabs}>
        {names
          .filter((name) => name !== hidden)
          .map((name) => (
            <Link
              key={name}
              to="."
              search={(name === names[0] ? {} : { tab: name }) as never}
              className={css.tab}
              aria-current={name === chosen ? 'page' : undefined}
              activeOptions={{ exact: true, includeSearch: true }}
            >
              {tabs[name][0]}
            </Link>
          ))}
      </nav>
      {tabs[chosen][1](...given)}
    </>
  );
}

/** A tab whose code is loaded on first use. */
export function tabFrom<Name extends string, Props extends object>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
): ComponentType<Props> {
  return partFrom(load, name, () => <Skeleton lines={8} />);
}
