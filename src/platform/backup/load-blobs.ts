import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { BlobStore, StoredBlob } from '../blobs/store.ts';
import { OperatorProblem } from '../problem.ts';
import { entries } from './format.ts';
import type { Meter } from './installation.ts';
import type { ArchiveReader } from './reader.ts';

/** Restores the blobs of an archive into the store. */
export class BlobLoad {
  private readonly store: BlobStore;
  private readonly written: string[] = [];

  constructor(store: BlobStore) {
    this.store = store;
  }

  /** Stores the blobs, and throws if the size or hash of one does not match its row. Returns the number of blobs. */
  async run(client: pg.Client, archive: ArchiveReader, meter: Meter): Promise<number> {
    let count = 0;
    let last = '';
    for (let id = entries.blobId(archive.name); id !== undefined; id = entries.blobId(archive.name)) {
      const { rows } = await client.query<StoredBlob>('select size, sha256 from blobs where id = $1', [id]);
      const [row] = rows;
      // IDs ascend, so no blob can occur twice.
      if (!row || row.size !== archive.size || id <= last) throw archive.damaged(`blob ${id} is unexpected`);
      if ((await this.place(id, row, archive)) !== row.sha256)
        throw archive.damaged(`blob ${id} differs from the saved one`);
      meter('blobs', row.size);
      last = id;
      count++;
      await archive.advance();
    }
    return count;
  }

  /** Returns the hash of the archive's content. */
  private async place(id: string, row: StoredBlob, archive: ArchiveReader): Promise<string> {
    const there = await this.find(id);
    // Another database may use the same store: its files are neither replaced nor removed.
    if (there !== undefined && there !== row.sha256)
      throw new OperatorProblem(
        `The blob store already contains another file for blob ${id}. Set DRYDOCK_DATA_DIR to a new folder`,
      );
    if (there !== undefined) return digest(archive.content());
    this.written.push(id);
    try {
      return (await this.store.put(id, archive.content(), row.size)).sha256;
    } catch (error) {
      if (error instanceof OperatorProblem) throw error;
      throw new OperatorProblem(`Cannot store blob ${id}: ${(error as Error).message}`);
    }
  }

  private async find(id: string): Promise<string | undefined> {
    try {
      return await digest(this.store.read(id) as AsyncIterable<Buffer>);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      throw new OperatorProblem(`Cannot read the blob store: ${message}`);
    }
  }

  async takeBack(): Promise<void> {
    for (const id of this.written) await this.store.remove(id);
  }
}

async function digest(content: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of content) hash.update(bytes);
  return hash.digest('hex');
}
