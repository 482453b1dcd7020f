import { type ModelRoute, resolveModel } from '../../../models/resolve.ts';
import * as runRows from '../../../platform/database/queries/journey-runs.ts';
import { Kept } from '../../../platform/kept.ts';
import type { Services } from '../../context.ts';
import type { Purpose } from '../../eval-runs/execute/ledger.ts';
import { secretsKeyOf } from '../../eval-runs/execute/run-in-process.ts';
import type { ConnectingRun } from '../../eval-runs/execute/servers.ts';
import { deliverSecrets } from '../../secrets/deliver.ts';
import type { JourneySnapshot, JourneyTarget } from '../snapshot.ts';

/** A run as its sessions see it in one process. */
export interface RunInProcess {
  id: string;
  organizationId: string;
  projectId: string;
  startedBy: string;
  snapshot: JourneySnapshot;
  apiKeys: Record<string, never>;
  purpose: Purpose;
  /** Whose use is paid for on keys of this deployment, as far as they are known. */
  routes: ModelRoute[];
  /** As the servers of each target are talked to. */
  parties: Map<number, Promise<ConnectingRun>>;
}

/** How many runs are kept at hand. */
const mostKept = 32;

/** Runs whose sessions are worked on here. A snapshot never changes, so it is read once; one that is over is forgotten. */
export class JourneyRunsInProcess extends Kept<RunInProcess> {
  private readonly services: Services;

  constructor(services: Services) {
    super((runId) => load(services, runId), mostKept);
    this.services = services;
  }

  /** The servers of a target, with the secrets that reach it. */
  party(run: RunInProcess, target: number): Promise<ConnectingRun> {
    const { targets } = run.snapshot;
    const made = run.parties.get(target) ?? this.partyOf(run, targets[target] as JourneyTarget, target);
    run.parties.set(target, made);
    made.catch(() => run.parties.delete(target));
    return made;
  }

  private async partyOf(run: RunInProcess, { place }: JourneyTarget, at: number): Promise<ConnectingRun> {
    const { organizationId, projectId, startedBy } = run;
    const { secrets, incomplete } = await deliverSecrets(this.services, {
      projectId,
      startedBy,
      secretIds: place.secretIds.length > 0 ? place.secretIds : null,
    });
    return {
      id: `${run.id} ${at}`,
      organizationId,
      projectId,
      apiKeys: {},
      secrets,
      secretsIncomplete: incomplete,
      secretsKey: secretsKeyOf(this.services, startedBy, secrets, place),
      snapshot: place,
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
    parties: new Map(),
  };
}
