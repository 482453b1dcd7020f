import * as blobRows from '../../platform/database/queries/blobs.ts';
import { found } from '../refusals.ts';
import type { Verb } from '../verb.ts';

export const getEvalArtifact: Verb<'getEvalArtifact'> = async ({ db, blobs, project }, { storageId }) => {
  const blob = found(await db.row(blobRows.find, { projectId: project.id, id: storageId }), 'artifact');
  return { contentType: blob.contentType, size: blob.size, bytes: blobs.read(storageId) };
};
