import { type ModelRoute, resolveModel } from '../../../models/resolve.ts';
import * as runRows from '../../../platform/database/queries/journey-runs.ts';
import { LruCache } from '../../../platform/lru-cache.ts';
import type { Services } from '../../context/context.ts';
import { secretsOfPlace } from '../../execution/place-secrets.ts';
import type { ConnectingRun, RunServers } from '../../execution/run-servers.ts';
import type { Purpose } from '../../model-calls/ledger.ts';
import type { ModelParts } from '../../model-calls/open-model.ts';
import type { JourneySnapshot, JourneyTarget } from '../snapshot.ts';

/** A run as loaded once per process for its sessions. */
export interface RunInProcess {
  id: string;
  organizationId: string;
  projectId: string;
  startedBy: string;
  snapshot: JourneySnapshot;
  apiKeys: Record<string, never>;
  purpose: Purpose;
  /** Routes of models billed on this deployment's keys, as far as known. */
  routes: ModelRoute[];
  /** Server connection settings per target. */
  callers: Map<number, Promise<ConnectingRun>>;
}

/** Runs in the cache. */
const maxKept = 32;

/**
 * Cache of the runs whose sessions execute in this process. Snapshots are immutable, so each is read once; a run that
 * is over is dropped.
 */
export class JourneyRunsInProcess extends LruCache<RunInProcess> {
  private readonly services: Services;

  constructor(services: Services) {
    super((runId) => load(services, runId), maxKept);
    this.services = services;
  }

  /** The servers of a target, with the secrets granted to it. */
  callerOf(run: RunInProcess, target: number): Promise<ConnectingRun> {
    const { targets } = run.snapshot;
    const made = run.callers.get(target) ?? this.openCaller(run, targets[target] as JourneyTarget, target);
    run.callers.set(target, made);
    made.catch(() => run.callers.delete(target));
    return made;
  }

  private async openCaller(run: RunInProcess, { place }: JourneyTarget, at: number): Promise<ConnectingRun> {
    const { organizationId, projectId, startedBy } = run;
    return {
      id: `${run.id} ${at}`,
      organizationId,
      projectId,
      apiKeys: {},
      ...(await secretsOfPlace(this.services, { projectId, userId: startedBy }, place)),
      connection: place.connection,
      servers: place.servers,
      showsWidgets: false,
    };
  }
}

async function load(services: Services, runId: string): Promise<RunInProcess> {
  const { db, models } = services;
  const run = await db.row(runRows.get, { id: runId });
  const stored = await db.row(runRows.snapshot, { runId });
  if (!run || !stored) throw new Error(`the journey run ${runId} is gone`);
  if (run.status !== 'running') throw new Error(`the journey run ${runId} is over`);
  const snapshot = stored.snapshot as JourneySnapshot;
  const asked = [...snapshot.targets.map(({ model }) => model), snapshot.personaModel];
  const routes = asked.flatMap((model) => (model ? (resolveModel(models, model).route ?? []) : []));
  const { organizationId, projectId, startedBy } = run;
  return {
    id: runId,
    organizationId,
    projectId,
    startedBy,
    snapshot,
    apiKeys: {},
    purpose: { reason: `journey-run ${runId}`, actor: startedBy },
    routes,
    callers: new Map(),
  };
}

export interface SessionParts extends ModelParts {
  runs: JourneyRunsInProcess;
  servers: RunServers;
}
