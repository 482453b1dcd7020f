import { type ReactNode, useEffect, useRef, useState } from 'react';
import { CopyButton } from '../kit/copy.tsx';
import { TabButtons } from '../kit/tabs.tsx';
import css from './chart.module.css';
import { type Cell, csvOf } from './csv.ts';

export interface ChartColumn<Row> {
  name: string;
  /** Value in the CSV. */
  value: (row: Row) => Cell;
  /** Value in the table, if it differs. */
  shown?: (row: Row) => ReactNode;
}

/** A chart that can also be read as a table and copied as CSV. */
export function Chart<Row>({
  title,
  note,
  columns,
  rows,
  keyOf,
  children,
}: {
  title: string;
  note?: ReactNode;
  columns: ChartColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  children: (width: number) => ReactNode;
}) {
  const [view, setView] = useState<'chart' | 'table'>('chart');
  const csv = csvOf(
    columns.map(({ name }) => name),
    rows.map((row) => columns.map(({ value }) => value(row))),
  );
  return (
    <figure className={css.chart} aria-label={title}>
      <figcaption className={css.head}>
        <h3>{title}</h3>
        <span className={css.ways}>
          <TabButtons
            label={`${title}: shown as`}
            names={[
              ['chart', 'Chart'],
              ['table', 'Table'],
            ]}
            chosen={view}
            choose={setView}
          />
          <CopyButton text={csv} label={`Copy ${title.toLowerCase()} as CSV`} />
        </span>
      </figcaption>
      {note && <p className={css.note}>{note}</p>}
      {view === 'chart' ? (
        <Measured>{children}</Measured>
      ) : (
        <ChartTable title={title} columns={columns} rows={rows} keyOf={keyOf} />
      )}
    </figure>
  );
}

function ChartTable<Row>({
  title,
  columns,
  rows,
  keyOf,
}: {
  title: string;
  columns: ChartColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}) {
  return (
    // Scrollable, so it must be focusable.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={css.frame} role="region" tabIndex={0} aria-label={`${title}, table`}>
      <table className={css.table}>
        <thead>
          <tr>
            {columns.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, value, shown }) => (
                <td key={name}>{shown ? shown(row) : (value(row) ?? '–')}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Renders at the available width, so that text keeps its size. */
function Measured({ children }: { children: (width: number) => ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const sizes = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    if (place.current) sizes.observe(place.current);
    return () => sizes.disconnect();
  }, []);
  return (
    <div ref={place} className={css.place}>
      {width > 0 && children(width)}
    </div>
  );
}
