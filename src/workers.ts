import { conformanceJob } from './domain/conformance-runs/execute/job.ts';
import { silentRunsJob } from './domain/conformance-runs/silent.ts';
import { gateEventJob } from './domain/eval-runs/announce.ts';
import { decideJob, watchJob } from './domain/eval-runs/execute/watch.ts';
import { TrialWorker } from './domain/eval-runs/execute/worker.ts';
import { evalRunInsightsJob } from './domain/eval-runs/insights.ts';
import { stopJudgings } from './domain/eval-runs/judge/grading.ts';
import { judgeJob } from './domain/eval-runs/judge/job.ts';
import { scheduleJobs } from './domain/eval-runs/launch/scheduled.ts';
import { suiteJobs } from './domain/eval-suites/delete.ts';
import { watchJourneysJob } from './domain/journey-runs/execute/watch.ts';
import { SessionWorker } from './domain/journey-runs/execute/worker.ts';
import { observeWaveJob } from './domain/journey-runs/grade/observe-wave.ts';
import { gradeSessionJob } from './domain/journey-runs/grade/session.ts';
import { waveInsightsJob } from './domain/journey-runs/insights.ts';
import { projectJobs } from './domain/projects/remove-content.ts';
import { readinessJob } from './domain/readiness-runs/job.ts';
import { registryJobs } from './domain/registry/sync/jobs.ts';
import { housekeeping } from './domain/retention/housekeeping.ts';
import { serverCheckJobs } from './domain/server-checks/check.ts';
import { connectionJobs } from './domain/server-connections/advance.ts';
import { analyseStudyJob } from './domain/studies/analysis/analyse.ts';
import { studyInsightsJob } from './domain/studies/analysis/insights.ts';
import { webhookJobs } from './domain/webhooks/deliver.ts';
import { Worker } from './platform/jobs/worker.ts';
import type { OpenServices } from './services.ts';

/** Background work of a process: queued jobs, trials of eval runs, and sessions of journey runs. */
export class Workers {
  private readonly jobs: Worker;
  private readonly trials: TrialWorker;
  private readonly sessions: SessionWorker;

  constructor(services: OpenServices) {
    const { db, log, notifications, backgroundThrottle } = services;
    this.trials = new TrialWorker(services);
    const { modelParts } = this.trials;
    this.sessions = new SessionWorker(modelParts);
    this.jobs = new Worker({
      db,
      notifications,
      log,
      backgroundThrottle,
      // Long jobs have limits of their own, which leave room for short ones: runs are decided meanwhile.
      concurrency: 24,
      kinds: [
        ...housekeeping(services),
        ...projectJobs(services),
        ...connectionJobs(services),
        ...suiteJobs(services, (suiteId, signal) => stopJudgings(services, suiteId, signal)),
        ...scheduleJobs(services),
        decideJob(services),
        watchJob(services),
        judgeJob(services, modelParts),
        evalRunInsightsJob(services, modelParts),
        watchJourneysJob(services),
        gradeSessionJob(modelParts),
        observeWaveJob(services),
        waveInsightsJob(modelParts),
        readinessJob(modelParts),
        analyseStudyJob(services),
        studyInsightsJob(modelParts),
        gateEventJob(services),
        ...webhookJobs(services),
        ...serverCheckJobs(services),
        silentRunsJob(services),
        conformanceJob(services),
        ...registryJobs(services),
      ],
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
    await this.trials.close();
  }

  figures = () => this.all.flatMap((worker) => worker.figures());

  backlog = async () => (await Promise.all(this.all.map((worker) => worker.backlog()))).flat();
}
