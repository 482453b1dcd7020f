import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RowOf } from '../../platform/database/columns.ts';
import * as blobRows from '../../platform/database/queries/blobs.ts';
import { newId } from '../../platform/ids.ts';
import type { Services } from '../context.ts';

const compress = promisify(gzip);

/** Characters of a trace that are kept in its row; a longer one is compressed and goes to the blobs. */
const mostInRow = 65_536;
const largestTrace = 64 * 1024 * 1024;

export interface StoredTrace {
  body?: string;
  /** To be written along with what refers to it. */
  blob?: RowOf<typeof blobRows.insert.takes>;
}

/** Until its row is written the file counts as garbage, so that whatever ends this half-way leaves nothing behind. */
export async function storeTrace(
  { blobs, db, clock }: Pick<Services, 'blobs' | 'db' | 'clock'>,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  text: string | undefined,
): Promise<StoredTrace | undefined> {
  if (text === undefined) return undefined;
  if (text.length <= mostInRow) return { body: text };
  const id = newId('blob', clock());
  await db.run(blobRows.noteGarbage, { id });
  const stored = await blobs.put(id, one(await compress(text, { level: 1 })), largestTrace);
  return { blob: { id, organizationId, projectId, contentType: 'application/gzip', ...stored } };
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
