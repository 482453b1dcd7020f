import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { makeFolder, syncFolder } from '../durable.ts';
import { type BlobPart, type BlobStore, checkId, counted, type StoredBlob } from './store.ts';

/** One file per blob, distributed over folders by the last characters of the ID, which are random. */
export class FileBlobStore implements BlobStore {
  private readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  async put(id: string, content: AsyncIterable<Uint8Array>, limit: number): Promise<StoredBlob> {
    const path = this.pathOf(id);
    await makeFolder(dirname(path));
    const staging = this.stagingOf(id);
    // Left by an attempt that was killed.
    await rm(staging, { force: true });
    try {
      const stored = await write(staging, content, limit);
      await rename(staging, path);
      // The folder may have been created just now, possibly by another request.
      for (const folder of [dirname(path), this.root]) await syncFolder(folder);
      return stored;
    } catch (error) {
      await rm(staging, { force: true });
      throw error;
    }
  }

  read(id: string, part?: BlobPart): Readable {
    return createReadStream(this.pathOf(id), part);
  }

  /** Also removes the partial file of a process that was killed. */
  async remove(id: string): Promise<void> {
    for (const path of [this.pathOf(id), this.stagingOf(id)]) await rm(path, { force: true });
  }

  private stagingOf(id: string): string {
    return join(this.root, `.incoming-${id}`);
  }

  private pathOf(id: string): string {
    checkId(id);
    return join(this.root, id.slice(-2), id);
  }
}

async function write(path: string, content: AsyncIterable<Uint8Array>, limit: number): Promise<StoredBlob> {
  const { bytes, result } = counted(content, limit);
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of bytes) await file.writeFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
  return result();
}
