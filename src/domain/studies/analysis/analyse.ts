import {
  factsOfVisit,
  grouped,
  type Look,
  observeVisits,
  type StudySignals,
  studySignals,
  type VisitFacts,
  windowAt,
} from '../../../evaluation/index.ts';
import type { Db } from '../../../platform/database/database.ts';
import { studyFindings } from '../../../platform/database/queries/findings.ts';
import * as studies from '../../../platform/database/queries/studies.ts';
import * as sessions from '../../../platform/database/queries/study-sessions.ts';
import * as windows from '../../../platform/database/queries/study-windows.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import type { JobKind } from '../../../platform/jobs/worker.ts';
import type { Services } from '../../context.ts';
import { foldWave } from '../../findings/fold.ts';
import { storableJson } from '../../storable.ts';
import { type AnalysisPayload, analyseStudy, idleAfter } from './schedule.ts';

/** Sessions of a window that are looked at, the latest; turns of each, the latest; and how many are read at once. */
const mostSessions = 5_000;
const mostTurns = 200;
const atOnce = 200;
/** With more sessions than this, a window is looked at once in so many milliseconds. */
const manySessions = 500;
const restOfMany = 60_000;

/** Counts what happened in the seven days in which something did, and what becomes of findings with it. */
export function analyseStudyJob({ db }: Services): JobKind {
  return {
    kind: analyseStudy,
    concurrency: 2,
    handle: async (payload, signal) => {
      const { studyId, at, turnOf = '' } = payload as AnalysisPayload;
      const window = windowAt(at);
      const { at: now } = await db.one(windows.now);
      const last = await db.row(windows.find, { studyId, id: window.id });
      const rest = last && last.sessions > manySessions ? last.analysedAt + restOfMany - now : 0;
      if (rest > 0)
        return async (trx) => {
          const uniqueKey = `${studyId} ${window.id} rested`;
          await enqueue(trx, analyseStudy, payload, { uniqueKey, delay: rest, turnOf });
        };
      const study = await db.row(studies.get, { id: studyId });
      if (!study) return undefined;
      const { from, to } = window;
      const { visits, truncated } = await visitsIn(db, studyId, { from, to, now, idleAfter }, signal);
      if (visits.length === 0 && !last) return undefined;
      const observations = observeVisits(study, visits);
      const signals = storable(studySignals(visits, observations, truncated));
      return async (trx) => {
        // Two at once, each with turns that the other has not seen, would overwrite each other.
        await trx.row(studyFindings.lineUp, { ownerId: studyId });
        const put = { studyId, id: window.id, startAt: from, analysedAt: now };
        if ((await trx.run(windows.put, { ...put, sessions: visits.length, signals })) === 0) return;
        const place = { ownerId: studyId, projectId: study.projectId, kind: 'study' as const };
        const book = { findings: studyFindings, prefix: 'sfnd', ...place };
        await foldWave(trx, book, { waveId: window.id, at: from }, observations);
      };
    },
  };
}

/** Some at a time, so that the words of thousands of sessions are not all in memory. */
async function visitsIn(
  db: Db,
  studyId: string,
  look: Look,
  signal: AbortSignal,
): Promise<{ visits: VisitFacts[]; truncated: boolean }> {
  const { from, to } = look;
  const active = await db.rows(sessions.active, { studyId, from, to, most: mostSessions + 1 });
  const rows = active.slice(0, mostSessions);
  const visits: VisitFacts[] = [];
  for (let at = 0; at < rows.length; at += atOnce) {
    signal.throwIfAborted();
    const some = rows.slice(at, at + atOnce);
    const sessionIds = some.map(({ sessionId }) => sessionId);
    const turns = grouped(
      await db.rows(sessions.turnsIn, { sessionIds, from, to, most: mostTurns }),
      ({ sessionId }) => sessionId,
    );
    visits.push(...some.map((row) => factsOfVisit(row, turns.get(row.sessionId) ?? [], look)));
  }
  return { visits, truncated: active.length > rows.length };
}

/** Names of tools come from servers. */
function storable(signals: StudySignals): unknown {
  return JSON.parse(storableJson(signals)) as unknown;
}
