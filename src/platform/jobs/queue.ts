import type { Db } from '../database/database.ts';
import * as jobs from '../database/queries/jobs.ts';
import { newId } from '../ids.ts';
import { currentTraceparent } from '../telemetry/tracing.ts';

/** The account on whose behalf a job runs. */
export interface Account {
  organizationId: string;
  userId: string;
}

export interface EnqueueOptions {
  /** Deduplicates: while an unfinished job of the kind has this key, another one is dropped. */
  uniqueKey?: string;
  /** Milliseconds until the job is due. */
  delay?: number;
  /** Omitted for jobs of the service itself. */
  onBehalfOf?: Account;
  /** The organization whose share of the slots the job uses, if it does not run on behalf of an account. */
  turnOf?: string;
}

export interface Enqueued extends EnqueueOptions {
  kind: string;
  payload: unknown;
}

/**
 * Inside a transaction, the job exists only if the transaction commits. Returns its ID, or undefined if it was dropped
 * as a duplicate.
 */
export async function enqueue(
  db: Db,
  kind: string,
  payload: unknown,
  options: EnqueueOptions = {},
): Promise<string | undefined> {
  return (await enqueueAll(db, [{ kind, payload, ...options }]))[0];
}

/** Enqueues jobs with one statement. Drops duplicates (`uniqueKey`) and returns the IDs of the others. */
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

/** Adds the current trace to the payloads that are objects. Without a trace they are unchanged. */
function withCause(all: readonly Enqueued[]): unknown[] {
  const cause = currentTraceparent();
  if (cause === undefined) return all.map(({ payload }) => payload);
  return all.map(({ payload }) => (isRecord(payload) ? { ...payload, [causeKey]: cause } : payload));
}

/** Splits a stored payload into the handler's payload and the trace that caused the job. */
export function withoutCause(stored: unknown): { payload: unknown; cause: string | undefined } {
  if (!isRecord(stored) || !(causeKey in stored)) return { payload: stored, cause: undefined };
  const { [causeKey]: cause, ...payload } = stored;
  return { payload, cause: typeof cause === 'string' ? cause : undefined };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Waiting jobs never start. Running jobs lose their lease: their signal aborts, and their result is not committed.
 * Returns the IDs of the jobs that were cancelled.
 */
export function cancelJobs(db: Db, ids: string[]): Promise<string[]> {
  return jobs.leases.cancel(db, ids);
}
