import { wilson } from '../../../../evaluation/statistics/wilson.ts';
import { counted, percent } from '../kit/numbers.ts';
import css from './chart.module.css';

export interface Measured {
  passed: number;
  trials: number;
}

const width = 112;
const high = 30;

/** Pass rate by run: a line with its confidence band. */
export function Trend({ past }: { past: readonly Measured[] }) {
  const points = past.flatMap(({ passed, trials }) => {
    const interval = wilson(passed, trials);
    return interval ? [{ rate: passed / trials, ...interval }] : [];
  });
  const last = points.at(-1);
  if (!last) return null;
  const words = `Pass rate over ${counted(points.length, 'run')}: last ${percent(round(last.rate))}, between ${percent(round(last.lower))} and ${percent(round(last.upper))}${
    points.length > 1 ? `; first ${percent(round(points[0]?.rate ?? 0))}` : ''
  }`;
  const x = (at: number): number =>
    points.length === 1 ? width / 2 : 3 + (at * (width - 6)) / (points.length - 1);
  const y = (rate: number): number => 3 + (1 - rate) * (high - 6);
  return (
    <svg width={width} height={high} role="img" aria-label={words}>
      <title>{words}</title>
      <line x1={0} x2={width} y1={y(0)} y2={y(0)} className={css.grid} />
      <line x1={0} x2={width} y1={y(1)} y2={y(1)} className={css.grid} />
      {points.length === 1 ? (
        <rect
          x={x(0) - 3}
          width={6}
          y={y(last.upper)}
          height={y(last.lower) - y(last.upper)}
          className={css.band}
        />
      ) : (
        <path d={bandPath(points, x, y)} className={css.band} />
      )}
      <path d={linePath(points, x, y)} className={css.line} />
      <circle cx={x(points.length - 1)} cy={y(last.rate)} r={2.5} className={css.dot} />
    </svg>
  );
}

interface Point {
  rate: number;
  lower: number;
  upper: number;
}

export function linePath(
  points: readonly Point[],
  x: (at: number) => number,
  y: (rate: number) => number,
): string {
  return points.map(({ rate }, at) => `${at === 0 ? 'M' : 'L'}${x(at)} ${y(rate)}`).join('');
}

/** Path along the upper bounds, then back along the lower ones. */
export function bandPath(
  points: readonly Point[],
  x: (at: number) => number,
  y: (rate: number) => number,
): string {
  const upper = points.map((point, at) => `${x(at)} ${y(point.upper)}`);
  const lower = points.map((point, at) => `${x(at)} ${y(point.lower)}`).toReversed();
  return `M${[...upper, ...lower].join('L')}Z`;
}

export function round(rate: number): number {
  return Math.round(rate * 100) / 100;
}
