import {
  type Analysis,
  factsOfVisit,
  groupBy,
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
import type { JobHandler } from '../../../platform/jobs/worker.ts';

import { storableJson } from '../../../platform/json/storable.ts';
import { jobKinds } from '../../base/job-kinds.ts';
import type { Services } from '../../context/context.ts';
import { foldWave } from '../../insights/fold-findings.ts';
import { type AnalysisPayload, idleAfter } from './schedule.ts';

/** Latest sessions analysed per window, latest turns per session, and sessions read at once. */
const maxSessions = 5_000;
const maxTurns = 200;
const atOnce = 200;
/** Windows with more sessions than this are analysed at most once per `restOfMany` milliseconds. */
const manySessions = 500;
const restOfMany = 60_000;

/** Analyses the seven-day window in which something happened, and updates the findings. */
export function analyseHandler({ db }: Services): JobHandler {
  return {
    handle: async (payload, signal) => {
      const { studyId, at, turnOf = '' } = payload as AnalysisPayload;
      const window = windowAt(at);
      const { at: now } = await db.one(windows.now);
      const last = await db.row(windows.find, { studyId, id: window.id });
      const rest = last && last.sessions > manySessions ? last.analysedAt + restOfMany - now : 0;
      if (rest > 0)
        return async (trx) => {
          const uniqueKey = `${studyId} ${window.id} rested`;
          await enqueue(trx, jobKinds.analyseStudy, payload, { uniqueKey, delay: rest, turnOf });
        };
      const study = await db.row(studies.get, { id: studyId });
      if (!study) return undefined;
      const { from, to } = window;
      const { visits, truncated } = await visitsIn(db, studyId, { from, to, now, idleAfter }, signal);
      if (visits.length === 0 && !last) return undefined;
      const observations = observeVisits(study, visits);
      const signals = storable(studySignals(visits, observations, truncated));
      return async (trx) => {
        // The lock prevents two concurrent analyses, each missing turns the other has read, from overwriting each
        // other.
        await trx.row(studyFindings.lockForUpdate, { ownerId: studyId });
        const put = { studyId, id: window.id, startAt: from, analysedAt: now };
        if ((await trx.run(windows.put, { ...put, sessions: visits.length, signals })) === 0) return;
        const owner = { kind: 'study', id: studyId } as const;
        await foldWave(trx, study.projectId, owner, { waveId: window.id, at: from }, observations);
      };
    },
  };
}

/** Reads sessions in batches, so that thousands of transcripts are not in memory at once. */
async function visitsIn(
  db: Db,
  studyId: string,
  look: Analysis,
  signal: AbortSignal,
): Promise<{ visits: VisitFacts[]; truncated: boolean }> {
  const { from, to } = look;
  const active = await db.rows(sessions.active, { studyId, from, to, most: maxSessions + 1 });
  const rows = active.slice(0, maxSessions);
  const visits: VisitFacts[] = [];
  for (let at = 0; at < rows.length; at += atOnce) {
    signal.throwIfAborted();
    const some = rows.slice(at, at + atOnce);
    const sessionIds = some.map(({ sessionId }) => sessionId);
    const turns = groupBy(
      await db.rows(sessions.turnsIn, { sessionIds, from, to, most: maxTurns }),
      ({ sessionId }) => sessionId,
    );
    visits.push(...some.map((row) => factsOfVisit(row, turns.get(row.sessionId) ?? [], look)));
  }
  return { visits, truncated: active.length > rows.length };
}

/** Tool names come from servers and may contain text PostgreSQL cannot store. */
function storable(signals: StudySignals): unknown {
  return JSON.parse(storableJson(signals)) as unknown;
}
