import type { Db } from '../../platform/database/database.ts';
import type { ReadinessRunRow } from '../../platform/database/queries/readiness-runs.ts';

/** Called in the transaction that ends a run, once for each run. */
export async function settled(_db: Db, _run: ReadinessRunRow): Promise<void> {}
