import type { ReactNode } from 'react';
import css from './chart.module.css';

const height = 190;
const margin = { top: 10, right: 10, bottom: 22, left: 52 };

export interface Place {
  /** Center of the nth column. */
  x: (at: number) => number;
  y: (value: number) => number;
  /** Width of a column. */
  step: number;
}

/** Grid lines with their values, and as many labels below as fit. */
export function Axes({
  width,
  label,
  names,
  most,
  show,
  children,
}: {
  width: number;
  /** The text alternative of the chart. */
  label: string;
  names: readonly string[];
  /** Maximum of the axis; the minimum is zero. */
  most: number;
  show: (value: number) => string;
  children: (place: Place) => ReactNode;
}) {
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  const step = inner.width / Math.max(1, names.length);
  const x = (at: number): number => margin.left + step * (at + 0.5);
  const top = most > 0 ? most : 1;
  const y = (value: number): number => margin.top + inner.height * (1 - Math.min(1, value / top));
  const every = Math.max(1, Math.ceil(40 / step));
  return (
    <svg width={width} height={height} role="img" aria-label={label}>
      {[0, 0.25, 0.5, 0.75, 1].map((part) => (
        <g key={part}>
          <line
            x1={margin.left}
            x2={width - margin.right}
            y1={y(part * top)}
            y2={y(part * top)}
            className={css.grid}
          />
          {part % 0.5 === 0 && (
            <text x={margin.left - 6} y={y(part * top) + 4} textAnchor="end" className={css.label}>
              {show(part * top)}
            </text>
          )}
        </g>
      ))}
      {names.map(
        (name, at) =>
          (names.length - 1 - at) % every === 0 && (
            <text key={at} x={x(at)} y={height - 6} textAnchor="middle" className={css.label}>
              {name}
            </text>
          ),
      )}
      {children({ x, y, step })}
    </svg>
  );
}
