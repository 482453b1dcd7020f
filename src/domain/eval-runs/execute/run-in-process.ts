import { needsWidgets } from '../../../evaluation/index.ts';
import type { ApiKeys } from '../../../models/resolve.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import { LruCache } from '../../../platform/lru-cache.ts';
import type { Services } from '../../context/context.ts';
import { secretsOfPlace } from '../../execution/place-secrets.ts';
import type { ConnectingRun } from '../../execution/run-servers.ts';
import type { Purpose } from '../../model-calls/ledger.ts';
import { isOpen } from '../is-open.ts';
import { casesById, type PlannedCase, type RunSnapshot } from '../snapshot.ts';
import { trialPlan } from '../trial-plan.ts';

/** A run as loaded once per process for its trials. */
export interface RunInProcess extends ConnectingRun {
  startedBy: string;
  snapshot: RunSnapshot;
  cases: ReadonlyMap<string, PlannedCase>;
  purpose: Purpose;
}

/** Runs in the cache. */
const maxKept = 32;

/**
 * Cache of the runs whose trials execute in this process. Snapshots are immutable, so each is read once; when a run
 * is over, its entry is dropped together with its keys and secrets.
 */
export class RunsInProcess extends LruCache<RunInProcess> {
  constructor(services: Services) {
    super((runId) => load(services, runId), maxKept);
  }
}

async function load(services: Services, runId: string): Promise<RunInProcess> {
  const { db, vault } = services;
  const run = await db.row(runs.get, { id: runId });
  const stored = await db.row(runs.snapshot, { runId });
  if (!run || !stored) throw new Error(`the run ${runId} is gone`);
  // The run ended after the trial was claimed. The announcement preceded this load, so nothing would evict the entry.
  if (!isOpen(run.status)) throw new Error(`the run ${runId} is over`);
  const snapshot = stored.snapshot as RunSnapshot;
  const { projectId, startedBy, sealedId } = run;
  return {
    id: runId,
    organizationId: run.organizationId,
    projectId,
    startedBy,
    snapshot,
    servers: snapshot.servers,
    connection: snapshot.connection,
    showsWidgets: snapshot.cases.some((planned) => needsWidgets(trialPlan(planned, snapshot))),
    cases: casesById(snapshot),
    apiKeys: sealedId === null ? {} : ((await vault.open(db, sealedId)) as ApiKeys),
    purpose: { reason: `eval-run ${runId}`, actor: startedBy },
    ...(await secretsOfPlace(services, { projectId, userId: startedBy }, snapshot)),
  };
}
