import { CopyButton } from '../kit/copy.tsx';
import { count } from '../kit/numbers.ts';
import { type Column, Table } from '../kit/table.tsx';
import css from './days.module.css';

export interface Day {
  /** For example `2026-11-16`. */
  day: string;
  value: number;
}

/** Width of a bar with its gap, in pixels. */
const step = 28;
const height = 130;
const top = 16;
const bottom = 18;

/** Bar chart by day, starting at zero. Also available as a table and as CSV. */
export function Days({ label, unit, days }: { label: string; unit: string; days: readonly Day[] }) {
  const most = Math.max(1, ...days.map(({ value }) => value));
  const width = step * days.length;
  const csv = [`day,${unit}`, ...days.map(({ day, value }) => `${day},${value}`)].join('\n');
  return (
    <div className={css.days}>
      {/* Scrollable on narrow pages, so it must be focusable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div ref={showLatest} className={css.frame} role="group" aria-label={label} tabIndex={0}>
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
          {days.map(({ day, value }, at) => {
            const size = (value / most) * (height - top - bottom);
            const middle = (at + 0.5) * step;
            return (
              <g key={day}>
                <title>{`${day}: ${count(value)} ${unit}`}</title>
                <rect
                  x={middle - step * 0.35}
                  y={height - bottom - size}
                  width={step * 0.7}
                  height={size}
                  className={css.bar}
                />
                {value > 0 && (
                  <text x={middle} y={height - bottom - size - 4} className={css.figure}>
                    {count(value)}
                  </text>
                )}
                <text x={middle} y={height - 4} className={css.label}>
                  {Number(day.slice(8))}
                </text>
              </g>
            );
          })}
          <line x1={0} x2={width} y1={height - bottom} y2={height - bottom} className={css.axis} />
        </svg>
      </div>
      <details className={css.details}>
        <summary>As a table</summary>
        <div className={css.table}>
          <div>
            <CopyButton text={csv} label="Copy as CSV" />
          </div>
          <Table label={label} columns={columnsOf(unit)} rows={days} keyOf={({ day }) => day} />
        </div>
      </details>
    </div>
  );
}

/** Scrolls to the latest days if not all fit. */
function showLatest(frame: HTMLElement | null): void {
  if (frame) frame.scrollLeft = frame.scrollWidth;
}

function columnsOf(unit: string): Column<Day>[] {
  return [
    { name: 'Day (UTC)', main: true, cell: ({ day }) => day },
    { name: unit, figure: true, cell: ({ value }) => count(value) },
  ];
}
