import type { Db } from '../database/database.ts';
import { insertJobs, jobLeases } from '../database/queries/jobs.ts';
import { newId } from '../ids.ts';

/** On whose behalf a job acts. */
export interface Account {
  organizationId: string;
  userId: string;
}

export interface EnqueueOptions {
  /** At most one unfinished job of the kind carries this key; a second one is dropped. */
  uniqueKey?: string;
  /** Milliseconds to wait first. */
  delay?: number;
  /** Left out, the job is the service's own. */
  onBehalfOf?: Account;
}

export interface Enqueued extends EnqueueOptions {
  kind: string;
  payload: unknown;
}

/**
 * Inside a transaction the job exists if and only if what it belongs to was committed. Its id, or undefined when it
 * was dropped.
 */
export async function enqueue(
  db: Db,
  kind: string,
  payload: unknown,
  options: EnqueueOptions = {},
): Promise<string | undefined> {
  return (await enqueueAll(db, [{ kind, payload, ...options }]))[0];
}

/** Any number in one statement. The ids of those that were not dropped. */
export async function enqueueAll(db: Db, jobs: readonly Enqueued[]): Promise<string[]> {
  if (jobs.length === 0) return [];
  return insertJobs(
    db,
    jobs.map(({ kind, payload, uniqueKey = null, delay = 0, onBehalfOf }) => ({
      id: newId('job'),
      kind,
      payload,
      uniqueKey,
      delay,
      organizationId: onBehalfOf?.organizationId ?? '',
      userId: onBehalfOf?.userId ?? null,
    })),
  );
}

/**
 * Those waiting never start; those running lose their lease, so that nothing they return is committed, and their work
 * is told to stop. The ids of those that were not over.
 */
export function cancelJobs(db: Db, ids: string[]): Promise<string[]> {
  return jobLeases.cancel(db, ids);
}
