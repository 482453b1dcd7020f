import type { Db } from '../database/database.ts';
import { insertJob } from '../database/queries/jobs.ts';
import { newId } from '../ids.ts';

export interface EnqueueOptions {
  /** At most one unfinished job of the kind carries this key; a second one is dropped. */
  uniqueKey?: string;
  /** Milliseconds to wait first. */
  delay?: number;
}

/** Inside a transaction the job exists if and only if what it belongs to was committed. */
export async function enqueue(
  db: Db,
  kind: string,
  payload: unknown,
  options: EnqueueOptions = {},
): Promise<string> {
  const id = newId('job');
  await insertJob(db, { id, kind, payload, uniqueKey: options.uniqueKey ?? null, delay: options.delay ?? 0 });
  return id;
}
