import type { RunEvent } from '../../../contract/eval-iterations.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as runEvents from '../../../platform/database/queries/eval-run-events.ts';
import { Semaphore } from '../../../platform/flow/semaphore.ts';
import { storableJson } from '../../../platform/json/storable.ts';
import { type Log, redact } from '../../../platform/log.ts';
import { tallyRuns } from './decide.ts';

/** Milliseconds until events are written, until ended trials are counted, and until a retry after a failure. */
const eventsWithin = 200;
const endsWithin = 50;
const afterFailure = 1_000;
/** Limit on queued events, so that a database outage does not fill the memory. */
const maxWaiting = 10_000;

/**
 * Writes trial events in batches. A crash may lose progress events but no results: the last events of a trial are
 * stored with its result, and only the count of ended trials is updated here.
 */
export class Progress {
  private readonly db: Db;
  private readonly log: Log;
  private waiting: { runId: string; trialId: string; event: RunEvent }[] = [];
  private readonly changed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private dueAt = Infinity;
  private readonly writing = new Semaphore(1);
  private stopped = false;

  constructor(db: Db, log: Log) {
    this.db = db;
    this.log = log;
  }

  add(trialId: string, event: RunEvent): void {
    if (this.waiting.length < maxWaiting) this.waiting.push({ runId: event.runId, trialId, event });
    this.later(eventsWithin);
  }

  /** Removes and returns the queued events of a trial, to be stored with its result. */
  take(trialId: string): RunEvent[] {
    const taken = this.waiting.filter((one) => one.trialId === trialId);
    if (taken.length > 0) this.waiting = this.waiting.filter((one) => one.trialId !== trialId);
    return taken.map(({ event }) => event);
  }

  /** Counts an ended trial of this run with the next batch. */
  wrote(runId: string): void {
    this.changed.add(runId);
    this.later(endsWithin);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.write();
  }

  private later(within: number): void {
    const at = performance.now() + within;
    if (this.stopped || at >= this.dueAt) return;
    clearTimeout(this.timer);
    this.dueAt = at;
    this.timer = setTimeout(() => void this.write(), within);
  }

  private write(): Promise<void> {
    this.dueAt = Infinity;
    return this.writing.run(() => this.writeNow());
  }

  private async writeNow(): Promise<void> {
    const batch = this.waiting;
    this.waiting = [];
    const changed = [...this.changed];
    this.changed.clear();
    try {
      if (batch.length > 0)
        await this.db.run(runEvents.addEvents, {
          runIds: batch.map(({ runId }) => runId),
          data: batch.map(({ event }) => storableJson(event)),
        });
      await tallyRuns(this.db, changed);
    } catch (error) {
      // The counts are retried, since they are read from the stored trials; the progress events of the failed batch
      // are dropped.
      for (const runId of changed) this.changed.add(runId);
      this.later(afterFailure);
      this.log.warn('Progress of eval runs could not be stored', { error: redact((error as Error).message) });
    }
  }
}
