import { Refusal } from '../../contract/errors.ts';
import type { ReceivedBytes } from '../../contract/operation.ts';
import { BlobTooLarge } from '../../platform/blobs/store.ts';
import type { Db } from '../../platform/database/database.ts';
import * as blobRows from '../../platform/database/queries/blobs.ts';
import { newId } from '../../platform/ids.ts';
import { ownerIn, writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import type { ProjectContext } from '../context.ts';
import { invalid } from '../invalid.ts';
import type { Verb } from '../verb.ts';

export const uploadEvalArtifact: Verb<'uploadEvalArtifact'> = (context, { upload }) =>
  storeArtifact(context, newId('blob', context.clock()), upload);

/** Stops reading as soon as the caller may no longer upload. A caller who hangs up ends the body by that. */
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
 * The bytes are stored as they arrive. Until the row is written they count as garbage, so that whatever ends this
 * half-way leaves nothing behind for good.
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
      // It stays noted: whatever failed may have left something.
      if (!(error instanceof BlobTooLarge)) throw error;
      throw invalid(`The artifact is larger than ${config.artifactLimit} bytes, which this service allows`);
    });
  // The empty file stays noted as garbage.
  if (stored.size === 0) throw invalid('The artifact is empty: send its bytes as the body');
  return writeInProject(context, async (trx) => {
    await within(trx);
    await trx.run(blobRows.insertArtifact, { id, ...ownerIn(context), contentType, ...stored });
    await trx.run(blobRows.forgetGarbage, { ids: [id] });
    await audit(trx, context, 'eval-artifact.upload', id);
    return { ok: true as const, storageId: id };
  });
}
