import { readingRules, type StudySignals, studySignals, windowAt } from '../../../evaluation/index.ts';
import type { Db } from '../../../platform/database/database.ts';
import { studyFindings } from '../../../platform/database/queries/findings.ts';
import * as studies from '../../../platform/database/queries/studies.ts';
import * as windows from '../../../platform/database/queries/study-windows.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import type { JobHandler } from '../../../platform/jobs/worker.ts';
import { storableJson } from '../../../platform/json/storable.ts';
import { jobKinds } from '../../base/job-kinds.ts';
import type { Services } from '../../context/context.ts';
import { foldWave } from '../../insights/fold-findings.ts';
import { type AnalysisPayload, idleAfter } from './schedule.ts';
import {
  type Analysed,
  countVisits,
  maxTurns,
  type ReadVisits,
  readAll,
  readChanged,
  storeVisits,
} from './visits.ts';

/** Latest sessions analysed per window. */
const maxSessions = 5_000;
/** Windows with more sessions than this are read from scratch at most once per `restOfMany` milliseconds. */
const manySessions = 500;
const restOfMany = 60_000;

/**
 * Analyses the seven-day window in which something happened, and updates the findings. Reads only sessions that have
 * changed since the last analysis, or have become idle; what was read in the others is stored.
 */
export function analyseHandler({ db }: Services, bounds = { maxSessions }): JobHandler {
  return {
    handle: async (payload, signal) => {
      const { studyId, at, turnOf = '' } = payload as AnalysisPayload;
      const window = windowAt(at);
      const { at: now } = await db.one(windows.now);
      const last = await db.row(windows.find, { studyId, id: window.id });
      const study = await db.row(studies.get, { id: studyId });
      if (!study) return undefined;
      const basis = basisOf(study);
      const again = (trx: Db, delay: number) =>
        enqueue(trx, jobKinds.analyseStudy, payload, {
          uniqueKey: `${studyId} ${window.id} rested`,
          delay,
          turnOf,
        });

      const of = { study, window, now };
      const changed = last?.visitsBasis === basis ? await readSince(db, of, last, bounds, signal) : undefined;
      const rest = last && last.sessions > manySessions ? last.analysedAt + restOfMany - now : 0;
      if (!changed && rest > 0) return async (trx) => void (await again(trx, rest));
      const read = changed ?? (await readAll(db, of, bounds.maxSessions, signal));
      if (read.counted.length === 0 && !last) return undefined;

      return async (trx) => {
        // The lock prevents two concurrent analyses, each missing turns the other has read, from overwriting each
        // other.
        await trx.row(studyFindings.lockForUpdate, { ownerId: studyId });
        const current = await trx.row(windows.find, { studyId, id: window.id });
        if (current && current.analysedAt > now) return;
        // Another analysis has replaced the readings that this one adds to.
        if (changed && current?.visitsBasis !== basis) return void (await again(trx, 0));

        const truncated = await storeVisits(trx, of, read, {
          maxSessions: bounds.maxSessions,
          wasTruncated: current?.visitsTruncated === true,
        });
        const { sessions, observations } = await countVisits(trx, of);
        // A counted session is gone, which makes room for one that is not stored.
        if (changed && truncated && sessions < bounds.maxSessions) {
          await trx.run(windows.startOver, { studyId, id: window.id });
          return void (await again(trx, 0));
        }

        await trx.run(windows.put, {
          studyId,
          id: window.id,
          startAt: window.from,
          analysedAt: now,
          sessions,
          signals: storable(studySignals(sessions, observations, truncated)),
          visitsReadAt: now,
          visitsBasis: basis,
          visitsTruncated: truncated,
        });
        const owner = { kind: 'study', id: studyId } as const;
        await foldWave(trx, study.projectId, owner, { waveId: window.id, at: window.from }, observations);
      };
    },
  };
}

/** Inputs of the readings besides the sessions. If one changes, stored readings are replaced. */
function basisOf({ name }: { name: string }): string {
  return JSON.stringify([readingRules, idleAfter, maxTurns, name]);
}

/**
 * Goes back as far as sessions could still become idle after the last reading. That is longer than any transaction
 * takes, so it also covers those that were not committed yet.
 */
async function readSince(
  db: Db,
  of: Analysed,
  { visitsReadAt }: windows.WindowRow,
  bounds: { maxSessions: number },
  signal: AbortSignal,
): Promise<ReadVisits | undefined> {
  if (visitsReadAt === null) return undefined;
  return readChanged(db, of, visitsReadAt - idleAfter, bounds.maxSessions, signal);
}

/** Tool names come from servers and may contain text PostgreSQL cannot store. */
function storable(signals: StudySignals): unknown {
  return JSON.parse(storableJson(signals)) as unknown;
}
