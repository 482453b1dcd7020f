import { classes } from '../kit/classes.ts';
import { shownTime } from '../kit/time.tsx';
import css from './uptime.module.css';

export interface Slot {
  from: number;
  to: number;
  ok: number;
  failed: number;
}

/** One bar per period: passed, failed, partly failed, or not checked. */
export function UptimeStrip({ label, slots }: { label: string; slots: readonly Slot[] }) {
  return (
    <div className={css.strip} role="img" aria-label={label}>
      {slots.map((slot) => (
        <span key={slot.from} className={classes(css.slot, lookOf(slot))} title={wordsOf(slot)} />
      ))}
    </div>
  );
}

function lookOf({ ok, failed }: Slot): string | undefined {
  if (ok + failed === 0) return undefined;
  return failed === 0 ? css.good : ok === 0 ? css.bad : css.partly;
}

function wordsOf({ from, to, ok, failed }: Slot): string {
  const checks = ok + failed === 0 ? 'not checked' : `${ok} good, ${failed} failed`;
  return `${shownTime(new Date(from))} to ${shownTime(new Date(to))}: ${checks}`;
}
