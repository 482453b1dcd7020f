import { Refusal } from '../../contract/errors.ts';
import type { ReceivedBytes } from '../../contract/operation.ts';
import { BlobTooLarge } from '../../platform/blobs/store.ts';
import type { Db } from '../../platform/database/database.ts';
import * as blobRows from '../../platform/database/queries/blobs.ts';
import { newId } from '../../platform/ids.ts';
import { invalid } from '../base/refusals.ts';
import { ownerIn, writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';

export const uploadEvalArtifact: Verb<'uploadEvalArtifact'> = (context, { upload }) =>
  storeArtifact(context, newId('blob', context.clock()), upload);

/** Stops reading when the caller loses the right to upload. A disconnect ends the body by itself. */
async function* whileAllowed(
  { callerGone }: ProjectContext,
  bytes: ReceivedBytes['bytes'],
): AsyncGenerator<Uint8Array> {
  const gone = callerGone();
  const reading = bytes[Symbol.asyncIterator]();
  let leave = (): void => {};
  const left = new Promise<never>((_, reject) => {
    leave = () => {
      if (gone.reason instanceof Refusal) reject(gone.reason);
    };
    gone.addEventListener('abort', leave, { once: true });
    if (gone.aborted) leave();
  });
  // An abort while a chunk is being stored must not count as an unhandled rejection.
  left.catch(() => {});
  try {
    for (;;) {
      const next = await Promise.race([reading.next(), left]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    gone.removeEventListener('abort', leave);
    // Releases the request. Not awaited, since it waits for a read that is still pending.
    reading.return?.().catch(() => {});
  }
}

/**
 * Streams the bytes to storage. Until its row is written, the file counts as garbage, so a crash leaves nothing
 * behind.
 */
export async function storeArtifact(
  context: ProjectContext,
  id: string,
  { contentType, bytes }: ReceivedBytes,
  within: (db: Db) => Promise<void> = async () => {},
): Promise<{ ok: true; storageId: string }> {
  const { blobs, db, config } = context;
  if (!/^[\x20-\x7e]{1,200}$/.test(contentType))
    throw invalid('Content-Type: Must be a media type of at most 200 characters');
  await db.run(blobRows.noteGarbage, { id });
  const stored = await blobs
    .put(id, whileAllowed(context, bytes), config.artifactLimit)
    .catch((error: unknown) => {
      // The garbage entry stays, since a failed upload may have left bytes.
      if (!(error instanceof BlobTooLarge)) throw error;
      throw invalid(`The artifact is larger than ${config.artifactLimit} bytes, which this service allows`);
    });
  // The empty file stays registered as garbage.
  if (stored.size === 0) throw invalid('The artifact is empty: send its bytes as the body');
  return writeInProject(context, async (trx) => {
    await within(trx);
    await trx.run(blobRows.insertArtifact, { id, ...ownerIn(context), contentType, ...stored });
    await trx.run(blobRows.forgetGarbage, { ids: [id] });
    await audit(trx, context, 'eval-artifact.upload', id);
    return { ok: true as const, storageId: id };
  });
}
