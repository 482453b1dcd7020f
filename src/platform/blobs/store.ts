import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

export interface StoredBlob {
  size: number;
  sha256: string;
}

/** First and last byte. */
export interface BlobPart {
  start: number;
  end: number;
}

/** Bytes by id. Written once, never changed. */
export interface BlobStore {
  /** Beyond the limit, or when the content ends with an error, nothing is kept. */
  put(id: string, content: AsyncIterable<Uint8Array>, limit: number): Promise<StoredBlob>;
  /** One that is not there ends with an error of the code ENOENT. */
  read(id: string, part?: BlobPart): Readable;
  remove(id: string): Promise<void>;
}

export class BlobTooLarge extends Error {
  override name = 'BlobTooLarge';
}

/** Ids are ours, but a path is a path. */
export function checkId(id: string): void {
  if (!/^[a-z0-9_]+$/.test(id)) throw new Error(`not a blob id: ${id}`);
}

interface Counted {
  bytes: AsyncIterable<Uint8Array>;
  /** Of what has passed. */
  result: () => StoredBlob;
  /** What ended them early. */
  failure: () => unknown;
}

/** The same bytes, counted and hashed as they pass; refused beyond the limit. */
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
