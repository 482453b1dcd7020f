import { type ComponentProps, Fragment, type ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import { DownIcon, NextIcon } from './icons.tsx';
import { QueryState, ShowMore } from './query-state.tsx';
import css from './table.module.css';

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ReactNode;
  /** Right-aligned, for numbers. */
  figure?: boolean;
  /** Main column; becomes the heading of the entry when rows collapse into a list. */
  main?: boolean;
}

/** Expandable rows, one open at a time, by key. */
interface Unfolding<Row> {
  open: string | undefined;
  toggle: (key: string | undefined) => void;
  nameOf: (row: Row) => string;
  content: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  unfolding?: Unfolding<Row>;
}

/** The key of a row is its `id`, unless `keyOf` says otherwise. */
type Keyed<Row> = Row extends { id: string }
  ? { keyOf?: (row: Row) => string }
  : { keyOf: (row: Row) => string };

type Found<Row> = ComponentProps<typeof QueryState>['of'] &
  Partial<ComponentProps<typeof ShowMore>['of']> & { data: { items: readonly Row[] } | undefined };

/** The items of a query as a table, or rows made from them, with its other states: loading, failed, empty, more. */
export function QueryTable<Row>({
  of: query,
  rows = (query.data?.items ?? []) as readonly Row[],
  lines,
  title,
  action,
  more,
  note,
  children,
  ...table
}: Omit<TableProps<Row>, 'rows'> &
  Keyed<Row> &
  ({ of: Found<Row>; rows?: undefined } | { of: Found<unknown>; rows: readonly Row[] }) &
  Pick<ComponentProps<typeof QueryState>, 'lines' | 'title' | 'action' | 'children'> & {
    /** Label of the button that loads the next page. */
    more?: string;
    /** Shown above the rows. */
    note?: ReactNode;
  }) {
  const empty = rows.length === 0;
  const { hasNextPage = false, isFetchingNextPage = false, fetchNextPage = query.refetch } = query;
  return (
    <>
      <QueryState of={query} lines={lines} empty={empty} title={title} action={action}>
        {children}
      </QueryState>
      {!empty && note}
      {!empty && <Rows {...(table as Omit<TableProps<Row>, 'rows'>)} rows={rows} />}
      <ShowMore of={{ hasNextPage, isFetchingNextPage, fetchNextPage }}>{more}</ShowMore>
    </>
  );
}

function idOf(row: unknown): string {
  return (row as { id: string }).id;
}

/** A table. On narrow pages, each row becomes an entry with labeled values. */
export const Table = Rows as <Row>(props: TableProps<Row> & Keyed<Row>) => ReactNode;

function Rows<Row>({
  label,
  columns,
  rows,
  keyOf = idOf,
  unfolding,
}: TableProps<Row> & { keyOf?: (row: Row) => string }) {
  const shown = columns.filter(({ main, cell }) => main || rows.some((row) => !isEmpty(cell(row))));
  return (
    <div className={css.frame}>
      <table className={css.table} aria-label={label}>
        <thead>
          <tr>
            {unfolding && (
              <th scope="col">
                <span className="visually-hidden">More</span>
              </th>
            )}
            {shown.map(({ name, figure }) => (
              <th key={name} scope="col" className={figure ? css.figure : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Fragment key={keyOf(row)}>
              <tr>
                {unfolding && <Fold row={row} rowKey={keyOf(row)} unfolding={unfolding} />}
                {shown.map(({ name, cell, figure, main }) => (
                  <td key={name} data-name={name} className={classes(figure && css.figure, main && css.main)}>
                    <Words>{cell(row)}</Words>
                  </td>
                ))}
              </tr>
              {unfolding?.open === keyOf(row) && (
                <tr className={css.unfolded}>
                  <td colSpan={shown.length + 1}>{unfolding.content(row)}</td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function isEmpty(content: ReactNode): boolean {
  return content === undefined || content === null || content === false || content === '';
}

/** Lets long words break anywhere and isolates the text direction. */
function Words({ children }: { children: ReactNode }) {
  if (typeof children !== 'string') return children;
  return <bdi className={/\S{25}/.test(children) ? css.unbroken : undefined}>{children}</bdi>;
}

function Fold<Row>({
  row,
  rowKey,
  unfolding: { open, toggle, nameOf },
}: {
  row: Row;
  rowKey: string;
  unfolding: Unfolding<Row>;
}) {
  const isOpen = open === rowKey;
  return (
    <td className={css.fold}>
      <IconButton
        label={`${isOpen ? 'Collapse' : 'Expand'} ${nameOf(row)}`}
        aria-expanded={isOpen}
        onClick={() => toggle(isOpen ? undefined : rowKey)}
      >
        {isOpen ? <DownIcon /> : <NextIcon />}
      </IconButton>
    </td>
  );
}

/** A cell of a run in progress: how many of its trials or sessions have ended. */
export function Progress({ ended, total, noun }: { ended: number; total: number; noun: string }) {
  return (
    <progress
      className={css.progress}
      max={total}
      value={ended}
      aria-label={`${ended} of ${total} ${noun} ended`}
    />
  );
}
