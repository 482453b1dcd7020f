import {
  factsOfVisit,
  groupBy,
  maxContrast,
  maxEvidence,
  type Observation,
  type Reading,
  readingsOfVisit,
  type Tally,
  visitObservations,
  type Window,
} from '../../../evaluation/index.ts';
import { byColumn } from '../../../platform/database/columns.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as sessions from '../../../platform/database/queries/study-sessions.ts';
import * as visits from '../../../platform/database/queries/study-visits.ts';
import { idleAfter } from './schedule.ts';

/** Latest turns analysed per session, and sessions read or written at once. */
export const maxTurns = 200;
const atOnce = 200;

/** The window of a study that is analysed, and when. */
export interface Analysed {
  study: { id: string; name: string };
  window: Window;
  now: number;
}

/** The result of reading: sessions to count, with their readings, and sessions that no longer count. */
export interface ReadVisits {
  /** Undefined: `counted` holds all sessions of the window. */
  since: number | undefined;
  counted: { sessionId: string; lastActivityAt: number; readings: Reading[] }[];
  forgotten: string[];
  /** The window has more sessions than `counted`. */
  truncated: boolean;
}

/** Reads the latest sessions of the window. */
export async function readAll(
  db: Db,
  of: Analysed,
  maxSessions: number,
  signal: AbortSignal,
): Promise<ReadVisits> {
  const { from, to } = of.window;
  const active = await db.rows(sessions.active, { studyId: of.study.id, from, to, most: maxSessions + 1 });
  const counted = await readingsIn(db, of, active.slice(0, maxSessions), signal);
  return { since: undefined, counted, forgotten: [], truncated: active.length > maxSessions };
}

/** Reads the sessions that may have changed since a time; undefined if there are more than `maxSessions`. */
export async function readChanged(
  db: Db,
  of: Analysed,
  since: number,
  maxSessions: number,
  signal: AbortSignal,
): Promise<ReadVisits | undefined> {
  const { id: windowId, from, to } = of.window;
  const period = { studyId: of.study.id, windowId, from, to };
  const changed = await db.rows(sessions.changed, { ...period, since, most: maxSessions + 1 });
  if (changed.length > maxSessions) return undefined;
  const [active, others] = [true, false].map((is) => changed.filter(({ isActive }) => isActive === is));
  return {
    since,
    counted: await readingsIn(db, of, active ?? [], signal),
    forgotten: (others ?? []).map(({ sessionId }) => sessionId),
    truncated: false,
  };
}

type ActiveSession = Pick<sessions.StudySessionRow, 'sessionId' | 'rating' | 'ratedAt' | 'lastActivityAt'>;

/** Reads the turns of sessions in batches, so that thousands of transcripts are not in memory at once. */
async function readingsIn(
  db: Db,
  { study, window: { from, to }, now }: Analysed,
  active: readonly ActiveSession[],
  signal: AbortSignal,
): Promise<ReadVisits['counted']> {
  const counted: ReadVisits['counted'] = [];
  for (const some of batchesOf(active)) {
    signal.throwIfAborted();
    const sessionIds = some.map(({ sessionId }) => sessionId);
    const turns = groupBy(
      await db.rows(sessions.turnsIn, { sessionIds, from, to, most: maxTurns }),
      ({ sessionId }) => sessionId,
    );
    for (const session of some) {
      const { sessionId, lastActivityAt } = session;
      const facts = factsOfVisit(session, turns.get(sessionId) ?? [], { from, to, now, idleAfter });
      counted.push({ sessionId, lastActivityAt, readings: readingsOfVisit(study, facts) });
    }
  }
  return counted;
}

/**
 * Stores what an analysis has read, in place of what was stored of the same sessions, or of all. Keeps the latest
 * `maxSessions`. Returns whether the window has more sessions than are stored.
 */
export async function storeVisits(
  db: Db,
  { study, window: { id: windowId, from, to } }: Analysed,
  { since, counted, forgotten, truncated }: ReadVisits,
  { maxSessions, wasTruncated }: { maxSessions: number; wasTruncated: boolean },
): Promise<boolean> {
  const window = { studyId: study.id, windowId };
  const changed = [...counted.map(({ sessionId }) => sessionId), ...forgotten];
  if (since === undefined) await db.run(visits.forgetAll, window);
  else if (changed.length > 0) await db.run(visits.forget, { ...window, sessionIds: changed });
  for (const some of batchesOf(counted)) {
    const rows = some.map(({ sessionId, lastActivityAt }) => ({ sessionId, lastActivityAt }));
    await db.run(visits.add, { ...window, ...byColumn(rows) });
    await db.run(visits.addReadings, { ...window, ...byColumn(some.flatMap(({ readings }) => readings)) });
  }
  if (since === undefined) return truncated;
  const trimmed = await db.run(visits.trim, { ...window, most: maxSessions });
  if (trimmed === 0 && !wasTruncated) return false;
  return (await db.row(sessions.uncounted, { ...window, from, to })) !== undefined;
}

/** Counts the stored readings of a window. */
export async function countVisits(
  db: Db,
  { study, window: { id: windowId } }: Analysed,
): Promise<{ sessions: number; observations: Observation[] }> {
  const window = { studyId: study.id, windowId };
  const { sessions: counted } = await db.one(visits.count, window);
  const tallies = await db.rows(visits.tallies, { ...window, maxEvidence, maxContrast });
  return { sessions: counted, observations: visitObservations(tallies as Tally[]) };
}

function batchesOf<Item>(all: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(all.length / atOnce) }, (_, at) =>
    all.slice(at * atOnce, (at + 1) * atOnce),
  );
}
