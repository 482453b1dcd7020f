import { type LeasedSession, leases } from '../../../platform/database/queries/journey-sessions.ts';
import type { Backlog, LeaseFigures } from '../../../platform/leases/figures.ts';
import { LeaseHolder } from '../../../platform/leases/holder.ts';
import type { ModelParts } from '../../model-calls/open-model.ts';
import type { SessionOutcome } from './outcome.ts';
import type { Sessions } from './sessions.ts';

/** Attempts before a session that crashes its process without completing a turn is given up. */
const attempts = 8;

/** Claims sessions of journeys. The code that runs them is loaded with the first one. */
export class SessionWorker {
  private readonly modelParts: ModelParts;
  private readonly holder: LeaseHolder<LeasedSession, SessionOutcome>;
  private sessions: Promise<Sessions> | undefined;

  constructor(modelParts: ModelParts) {
    this.modelParts = modelParts;
    const { db, log, notifications, config, backgroundThrottle } = modelParts.services;
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
          work: async (row, signal) => (await this.loaded()).conduct(row, signal),
          givenUp: async (_row, error) => (await this.loaded()).giveUp(error),
          settle: async (row, end, outcome) =>
            (await this.loaded()).settle(row, end, outcome as SessionOutcome),
        },
      ],
      concurrency: config.journeySessions,
      lease: config.evalLease * 1000,
      backgroundThrottle,
      log,
    });
  }

  start(): void {
    this.holder.start();
  }

  async stop(timeout: number): Promise<void> {
    await this.holder.stop(timeout);
  }

  async close(): Promise<void> {
    (await this.sessions)?.close();
  }

  figures(): LeaseFigures[] {
    return this.holder.figures();
  }

  backlog(): Promise<Backlog[]> {
    return this.holder.backlog();
  }

  private loaded(): Promise<Sessions> {
    return (this.sessions ??= import('./sessions.ts').then(({ Sessions }) => new Sessions(this.modelParts)));
  }
}
