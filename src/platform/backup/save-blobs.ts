import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { BlobStore, StoredBlob } from '../blobs/store.ts';
import { OperatorProblem } from '../problem.ts';
import { entries } from './format.ts';
import type { Meter } from './installation.ts';
import type { ArchiveWriter } from './writer.ts';

interface SavedBlob extends StoredBlob {
  id: string;
}

/** Saves the blob of every row in order of ID. Returns the number of blobs. */
export async function saveBlobs(
  client: pg.Client,
  blobs: BlobStore,
  archive: ArchiveWriter,
  meter: Meter,
): Promise<number> {
  await client.query('declare saved cursor for select id, size, sha256 from blobs order by id');
  for (let count = 0; ; ) {
    const { rows } = await client.query<SavedBlob>('fetch 500 from saved');
    if (rows.length === 0) return count;
    for (const blob of rows) {
      await archive.add(entries.blob(blob.id), blob.size, unharmed(blob, blobs));
      meter('blobs', blob.size);
      count++;
    }
  }
}

/** Verifies size and hash, so that a damaged blob is reported while the original may still be repaired. */
async function* unharmed({ id, size, sha256 }: SavedBlob, blobs: BlobStore): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let left = size;
  try {
    for await (const bytes of blobs.read(id) as AsyncIterable<Buffer>) {
      left -= bytes.length;
      if (left < 0) break;
      hash.update(bytes);
      yield bytes;
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new OperatorProblem(
      code === 'ENOENT'
        ? `The file of blob ${id} is missing. If this ran for more than an hour and the blob was deleted meanwhile, run it again; else put the file back into the blob store`
        : `The file of blob ${id} cannot be read: ${message}`,
    );
  }
  if (left !== 0 || hash.digest('hex') !== sha256)
    throw new OperatorProblem(
      `The file of blob ${id} does not match its stored hash. Restore the original file in the blob store, then run this again`,
    );
}
