import { TrialWorker } from './domain/eval-runs/execute/worker.ts';
import { SessionWorker } from './domain/journey-runs/execute/worker.ts';
import { CallLedger } from './domain/model-calls/ledger.ts';
import type { ModelParts } from './domain/model-calls/open-model.ts';
import { ModelPauses } from './domain/model-calls/pauses.ts';
import { jobsOf } from './jobs.ts';
import { Worker } from './platform/jobs/worker.ts';
import { DistributedSemaphore } from './platform/leases/distributed-semaphore.ts';
import type { OpenServices } from './services.ts';

/** Background work of a process: queued jobs, trials of eval runs, and sessions of journey runs. */
export class Workers {
  private readonly jobs: Worker;
  private readonly trials: TrialWorker;
  private readonly sessions: SessionWorker;
  /** Shared by all work of this process that calls models. */
  private readonly modelParts: ModelParts;
  private readonly slots: DistributedSemaphore;

  constructor(services: OpenServices) {
    const { db, log, notifications, backgroundThrottle, clock } = services;
    this.slots = new DistributedSemaphore({ db, log, now: () => performance.now() });
    this.modelParts = {
      services,
      slots: this.slots,
      pauses: new ModelPauses(db, notifications),
      ledger: new CallLedger(db, clock),
      backgroundThrottle,
    };
    this.trials = new TrialWorker(this.modelParts);
    this.sessions = new SessionWorker(this.modelParts);
    this.jobs = new Worker({
      db,
      notifications,
      log,
      backgroundThrottle,
      // Long jobs have limits of their own, which leave room for short ones: runs are decided meanwhile.
      concurrency: 24,
      kinds: jobsOf(services, this.modelParts),
    });
  }

  private get all() {
    return [this.jobs, this.trials, this.sessions];
  }

  start(): void {
    for (const worker of this.all) worker.start();
  }

  /** Waits up to `graceMs` milliseconds for running work to end, and leaves the rest to another process. */
  async stop(graceMs: number): Promise<void> {
    await Promise.all(this.all.map((worker) => worker.stop(graceMs)));
    // Until no model call is under way.
    await this.modelParts.ledger.idle();
    await Promise.all([this.trials.close(), this.sessions.close()]);
    await this.slots.stop();
  }

  figures = () => this.all.flatMap((worker) => worker.figures());

  backlog = async () => (await Promise.all(this.all.map((worker) => worker.backlog()))).flat();
}
