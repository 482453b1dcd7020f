import { Slots } from '../../../models/slots.ts';
import { leases, type TrialRow } from '../../../platform/database/queries/eval-trials.ts';
import type { Backlog, LeaseFigures } from '../../../platform/leases/figures.ts';
import { LeaseHolder, LeaseLost } from '../../../platform/leases/holder.ts';
import { SharedSlots } from '../../../platform/leases/shared-slots.ts';
import type { Services } from '../../context.ts';
import { isAccessEnded } from '../../identity/access-watch.ts';
import type { ModelParts } from './ask-model.ts';
import { conductTrial, type TrialParts } from './conduct.ts';
import { type EarlyEnd, endEarly } from './end-early.ts';
import { CallLedger } from './ledger.ts';
import { ModelPauses } from './pauses.ts';
import { Progress } from './progress.ts';
import { TrialRecords } from './record.ts';
import { abandoned, type Recorded, recorded } from './recorded.ts';
import { RunsInProcess } from './run-in-process.ts';
import { RunServers } from './servers.ts';

const starterLostAccess: EarlyEnd = {
  status: 'cancelled',
  stopReason: 'access_ended',
  error: 'The account that started the run no longer has access to the project',
};

/** A trial that takes its process down again and again is given up. */
const attempts = 6;

/** Works on the trials of eval runs: each is recorded once, whatever becomes of the processes that try it. */
export class TrialWorker {
  private readonly parts: TrialParts;
  private readonly holder: LeaseHolder<TrialRow, Recorded>;
  private readonly records: TrialRecords;
  private subscriptions: (() => void)[] = [];

  constructor(services: Services) {
    const { db, log, notifications, config, courtesy, clock } = services;
    // Some are at hand when others end, so that nobody waits for the database.
    const atHand = Math.ceil(config.evalTrials / 2);
    const held = config.evalTrials + atHand;
    this.parts = {
      services,
      runs: new RunsInProcess(services),
      servers: new RunServers(services),
      inProcess: new Slots(),
      slots: new SharedSlots({ db, log, now: () => performance.now() }),
      pauses: new ModelPauses(db, notifications),
      ledger: new CallLedger(db, clock),
      progress: new Progress(db, log),
      courtesy,
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
      courtesy,
      log,
    });
  }

  /** As long as whoever launched the run may; then the run is cancelled. */
  private async conduct(row: TrialRow, signal: AbortSignal): Promise<Recorded> {
    const { services, runs } = this.parts;
    const { id, organizationId, projectId, startedBy: userId } = await runs.get(row.runId);
    try {
      const trial = await services.accessWatch.during({ organizationId, projectId, userId }, signal, (ends) =>
        conductTrial(this.parts, row, ends),
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
      // Whatever was announced about a run, it costs nothing to look at it anew.
      services.notifications.on('drydock_eval_runs_over', (runId) => {
        runs.forget(runId);
        servers.forget(runId);
      }),
      services.notifications.on('drydock_servers', (serverId) => servers.serverChanged(serverId)),
    ];
    this.holder.start();
  }

  /** With which jobs of this process ask models too. */
  get modelParts(): ModelParts {
    const { services, slots, pauses, ledger, courtesy } = this.parts;
    return { services, slots, pauses, ledger, courtesy };
  }

  async stop(patience: number): Promise<void> {
    await this.holder.stop(patience);
    for (const unsubscribe of this.subscriptions) unsubscribe();
  }

  /** When nobody asks a model any more. */
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
