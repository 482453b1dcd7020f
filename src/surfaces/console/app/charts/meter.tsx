import type { ReactNode } from 'react';
import { StateMark } from '../kit/state.tsx';
import css from './meter.module.css';

/** Usage bar with its numbers. Without a limit, only the numbers. */
export function Meter({
  name,
  used,
  limit,
  figure,
  marks = [],
  note,
}: {
  name: string;
  used: number;
  limit: number | null;
  figure: (value: number) => string;
  /** Thresholds, as shares of the limit. */
  marks?: readonly number[];
  note?: ReactNode;
}) {
  const words = limit === null ? `${figure(used)}, no limit` : `${figure(used)} of ${figure(limit)}`;
  const share = limit === null ? undefined : limit > 0 ? used / limit : 1;
  const over = share !== undefined && share >= 1;
  return (
    <div className={css.meter}>
      <div className={css.line}>
        <span className={css.name}>{name}</span>
        <span className={css.figures}>
          {over && <StateMark state="attention">reached</StateMark>} {words}
        </span>
      </div>
      {share !== undefined && (
        <svg
          viewBox="0 0 100 8"
          preserveAspectRatio="none"
          className={css.bar}
          role="img"
          aria-label={`${name}: ${words}`}
        >
          <rect width={100} height={8} className={css.track} />
          <rect width={Math.min(100, share * 100)} height={8} className={over ? css.over : css.used} />
          {marks.map((mark) => (
            <line key={mark} x1={mark * 100} x2={mark * 100} y1={0} y2={8} className={css.mark} />
          ))}
        </svg>
      )}
      {note && <p className={css.note}>{note}</p>}
    </div>
  );
}
