import type { Attempt } from './caller.ts';
import type { Disturbance } from './disturb.ts';
import type { Line, Notice } from './front.ts';
import type { Held } from './tunnel.ts';

interface Facts {
  disturbances: readonly Disturbance[];
  lines: ReadonlyMap<string, Line>;
  notices: readonly Notice[];
  /** The holders of the tunnel over time. */
  held: readonly Held[];
}

/** Milliseconds between an action of HAProxy and this process's reading of it. */
const slack = 250;

/**
 * The disturbance that excuses a failed attempt: its replica, which HAProxy logs, was killed or frozen
 * meanwhile; or it used a tunnel whose client was connected to such a replica and not back yet.
 */
export function excuseOf(attempt: Attempt, facts: Facts): Disturbance | undefined {
  const line = facts.lines.get(attempt.name);
  const hard = facts.disturbances.filter(({ what }) => what === 'kill' || what === 'freeze');
  return hard.find(({ who, from, until }) => {
    const meets = (end: number): boolean => attempt.from <= end && attempt.to >= from;
    if (line?.server === who && meets(until)) return true;
    if (line && isCutWith(who, line, attempt, facts.notices)) return true;
    if (attempt.kind !== 'tunnel' || !/SERVER_UNREACHABLE|TIMEOUT/.test(attempt.problem)) return false;
    return facts.held.some(
      (held) =>
        held.by === who && held.from <= until && held.until >= from && meets(Math.max(until, held.until)),
    );
  });
}

/**
 * Whether HAProxy ended the attempt when it found this replica down. HAProxy ends whatever it was about to
 * send there, even if it has just chosen another replica, whose name is then in the log.
 */
function isCutWith(who: string, { ending }: Line, attempt: Attempt, notices: readonly Notice[]): boolean {
  if (!ending.startsWith('D')) return false;
  return notices.some(
    ({ at, text }) =>
      text.includes(`replicas/${who} is DOWN`) && at >= attempt.from - slack && at <= attempt.to + slack,
  );
}
