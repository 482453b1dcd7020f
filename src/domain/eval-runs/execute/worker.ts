import { leases, type TrialRow } from '../../../platform/database/queries/eval-trials.ts';
import type { Backlog, LeaseFigures } from '../../../platform/leases/figures.ts';
import { LeaseHolder } from '../../../platform/leases/holder.ts';
import type { ModelParts } from '../../model-calls/open-model.ts';
import type { Recorded } from './recorded.ts';
import type { Trials } from './trials.ts';

/** Attempts before a trial that crashes its process is given up. */
const attempts = 6;

/** Claims trials of eval runs. The code that runs them is loaded with the first one. */
export class TrialWorker {
  private readonly modelParts: ModelParts;
  private readonly holder: LeaseHolder<TrialRow, Recorded>;
  private trials: Promise<Trials> | undefined;

  constructor(modelParts: ModelParts) {
    this.modelParts = modelParts;
    const { db, log, notifications, config, backgroundThrottle } = modelParts.services;
    // Prefetches trials, so that a freed slot does not wait for the database.
    const atHand = Math.ceil(config.evalTrials / 2);
    const held = config.evalTrials + atHand;
    this.holder = new LeaseHolder<TrialRow, Recorded>({
      db,
      notifications,
      queries: leases,
      kinds: [
        {
          kind: 'trial',
          attempts,
          concurrency: held,
          attributesOf: ({ runId, caseId }) => ({ 'drydock.run.id': runId, 'drydock.case.id': caseId }),
          work: async (row, signal) => (await this.loaded()).conduct(row, signal),
          givenUp: async (row, error) => (await this.loaded()).giveUp(row, error),
          settle: async (row, end, outcome) => (await this.loaded()).settle(row, end, outcome as Recorded),
        },
      ],
      concurrency: held,
      atOnce: atHand,
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
    await (await this.trials)?.close();
  }

  figures(): LeaseFigures[] {
    return this.holder.figures();
  }

  backlog(): Promise<Backlog[]> {
    return this.holder.backlog();
  }

  private loaded(): Promise<Trials> {
    return (this.trials ??= import('./trials.ts').then(({ Trials }) => new Trials(this.modelParts)));
  }
}
