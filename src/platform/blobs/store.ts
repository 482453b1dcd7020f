import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

export interface StoredBlob {
  size: number;
  sha256: string;
}

/** First and last byte, inclusive. */
export interface BlobPart {
  start: number;
  end: number;
}

/** Stores immutable bytes by ID. */
export interface BlobStore {
  /** Stores nothing if the content exceeds the limit or ends with an error. */
  put(id: string, content: AsyncIterable<Uint8Array>, limit: number): Promise<StoredBlob>;
  /** A missing blob fails with ENOENT. */
  read(id: string, part?: BlobPart): Readable;
  remove(id: string): Promise<void>;
}

export class BlobTooLarge extends Error {
  override name = 'BlobTooLarge';
}

/** IDs are generated here, but they become part of a path. */
export function checkId(id: string): void {
  if (!/^[a-z0-9_]+$/.test(id)) throw new Error(`not a blob id: ${id}`);
}

interface Counted {
  bytes: AsyncIterable<Uint8Array>;
  /** Size and hash of the bytes that have passed. */
  result: () => StoredBlob;
  /** The error that ended the bytes; undefined if they did not fail. */
  failure: () => unknown;
}

/** Passes the bytes through while counting and hashing them. Throws beyond the limit. */
export function counted(content: AsyncIterable<Uint8Array>, limit: number): Counted {
  const hash = createHash('sha256');
  let size = 0;
  let failure: unknown;
  async function* passing(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of content) {
        size += chunk.length;
        if (size > limit) throw new BlobTooLarge(`more than ${limit} bytes`);
        hash.update(chunk);
        yield chunk;
      }
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  return {
    bytes: passing(),
    result: () => ({ size, sha256: hash.digest('hex') }),
    failure: () => failure,
  };
}
