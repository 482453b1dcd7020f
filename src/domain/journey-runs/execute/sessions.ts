import { overChannel } from '../../../platform/database/queries/journey-runs.ts';
import type { LeasedSession } from '../../../platform/database/queries/journey-sessions.ts';
import { type FinalState, LeaseLost } from '../../../platform/leases/holder.ts';
import { RunServers } from '../../execution/run-servers.ts';
import type { ModelParts } from '../../model-calls/open-model.ts';
import { isAccessEnded } from '../../parts/access-watch.ts';
import { conductSession } from './conduct.ts';
import { type EarlyEnd, endEarly } from './end-early.ts';
import { broken, type SessionOutcome } from './outcome.ts';
import type { SessionParts } from './runs.ts';
import { JourneyRunsInProcess } from './runs.ts';
import { settleSession } from './settle.ts';

const starterLostAccess: EarlyEnd = {
  error: 'canceled',
  errorCode: 'canceled',
  errorMessage: 'The account that started the run no longer has access to the project',
};

/** Runs and records claimed sessions. Each ends once, even if processes crash. */
export class Sessions {
  private readonly parts: SessionParts;
  private readonly subscriptions: (() => void)[];

  constructor(modelParts: ModelParts) {
    const { services } = modelParts;
    const runs = new JourneyRunsInProcess(services);
    const servers = new RunServers(services);
    this.parts = { ...modelParts, runs, servers };
    this.subscriptions = [
      services.notifications.on(overChannel, (runId) => {
        runs.forget(runId);
        servers.forget(runId);
      }),
      services.notifications.on('drydock_servers', (serverId) => servers.serverChanged(serverId)),
    ];
  }

  /** Runs as the user who launched the run. If that user loses access, the run is cancelled. */
  async conduct(row: LeasedSession, signal: AbortSignal): Promise<SessionOutcome> {
    const { services, runs } = this.parts;
    const { id, organizationId, projectId, startedBy: userId } = await runs.get(row.runId);
    try {
      return await services.accessWatch.during({ organizationId, projectId, userId }, signal, (ends) =>
        conductSession(this.parts, row, ends),
      );
    } catch (error) {
      if (!isAccessEnded(error)) throw error;
      await services.db.transaction((trx) => endEarly(trx, id, starterLostAccess));
      throw new LeaseLost();
    }
  }

  giveUp(error: string): SessionOutcome {
    return broken('host_worker_failed', error);
  }

  settle(row: LeasedSession, end: FinalState, outcome: SessionOutcome): Promise<boolean> {
    return settleSession(this.parts.services.db, row, end, outcome);
  }

  close(): void {
    for (const unsubscribe of this.subscriptions) unsubscribe();
  }
}
