import type { Db } from '../../platform/database/database.ts';
import type { ReadinessRunRow } from '../../platform/database/queries/readiness-runs.ts';
import { emit } from '../webhooks/emit.ts';

/** Emits the webhook event of an ended run, in the transaction that ends it. */
export async function settled(db: Db, run: ReadinessRunRow): Promise<void> {
  const { id: runId, projectId, serverId, kind: readinessKind, status, overallStatus, terminalReason } = run;
  const data = { runId, serverId, readinessKind, status, overallStatus, terminalReason, lanes: run.lanes };
  await emit(db, projectId, [{ type: 'readiness_run.decided', subject: runId, data }]);
}
