import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { RecordedPart } from '../../../browser/recording.ts';
import type { RowOf } from '../../../platform/database/columns.ts';
import * as blobRows from '../../../platform/database/queries/blobs.ts';
import { newId } from '../../../platform/ids.ts';
import type { Services } from '../../context/context.ts';

/** Maximum number of bytes of a recording, including data that arrives after the recording was told to stop. */
const maxBytes = 80 * 1024 * 1024;

const contentTypes = { webm: 'video/webm', frames: 'video/x-motion-jpeg' } as const;

export type StoredRecording = RowOf<typeof blobRows.insertArtifact.takes>;

/** Maximum number of bytes per picture, and pictures per trial. */
const maxPictureBytes = 4 * 1024 * 1024;
const maxPictures = 50;

/** Stores recordings and pictures of one trial as blobs. Blobs count as garbage until the trial is recorded. */
export class TrialMedia {
  readonly kept: StoredRecording[] = [];
  private pictures = 0;
  private readonly services: Pick<Services, 'blobs' | 'db' | 'clock' | 'log'>;
  private readonly owner: { organizationId: string; projectId: string };

  constructor(
    services: Pick<Services, 'blobs' | 'db' | 'clock' | 'log'>,
    { organizationId, projectId }: { organizationId: string; projectId: string },
  ) {
    this.services = services;
    this.owner = { organizationId, projectId };
  }

  keep({ kind, path }: RecordedPart): Promise<string | undefined> {
    return this.store(contentTypes[kind], createReadStream(path), maxBytes);
  }

  async keepPicture(png: Buffer): Promise<string | undefined> {
    if (png.length > maxPictureBytes || this.pictures >= maxPictures) return undefined;
    this.pictures++;
    return this.store('image/png', Readable.from([png]), maxPictureBytes);
  }

  /** A recording or picture that cannot be stored is skipped; the trial goes on without it. */
  private async store(contentType: string, content: Readable, limit: number): Promise<string | undefined> {
    const { blobs, db, clock, log } = this.services;
    const id = newId('blob', clock());
    try {
      await db.run(blobRows.noteGarbage, { id });
      const stored = await blobs.put(id, content, limit);
      this.kept.push({ id, ...this.owner, contentType, ...stored });
      return id;
    } catch (error) {
      log.warn('Widget recording or screenshot could not be stored', { reason: String(error).slice(0, 200) });
      return undefined;
    }
  }
}
