import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { RowOf } from '../../platform/database/columns.ts';
import * as blobRows from '../../platform/database/queries/blobs.ts';
import { newId } from '../../platform/ids.ts';
import type { Services } from '../context/context.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Traces up to this many characters are stored in their row; longer ones are compressed into a blob. */
const maxInRow = 65_536;
/** Bytes of a trace in its blob, and decompressed. */
const maxCompressedBytes = 64 * 1024 * 1024;
const maxTraceBytes = 256 * 1024 * 1024;

export type Trace = OutputOf<Operations['getEvalIterationTrace']>;

export interface StoredTrace {
  body?: string;
  /** The row of the blob, to insert together with the row that references it. */
  blob?: RowOf<typeof blobRows.insert.takes>;
}

/** Stores the text inline or as a blob. Until its row is written, the blob counts as garbage, which is cleaned up. */
export async function storeTrace(
  { blobs, db, clock }: Pick<Services, 'blobs' | 'db' | 'clock'>,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  text: string | undefined,
): Promise<StoredTrace | undefined> {
  if (text === undefined) return undefined;
  if (text.length <= maxInRow) return { body: text };
  const id = newId('blob', clock());
  await db.run(blobRows.noteGarbage, { id });
  const stored = await blobs.put(id, one(await compress(text, { level: 1 })), maxCompressedBytes);
  return { blob: { id, organizationId, projectId, contentType: 'application/gzip', ...stored } };
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Reads a trace from its row, or decompresses its blob. */
export async function readTrace(
  { blobs }: Pick<Services, 'blobs'>,
  { body, blobId }: { body: string | null; blobId: string | null },
): Promise<{ trace?: Trace; length: number }> {
  if (body !== null) return { trace: JSON.parse(body) as Trace, length: body.length };
  if (blobId === null) return { length: 0 };
  const parts: Uint8Array[] = [];
  for await (const part of blobs.read(blobId) as AsyncIterable<Uint8Array>) parts.push(part);
  const text = await decompress(Buffer.concat(parts), { maxOutputLength: maxTraceBytes });
  return { trace: JSON.parse(text.toString()) as Trace, length: text.length };
}
