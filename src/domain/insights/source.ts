import type { Db } from '../../platform/database/database.ts';
import type { InsightsQueries } from '../../platform/database/queries/insights.ts';

/** The names of a run, wave or window, as in the payload of a job. */
export type Subject = Record<string, string>;

/** A request for insights with its outcome. Insights of a run have no discovery, those of sessions no reason code. */
export interface InsightsRow {
  request: number;
  status: 'pending' | 'completed' | 'failed' | 'canceled';
  insights: unknown;
  discovery?: unknown;
  reasonCode?: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  requestedBy: string;
  generatedAt?: number | null;
  updatedAt: number;
}

export interface Outcome {
  status: 'completed' | 'failed';
  /** JSON. */
  insights: string | null;
  discovery: string | null;
  reasonCode: string | null;
  errorCode: string | null;
  errorMessage: string | null;
}

/** One kind of insights, of eval runs, waves or windows: what to call it, and where its requests are stored. */
export interface InsightsSource<Of extends Subject> {
  /** The kind of the job. Jobs are stored under it, so it never changes. */
  job: string;
  /** Names the subject in messages and in the ledger. */
  describe: (subject: Of) => string;
  subjectIn: (payload: Record<string, unknown>) => Of;
  find: (db: Db, subject: Of) => Promise<InsightsRow | undefined>;
  /** Serializes requests for the same insights. */
  lockForUpdate: (db: Db, subject: Of) => Promise<unknown>;
  begin: (db: Db, subject: Of, requestedBy: string) => Promise<{ request: number }>;
  /** Changes nothing if the request is no longer pending. */
  close: (db: Db, subject: Of, end: Outcome & { request: number }) => Promise<unknown>;
}

/** A wave of a project, or a window of a study. */
export interface SessionsSubject extends Subject {
  ownerId: string;
  waveId: string;
}

export function sessionsSource(
  job: string,
  noun: string,
  queries: InsightsQueries,
): InsightsSource<SessionsSubject> {
  return {
    job,
    describe: ({ waveId }) => `${noun} ${waveId}`,
    // An earlier version queued requests for waves with the ID of the project.
    subjectIn: ({ ownerId, projectId, waveId }) => ({
      ownerId: (ownerId ?? projectId) as string,
      waveId: waveId as string,
    }),
    find: (db, subject) => db.row(queries.find, subject),
    lockForUpdate: (db, subject) => db.row(queries.lockForUpdate, subject),
    begin: (db, subject, requestedBy) => db.one(queries.begin, { ...subject, requestedBy }),
    close: (db, subject, end) => db.run(queries.close, { ...subject, ...end }),
  };
}
