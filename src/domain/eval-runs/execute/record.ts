import { Batch } from '../../../platform/batch.ts';
import { byColumn } from '../../../platform/database/columns.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as blobRows from '../../../platform/database/queries/blobs.ts';
import type { TrialRow } from '../../../platform/database/queries/eval-trials.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import { storableJson } from '../../../platform/json/storable.ts';
import type { FinalState } from '../../../platform/leases/holder.ts';
import type { Progress } from './progress.ts';
import type { Recorded } from './recorded.ts';

type RecordedRow = trials.RecordedTrial;

/** Milliseconds an ended trial waits for others to share a write; its slot is free already. */
const linger = 20;
const maxTogether = 50;

interface Ended {
  row: RecordedRow;
  held: boolean;
}

/** Stores ended trials in batches, and releases their leases. A trial whose lease was lost stores nothing. */
export class TrialRecords {
  private readonly db: Db;
  private readonly progress: Progress;
  private readonly batch: Batch<Ended>;

  constructor(db: Db, progress: Progress) {
    this.db = db;
    this.progress = progress;
    this.batch = new Batch((ended) => this.write(ended), { linger, most: maxTogether });
  }

  /** False when the lease was lost. */
  async settle(
    trial: TrialRow,
    end: FinalState,
    { result, blob, media, finished }: Recorded,
  ): Promise<boolean> {
    const events = [...this.progress.take(trial.id), finished];
    const row: RecordedRow = {
      leaseToken: trial.leaseToken,
      state: end.state,
      lastError: end.state === 'failed' ? end.error : null,
      ...result,
      events: storableJson(events),
    };
    const held =
      blob || media.length > 0 ? await this.writeAlone(row, blob, media) : await this.writeTogether(row);
    this.progress.wrote(trial.runId);
    return held;
  }

  private async writeTogether(row: RecordedRow): Promise<boolean> {
    const ended: Ended = { row, held: false };
    try {
      await this.batch.add(ended);
      return ended.held;
    } catch {
      // Another trial of the batch may have caused the error, so this one is retried alone.
      return this.writeAlone(row);
    }
  }

  private async write(ended: Ended[]): Promise<void> {
    const rows = await this.db.rows(trials.record, byColumn(ended.map(({ row }) => row)));
    const ids = new Set(rows.map(({ id }) => id));
    for (const each of ended) each.held = ids.has(each.row.trialId);
  }

  private writeAlone(
    row: RecordedRow,
    blob?: Recorded['blob'],
    media: Recorded['media'] = [],
  ): Promise<boolean> {
    return this.db.transaction(async (trx) => {
      const [held] = await trx.rows(trials.record, byColumn([row]));
      if (!held) return false;
      if (blob) await trx.run(blobRows.insert, blob);
      for (const film of media) {
        await trx.run(blobRows.insertArtifact, film);
        await trx.run(blobRows.refer, { ids: [film.id], projectId: film.projectId ?? '', runId: row.runId });
      }
      const ids = [...(blob ? [blob.id] : []), ...media.map(({ id }) => id)];
      if (ids.length > 0) await trx.run(blobRows.forgetGarbage, { ids });
      return true;
    });
  }
}
