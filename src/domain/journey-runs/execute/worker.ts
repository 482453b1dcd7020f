import { overChannel } from '../../../platform/database/queries/journey-runs.ts';
import { type LeasedSession, leases } from '../../../platform/database/queries/journey-sessions.ts';
import type { Backlog, LeaseFigures } from '../../../platform/leases/figures.ts';
import { LeaseHolder, LeaseLost } from '../../../platform/leases/holder.ts';
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

/** Attempts before a session that crashes its process without completing a turn is given up. */
const attempts = 8;

/** Claims and runs sessions of journeys. Each ends once, even if processes crash. */
export class SessionWorker {
  private readonly parts: SessionParts;
  private readonly holder: LeaseHolder<LeasedSession, SessionOutcome>;
  private subscriptions: (() => void)[] = [];

  constructor(modelParts: ModelParts) {
    const { services } = modelParts;
    const { db, log, notifications, config, backgroundThrottle } = services;
    this.parts = {
      ...modelParts,
      runs: new JourneyRunsInProcess(services),
      servers: new RunServers(services),
    };
    this.holder = new LeaseHolder<LeasedSession, SessionOutcome>({
      db,
      notifications,
      queries: leases,
      kinds: [
        {
          kind: 'journey-session',
          attempts,
          concurrency: config.journeySessions,
          attributesOf: ({ runId }) => ({ 'drydock.run.id': runId }),
          work: (row, signal) => this.conduct(row, signal),
          givenUp: (_row, error) => broken('host_worker_failed', error),
          settle: (row, end, outcome) => settleSession(db, row, end, outcome as SessionOutcome),
        },
      ],
      concurrency: config.journeySessions,
      lease: config.evalLease * 1000,
      backgroundThrottle,
      log,
    });
  }

  /** Runs as the user who launched the run. If that user loses access, the run is cancelled. */
  private async conduct(row: LeasedSession, signal: AbortSignal): Promise<SessionOutcome> {
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

  start(): void {
    const { runs, servers, services } = this.parts;
    const { notifications } = services;
    this.subscriptions = [
      notifications.on(overChannel, (runId) => {
        runs.forget(runId);
        servers.forget(runId);
      }),
      notifications.on('drydock_servers', (serverId) => servers.serverChanged(serverId)),
    ];
    this.holder.start();
  }

  async stop(patience: number): Promise<void> {
    await this.holder.stop(patience);
    for (const unsubscribe of this.subscriptions) unsubscribe();
  }

  figures(): LeaseFigures[] {
    return this.holder.figures();
  }

  backlog(): Promise<Backlog[]> {
    return this.holder.backlog();
  }
}
