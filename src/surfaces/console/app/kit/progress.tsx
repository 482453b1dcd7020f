import common from './common.module.css';

/** How far a run is, as a bar. */
export function Progress({
  ended,
  total,
  noun,
  wide = false,
}: {
  ended: number;
  total: number;
  /** What is counted, in the plural. */
  noun: string;
  wide?: boolean;
}) {
  return (
    <progress
      className={wide ? common.wideProgress : common.progress}
      max={total}
      value={ended}
      aria-label={wide ? `Completed ${noun}` : `${ended} of ${total} ${noun} ended`}
    />
  );
}
