import { repeatsItself } from './repeated-ask.ts';

/** A message of a visitor and what came of it, as it is stored. */
export interface VisitTurn {
  asked: string;
  answered: boolean;
  /** Without the time that it waited for the visitor. */
  durationMs: number;
  calls: readonly { toolName: string; serverId?: string; ok: boolean }[];
}

/** A session of a visitor, as it is stored. */
export interface VisitSession {
  sessionId: string;
  rating: number | null;
  ratedAt: number | null;
  lastActivityAt: number;
}

/** Seven days, and when they are looked at. */
export interface Look {
  from: number;
  to: number;
  now: number;
  /** Milliseconds after which a session counts as over. */
  idleAfter: number;
}

/** What a session of a visitor shows in seven days. */
export interface VisitFacts {
  sessionId: string;
  turns: number;
  slowTurns: number;
  repeatsItself: boolean;
  tools: { serverId: string | null; toolName: string; calls: number; failed: number }[];
  /** How its last message ended; null where it may go on, or did after these days. */
  end: null | 'answered' | 'unanswered' | 'tools_failed';
  /** Null where the visitor did not say in these days. */
  liked: boolean | null;
}

/** Milliseconds for which nobody waits gladly. */
const longestTurn = 15_000;

/** `turns` are those of these days, in their order. */
export function factsOfVisit(session: VisitSession, turns: readonly VisitTurn[], look: Look): VisitFacts {
  const { sessionId, rating, ratedAt } = session;
  const isRated = rating !== null && ratedAt !== null && ratedAt >= look.from && ratedAt < look.to;
  return {
    sessionId,
    turns: turns.length,
    slowTurns: turns.filter(({ durationMs }) => durationMs > longestTurn).length,
    repeatsItself: repeatsItself(turns.map(({ asked }) => asked)),
    tools: toolsIn(turns),
    end: isOver(session, look) ? endOf(turns) : null,
    liked: isRated ? rating > 0 : null,
  };
}

function isOver({ lastActivityAt }: VisitSession, { to, now, idleAfter }: Look): boolean {
  return lastActivityAt < to && now - lastActivityAt >= idleAfter;
}

function endOf(turns: readonly VisitTurn[]): VisitFacts['end'] {
  const last = turns.at(-1);
  if (!last) return null;
  if (!last.answered) return 'unanswered';
  return last.calls.some(({ ok }) => !ok) ? 'tools_failed' : 'answered';
}

function toolsIn(turns: readonly VisitTurn[]): VisitFacts['tools'] {
  const tools = new Map<string, VisitFacts['tools'][number]>();
  for (const { toolName, serverId = null, ok } of turns.flatMap(({ calls }) => calls)) {
    const key = JSON.stringify([serverId, toolName]);
    const tool = tools.get(key) ?? { serverId, toolName, calls: 0, failed: 0 };
    tools.set(key, { ...tool, calls: tool.calls + 1, failed: tool.failed + (ok ? 0 : 1) });
  }
  return [...tools.values()];
}
