import { counted } from '../../kit/numbers.ts';
import { plain } from '../../kit/text.ts';
import css from './findings.module.css';
import { share } from './states.ts';

/** Affected sessions of a wave or another period. */
export interface Measured {
  id: string;
  affected: number;
  total: number;
  fired: boolean;
}

const width = 240;
const height = 56;
const gap = 2;
/** Maximum bar width in chart units, so that a few waves do not fill the chart. */
const widest = 24;

/** Share of affected sessions by wave: filled if it counts as a finding, otherwise outlined. */
export function WaveChart({
  name,
  measured,
  noun,
}: {
  name: string;
  measured: readonly Measured[];
  noun: string;
}) {
  const last = measured.at(-1);
  if (!last) return <p className={css.unmeasured}>not measured</p>;
  const step = Math.min(widest, width / measured.length);
  const y = (rate: number): number => 1 + (1 - rate) * (height - 2);
  const words = `${plain(name)}. In ${counted(measured.length, noun)}, oldest first: ${measured
    .map(({ affected, total }) => share(affected, total))
    .join(', ')} of sessions; in the last ${last.affected} of ${last.total}`;
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className={css.waves}
      role="img"
      aria-label={words}
    >
      <line x1={0} x2={width} y1={y(1)} y2={y(1)} className={css.grid} />
      <line x1={0} x2={width} y1={y(0)} y2={y(0)} className={css.grid} />
      {measured.map(({ id, affected, total, fired }, at) => {
        const rate = total === 0 ? 0 : affected / total;
        // Zero is drawn as a line, to differ from a missing wave.
        const top = Math.min(y(rate), y(0) - 2);
        return (
          <rect
            key={id}
            x={at * step + gap / 2}
            width={Math.max(1, step - gap)}
            y={top}
            height={y(0) - top}
            className={fired ? css.fired : css.clear}
          >
            <title>{`${affected} of ${counted(total, 'session')}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
