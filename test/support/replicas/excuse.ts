import type { Attempt } from './caller.ts';
import type { Disturbance } from './disturb.ts';
import type { Line } from './front.ts';
import type { Tunnel } from './tunnel.ts';

interface Facts {
  disturbances: readonly Disturbance[];
  lines: ReadonlyMap<string, Line>;
  tunnel: Tunnel;
}

/**
 * Why an attempt may have failed: it was under way on a replica when that was killed or stood still, as HAProxy says who
 * had it; or it was for a tunnel whose client was connected to such a replica and was not back yet. Undefined otherwise.
 */
export function excuseOf(attempt: Attempt, { disturbances, lines, tunnel }: Facts): Disturbance | undefined {
  const server = lines.get(attempt.name)?.server;
  const hard = disturbances.filter(({ what }) => what === 'kill' || what === 'freeze');
  return hard.find(({ who, from, until, relay }) => {
    const meets = (end: number): boolean => attempt.from <= end && attempt.to >= from;
    if (server === who && meets(until)) return true;
    const away = relay && attempt.kind === 'tunnel' && attempt.problem.includes('SERVER_UNREACHABLE');
    return away && meets(Math.max(until, tunnel.backAfter(from)));
  });
}
