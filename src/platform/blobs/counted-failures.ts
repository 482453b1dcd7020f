import type { Readable } from 'node:stream';
import { counters } from '../telemetry/metrics.ts';
import { type BlobPart, type BlobStore, BlobTooLarge, type StoredBlob } from './store.ts';

/** Counts failures of the store itself: not oversized content, aborted uploads or missing blobs. */
export class CountedFailures implements BlobStore {
  private readonly store: BlobStore;

  constructor(store: BlobStore) {
    this.store = store;
  }

  async put(id: string, content: AsyncIterable<Uint8Array>, limit: number): Promise<StoredBlob> {
    let brokeOff = false;
    async function* watched(): AsyncGenerator<Uint8Array> {
      try {
        yield* content;
      } catch (error) {
        brokeOff = true;
        throw error;
      }
    }
    try {
      return await this.store.put(id, watched(), limit);
    } catch (error) {
      if (!brokeOff && !(error instanceof BlobTooLarge)) counters.blobFailures.add('put');
      throw error;
    }
  }

  read(id: string, part?: BlobPart): Readable {
    return this.store.read(id, part).once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && error.name !== 'AbortError') counters.blobFailures.add('read');
    });
  }

  async remove(id: string): Promise<void> {
    try {
      await this.store.remove(id);
    } catch (error) {
      counters.blobFailures.add('remove');
      throw error;
    }
  }
}
