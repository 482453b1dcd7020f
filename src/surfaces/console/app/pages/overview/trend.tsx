import { Link } from '@tanstack/react-router';
import { classes } from '../../kit/classes.ts';
import common from '../../kit/common.module.css';
import { count, percent } from '../../kit/numbers.ts';
import css from './overview.module.css';
import type { Point } from './trends.ts';

const width = 240;
const height = 64;
const edge = 4;

/** Pass rate of a suite by run: a line with a confidence band; a single run is a point with its interval. */
export function Trend({ projectId, name, points }: { projectId: string; name: string; points: Point[] }) {
  const last = points.at(-1);
  if (!last)
    return (
      <figure className={classes(common.card, css.trend)}>
        <figcaption>{name}</figcaption>
        <p className={css.unmeasured}>not measured</p>
      </figure>
    );
  const x = (at: number): number =>
    points.length === 1 ? width / 2 : edge + (at / (points.length - 1)) * (width - 2 * edge);
  const y = (rate: number): number => edge + (1 - rate) * (height - 2 * edge);
  const line = points.map(({ passed, trials }, at) => `${x(at)},${y(passed / trials)}`);
  const band = [
    ...points.map(({ upper }, at) => `${x(at)},${y(upper)}`),
    ...points.map(({ lower }, at) => `${x(at)},${y(lower)}`).toReversed(),
  ];
  const words = `${count(last.passed)} of ${count(last.trials)}`;
  return (
    <figure className={classes(common.card, css.trend)}>
      <figcaption>
        <span className={css.suite}>{name}</span>
        <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: last.runId }}>
          {words}
        </Link>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name}: ${points.map(({ passed, trials }) => percent(Math.round((passed / trials) * 100) / 100)).join(', ')} of trials passed; in the last run ${words}, between ${percent(Math.round(last.lower * 100) / 100)} and ${percent(Math.round(last.upper * 100) / 100)}`}
      >
        <line x1={0} x2={width} y1={y(1)} y2={y(1)} className={css.grid} />
        <line x1={0} x2={width} y1={y(0)} y2={y(0)} className={css.grid} />
        {points.length === 1 ? (
          <line x1={x(0)} x2={x(0)} y1={y(last.upper)} y2={y(last.lower)} className={css.whisker} />
        ) : (
          <>
            <polygon points={band.join(' ')} className={css.band} />
            <polyline points={line.join(' ')} className={css.line} />
          </>
        )}
        <circle cx={x(points.length - 1)} cy={y(last.passed / last.trials)} r={3} className={css.dot} />
      </svg>
    </figure>
  );
}
