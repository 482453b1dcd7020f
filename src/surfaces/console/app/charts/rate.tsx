import { wilson } from '../../../../evaluation/statistics/wilson.ts';
import { count, percent } from '../kit/numbers.ts';
import css from './rate.module.css';

const width = 96;
const height = 14;

/**
 * A pass rate: a band for the 95% interval, a mark for the observed rate, and a line for the required one.
 * An unmeasured rate is empty, never zero.
 */
export function Rate({
  passed,
  trials,
  needed,
  interval = wilson(passed, trials),
  bare = false,
}: {
  passed: number;
  trials: number;
  /** Required pass rate. */
  needed?: number | undefined;
  /** Precomputed interval, if there is one. */
  interval?: { lower: number; upper: number } | undefined;
  /** Hides the numbers, if they are shown elsewhere. */
  bare?: boolean;
}) {
  if (!interval || trials === 0) return <span className={css.none}>not measured</span>;
  const words = `${count(passed)} of ${count(trials)}, between ${percent(round(interval.lower))} and ${percent(round(interval.upper))}${
    needed === undefined ? '' : `, ${percent(needed)} required`
  }`;
  const at = (rate: number): number => 1 + rate * (width - 2);
  return (
    <span className={css.rate} title={words}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={words}>
        <line x1={1} x2={width - 1} y1={height / 2} y2={height / 2} className={css.track} />
        <rect
          x={at(interval.lower)}
          y={4}
          width={Math.max(1, at(interval.upper) - at(interval.lower))}
          height={height - 8}
          rx={1}
          className={css.band}
        />
        {needed !== undefined && (
          <line x1={at(needed)} x2={at(needed)} y1={0} y2={height} className={css.needed} />
        )}
        <rect x={at(passed / trials) - 1.5} y={1} width={3} height={height - 2} rx={1} className={css.seen} />
      </svg>
      {!bare && (
        <span className={css.figures}>
          {count(passed)} of {count(trials)}
        </span>
      )}
    </span>
  );
}

function round(rate: number): number {
  return Math.round(rate * 100) / 100;
}
