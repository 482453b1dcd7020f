import { leases, type TrialRow } from '../../../platform/database/queries/eval-trials.ts';
import { KeyedSemaphore } from '../../../platform/flow/semaphore.ts';
import { DistributedSemaphore } from '../../../platform/leases/distributed-semaphore.ts';
import type { Backlog, LeaseFigures } from '../../../platform/leases/figures.ts';
import { LeaseHolder, LeaseLost } from '../../../platform/leases/holder.ts';
import type { Services } from '../../context/context.ts';
import { RunServers } from '../../execution/run-servers.ts';
import { CallLedger } from '../../model-calls/ledger.ts';
import type { ModelParts } from '../../model-calls/open-model.ts';
import { ModelPauses } from '../../model-calls/pauses.ts';
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

/** Attempts before a trial that crashes its process is given up. */
const attempts = 6;

/** Claims and runs trials of eval runs. Each trial is recorded once, even if processes crash. */
export class TrialWorker {
  private readonly parts: TrialParts;
  private readonly holder: LeaseHolder<TrialRow, Recorded>;
  private readonly records: TrialRecords;
  private subscriptions: (() => void)[] = [];

  constructor(services: Services) {
    const { db, log, notifications, config, backgroundThrottle, clock } = services;
    // Prefetches trials, so that a freed slot does not wait for the database.
    const atHand = Math.ceil(config.evalTrials / 2);
    const held = config.evalTrials + atHand;
    this.parts = {
      services,
      runs: new RunsInProcess(services),
      servers: new RunServers(services),
      inProcess: new KeyedSemaphore(),
      slots: new DistributedSemaphore({ db, log, now: () => performance.now() }),
      pauses: new ModelPauses(db, notifications),
      ledger: new CallLedger(db, clock),
      progress: new Progress(db, log),
      backgroundThrottle,
    };
    this.records = new TrialRecords(db, this.parts.progress);
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
          work: (row, signal) => this.conduct(row, signal),
          givenUp: (row, error) => abandoned(this.parts, row, error),
          settle: (row, end, outcome) => this.records.settle(row, end, outcome as Recorded),
        },
      ],
      concurrency: held,
      atOnce: atHand,
      lease: config.evalLease * 1000,
      backgroundThrottle,
      log,
    });
  }

  /** Runs as the user who launched the run. If that user loses access, the run is cancelled. */
  private async conduct(row: TrialRow, signal: AbortSignal): Promise<Recorded> {
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

  start(): void {
    const { runs, servers, services } = this.parts;
    this.subscriptions = [
      // Dropping a cached run or server is always safe: the next use loads it again.
      services.notifications.on('drydock_eval_runs_over', (runId) => {
        runs.forget(runId);
        servers.forget(runId);
      }),
      services.notifications.on('drydock_servers', (serverId) => servers.serverChanged(serverId)),
    ];
    this.holder.start();
  }

  /** Shared with the jobs of this process that call models. */
  get modelParts(): ModelParts {
    const { services, slots, pauses, ledger, backgroundThrottle } = this.parts;
    return { services, slots, pauses, ledger, backgroundThrottle };
  }

  async stop(patience: number): Promise<void> {
    await this.holder.stop(patience);
    for (const unsubscribe of this.subscriptions) unsubscribe();
  }

  /** Waits until no model call is under way, then stops progress and slots. */
  async close(): Promise<void> {
    await this.parts.ledger.idle();
    await this.parts.progress.stop();
    await this.parts.slots.stop();
  }

  figures(): LeaseFigures[] {
    return this.holder.figures();
  }

  backlog(): Promise<Backlog[]> {
    return this.holder.backlog();
  }
}
