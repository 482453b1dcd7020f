import type { RunEvent } from '../../../contract/eval-iterations.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as runEvents from '../../../platform/database/queries/eval-run-events.ts';
import { type Log, redact } from '../../../platform/log.ts';
import { storableJson } from '../../storable.ts';
import { tallyRuns } from './decide.ts';

/** Milliseconds until what happens in trials is written, until it is added that one has ended, and after a failure. */
const eventsWithin = 200;
const endsWithin = 50;
const afterFailure = 1_000;
/** Events that wait at most; a database that is away must not fill the memory. */
const mostWaiting = 10_000;

/**
 * What happens in trials, on its way to the readers of events. Written in batches: progress may be lost in a crash,
 * results are not. The events of a trial that has ended go along with its result, and are added to the run here.
 */
export class Progress {
  private readonly db: Db;
  private readonly log: Log;
  private waiting: { runId: string; trialId: string; event: RunEvent }[] = [];
  private readonly changed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private dueAt = Infinity;
  private writing: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(db: Db, log: Log) {
    this.db = db;
    this.log = log;
  }

  add(trialId: string, event: RunEvent): void {
    if (this.waiting.length < mostWaiting) this.waiting.push({ runId: event.runId, trialId, event });
    this.later(eventsWithin);
  }

  /** What is not written yet of a trial, to be written with its end. */
  take(trialId: string): RunEvent[] {
    const taken = this.waiting.filter((one) => one.trialId === trialId);
    if (taken.length > 0) this.waiting = this.waiting.filter((one) => one.trialId !== trialId);
    return taken.map(({ event }) => event);
  }

  /** A trial of this run has ended; it is added to the run with the next batch. */
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
    this.writing = this.writing.then(() => this.writeNow());
    return this.writing;
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
      // What ended is found again; what happens in between is not told.
      for (const runId of changed) this.changed.add(runId);
      this.later(afterFailure);
      this.log.warn('Progress of eval runs was not written', { error: redact((error as Error).message) });
    }
  }
}
