import { createReadStream } from 'node:fs';
import type { RecordedPart } from '../../../browser/recording.ts';
import type { RowOf } from '../../../platform/database/columns.ts';
import * as blobRows from '../../../platform/database/queries/blobs.ts';
import { newId } from '../../../platform/ids.ts';
import type { Services } from '../../context.ts';

/** With what comes after the recording was told to stop. */
const mostBytes = 80 * 1024 * 1024;

const contentTypes = { webm: 'video/webm', frames: 'video/x-motion-jpeg' } as const;

export type KeptFilm = RowOf<typeof blobRows.insertArtifact.takes>;

/** Recordings of one trial, put into the blobs. Until the trial is written they count as garbage. */
export class Films {
  readonly kept: KeptFilm[] = [];
  private readonly services: Pick<Services, 'blobs' | 'db' | 'clock' | 'log'>;
  private readonly owner: { organizationId: string; projectId: string };

  constructor(
    services: Pick<Services, 'blobs' | 'db' | 'clock' | 'log'>,
    { organizationId, projectId }: { organizationId: string; projectId: string },
  ) {
    this.services = services;
    this.owner = { organizationId, projectId };
  }

  /** A trial is worth more than its recording: one that cannot be kept is done without. */
  async keep({ kind, path }: RecordedPart): Promise<string | undefined> {
    const { blobs, db, clock, log } = this.services;
    const id = newId('blob', clock());
    try {
      await db.run(blobRows.noteGarbage, { id });
      const stored = await blobs.put(id, createReadStream(path), mostBytes);
      this.kept.push({ id, ...this.owner, contentType: contentTypes[kind], ...stored });
      return id;
    } catch (error) {
      log.warn('The recording of a widget was not kept', { reason: String(error).slice(0, 200) });
      return undefined;
    }
  }
}
