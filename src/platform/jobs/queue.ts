import type { Db } from '../database/database.ts';
import * as jobs from '../database/queries/jobs.ts';
import { newId } from '../ids.ts';
import { currentTraceparent } from '../telemetry/tracing.ts';

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
  /** Whose turn it takes, where it acts for nobody in particular. */
  turnOf?: string;
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
export async function enqueueAll(db: Db, all: readonly Enqueued[]): Promise<string[]> {
  if (all.length === 0) return [];
  const added = await db.rows(jobs.insert, {
    ids: all.map(() => newId('job')),
    kinds: all.map(({ kind }) => kind),
    payloads: withCause(all),
    uniqueKeys: all.map(({ uniqueKey = null }) => uniqueKey),
    delays: all.map(({ delay = 0 }) => delay),
    organizationIds: all.map(({ onBehalfOf, turnOf }) => onBehalfOf?.organizationId ?? turnOf ?? ''),
    userIds: all.map(({ onBehalfOf }) => onBehalfOf?.userId ?? null),
  });
  return added.map(({ id }) => id);
}

const causeKey = 'traceparent';

/** A job knows the trace that it comes from, where there is one. */
function withCause(all: readonly Enqueued[]): unknown[] {
  const cause = currentTraceparent();
  if (cause === undefined) return all.map(({ payload }) => payload);
  return all.map(({ payload }) => (isRecord(payload) ? { ...payload, [causeKey]: cause } : payload));
}

/** What the handler is given, and the trace that the job comes from. */
export function withoutCause(stored: unknown): { payload: unknown; cause: string | undefined } {
  if (!isRecord(stored) || !(causeKey in stored)) return { payload: stored, cause: undefined };
  const { [causeKey]: cause, ...payload } = stored;
  return { payload, cause: typeof cause === 'string' ? cause : undefined };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Those waiting never start; those running lose their lease, so that nothing they return is committed, and their work
 * is told to stop. The ids of those that were not over.
 */
export function cancelJobs(db: Db, ids: string[]): Promise<string[]> {
  return jobs.leases.cancel(db, ids);
}
