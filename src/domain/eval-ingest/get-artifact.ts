import { findBlob } from '../../platform/database/queries/blobs.ts';
import { notFound } from '../refusals.ts';
import type { Verb } from '../verb.ts';

export const getEvalArtifact: Verb<'getEvalArtifact'> = async ({ db, blobs, project }, { storageId }) => {
  const blob = await findBlob(db, project.id, storageId);
  if (!blob) throw notFound('artifact');
  return { contentType: blob.contentType, size: blob.size, bytes: blobs.read(storageId) };
};
