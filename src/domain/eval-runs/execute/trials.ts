import type { TrialRow } from '../../../platform/database/queries/eval-trials.ts';
import { KeyedSemaphore } from '../../../platform/flow/semaphore.ts';
import { type FinalState, LeaseLost } from '../../../platform/leases/holder.ts';
import { RunServers } from '../../execution/run-servers.ts';
import type { ModelParts } from '../../model-calls/open-model.ts';
import { isAccessEnded } from '../../parts/access-watch.ts';
import { conductTrial, type TrialParts } from './conduct.ts';
import { type EarlyEnd, endEarly } from './end-early.ts';
import { Progress } from './progress.ts';
import { TrialRecords } from './record.ts';
import { abandoned, type Recorded, recorded } from './recorded.ts';
import { RunsInProcess } from './run-in-process.ts';

const starterLostAccess: EarlyEnd = {
  status: 'cancelled',
  stopReason: 'access_ended',
  error: 'The account that started the run no longer has access to the project',
};

/** Runs and records claimed trials. Each trial is recorded once, even if processes crash. */
export class Trials {
  private readonly parts: TrialParts;
  private readonly records: TrialRecords;
  private readonly subscriptions: (() => void)[];

  constructor(modelParts: ModelParts) {
    const { services } = modelParts;
    const { db, log, notifications, backgroundThrottle } = services;
    const runs = new RunsInProcess(services);
    const servers = new RunServers(services);
    this.parts = {
      ...modelParts,
      backgroundThrottle,
      runs,
      servers,
      inProcess: new KeyedSemaphore(),
      progress: new Progress(db, log),
    };
    this.records = new TrialRecords(db, this.parts.progress);
    this.subscriptions = [
      // Dropping a cached run or server is always safe: the next use loads it again.
      notifications.on('drydock_eval_runs_over', (runId) => {
        runs.forget(runId);
        servers.forget(runId);
      }),
      notifications.on('drydock_servers', (serverId) => servers.serverChanged(serverId)),
    ];
  }

  /** Runs as the user who launched the run. If that user loses access, the run is cancelled. */
  async conduct(row: TrialRow, signal: AbortSignal): Promise<Recorded> {
    const { services, runs } = this.parts;
    const run = await runs.get(row.runId);
    const { id, organizationId, projectId, startedBy: userId } = run;
    try {
      const trial = await services.accessWatch.during({ organizationId, projectId, userId }, signal, (ends) =>
        conductTrial(this.parts, run, row, ends),
      );
      return await recorded(services, row, trial);
    } catch (error) {
      if (!isAccessEnded(error)) throw error;
      await services.db.transaction((trx) => endEarly(services, trx, id, starterLostAccess));
      throw new LeaseLost();
    }
  }

  giveUp(row: TrialRow, error: string): Promise<Recorded> {
    return abandoned(this.parts, row, error);
  }

  settle(row: TrialRow, end: FinalState, outcome: Recorded): Promise<boolean> {
    return this.records.settle(row, end, outcome);
  }

  async close(): Promise<void> {
    for (const unsubscribe of this.subscriptions) unsubscribe();
    await this.parts.progress.stop();
  }
}
