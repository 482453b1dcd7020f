import { Refusal } from '../../../contract/errors.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import type { ProjectContext } from '../../context/context.ts';

/** Identifies a repeated request. */
export interface Identity {
  idempotencyKey?: string | undefined;
  requestHash?: string | undefined;
}

export interface Started {
  run: runs.RunRow;
  servers: { id: string; name: string }[];
  committed: { id: string; name: string }[];
  deduped: boolean;
}

/** The run that an earlier request with this idempotency key created. */
export async function replayed(
  { db, project }: ProjectContext,
  { idempotencyKey, requestHash }: Identity,
): Promise<Started | undefined> {
  if (idempotencyKey === undefined) return undefined;
  const row = await db.row(runs.byKey, { projectId: project.id, idempotencyKey });
  if (!row) return undefined;
  const { requestHash: first, ...run } = row;
  if (first !== requestHash)
    throw new Refusal('CONFLICT', 'This idempotency key was used with another request. Use a new key', {
      details: { reason: 'IDEMPOTENCY_KEY_REUSED', runId: run.id },
    });
  const { servers } = await db.one(runs.servers, { runId: run.id });
  return { run, servers: servers.map(({ id, name }) => ({ id, name })), committed: [], deduped: true };
}
