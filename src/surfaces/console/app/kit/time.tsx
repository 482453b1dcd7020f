const today = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const thisYear = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const earlier = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/** A time in the reader's time zone; the tooltip has the full time in UTC. */
export function Time({ at }: { at: number }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <>unknown</>;
  const utc = date.toISOString();
  return (
    <time dateTime={utc} title={`${utc.slice(0, 19).replace('T', ' ')} UTC`}>
      {shownTime(date)}
    </time>
  );
}

/** Today: time. This year: date and time. Earlier: date with year, no time. */
export function shownTime(date: Date, now = new Date()): string {
  if (date.toDateString() === now.toDateString()) return today.format(date);
  return (date.getFullYear() === now.getFullYear() ? thisYear : earlier).format(date);
}

/** A thousand years in milliseconds. Longer durations are measurement errors. */
const longest = 1000 * 365 * 86_400_000;

/** Formats a duration: `145 ms`, `1.3 s`, `2 min 5 s`, `3 h 20 min`. */
export function duration(ms: number): string {
  if (!(Math.abs(ms) < longest)) return 'unknown time';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 9_950 ? 1 : 0)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
