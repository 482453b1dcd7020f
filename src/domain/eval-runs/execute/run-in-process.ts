import { createHash } from 'node:crypto';
import type { ApiKeys } from '../../../models/resolve.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import { Kept } from '../../../platform/kept.ts';
import type { Services } from '../../context.ts';
import { type DeliveredSecret, deliverSecrets } from '../../secrets/deliver.ts';
import { isOpen } from '../is-open.ts';
import { casesById, type PlannedCase, type RunSnapshot } from '../snapshot.ts';
import type { Purpose } from './ledger.ts';

/** A run as its trials see it in one process. */
export interface RunInProcess {
  id: string;
  organizationId: string;
  projectId: string;
  startedBy: string;
  snapshot: RunSnapshot;
  cases: ReadonlyMap<string, PlannedCase>;
  apiKeys: ApiKeys;
  purpose: Purpose;
  secrets: DeliveredSecret[];
  /** A secret was deleted after the launch. */
  secretsIncomplete: boolean;
  /** Names the secrets without telling anything, so that connections are shared only inside the grant. */
  secretsKey: string;
}

/** How many runs are kept at hand. */
const mostKept = 32;

/**
 * Runs whose trials are worked on here. A snapshot never changes, so it is read once; one that is over is forgotten, with
 * its keys and secrets.
 */
export class RunsInProcess extends Kept<RunInProcess> {
  constructor(services: Services) {
    super((runId) => load(services, runId), mostKept);
  }
}

async function load(services: Services, runId: string): Promise<RunInProcess> {
  const { db, vault } = services;
  const run = await db.row(runs.get, { id: runId });
  const stored = await db.row(runs.snapshot, { runId });
  if (!run || !stored) throw new Error(`the run ${runId} is gone`);
  // Ended between the claim of a trial and now: its end was announced, and nobody would forget what it brings.
  if (!isOpen(run.status)) throw new Error(`the run ${runId} is over`);
  const snapshot = stored.snapshot as RunSnapshot;
  const { projectId, startedBy, sealedId } = run;
  const { secrets, incomplete } = await deliverSecrets(services, {
    projectId,
    startedBy,
    secretIds: snapshot.secretIds.length > 0 ? snapshot.secretIds : null,
  });
  return {
    id: runId,
    organizationId: run.organizationId,
    projectId,
    startedBy,
    snapshot,
    cases: casesById(snapshot),
    apiKeys: sealedId === null ? {} : ((await vault.open(db, sealedId)) as ApiKeys),
    purpose: { reason: `eval-run ${runId}`, actor: startedBy },
    secrets,
    secretsIncomplete: incomplete,
    secretsKey: secretsKeyOf(services, startedBy, secrets, snapshot),
  };
}

/** The same for those who bring the same secrets in the same way. */
export function secretsKeyOf(
  { vault }: Pick<Services, 'vault'>,
  startedBy: string,
  secrets: readonly DeliveredSecret[],
  { connection, environment }: Pick<RunSnapshot, 'connection' | 'environment'>,
): string {
  const named = vault.fingerprint(JSON.stringify([startedBy, secrets]));
  return createHash('sha256')
    .update(JSON.stringify([named, connection, environment]))
    .digest('hex');
}
