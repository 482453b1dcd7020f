import { z } from 'zod';
import { fileAnswer, operationsIn } from './operation.ts';

const operation = operationsIn({
  area: 'Eval ingestion',
  path: '/projects/{projectId}/eval-ingest/artifacts',
  access: 'project member',
});

const mebibyte = 1024 * 1024;

export const uploadEvalArtifact = operation({
  summary: 'Store an artifact of a run',
  description:
    'The raw bytes with their own `Content-Type`, typically the HTML of a widget that is too large to be sent inline. `storageId` is what the results of a run refer to. `default` as the project id means the Default project of the key’s organization.',
  method: 'POST',
  upload: {
    mediaType: 'application/octet-stream',
    limit: 20 * mebibyte,
    description: 'The bytes of the artifact, at most 20 MiB; the operator may allow less.',
  },
  response: z
    .looseObject({ ok: z.literal(true), storageId: z.string() })
    .meta({ id: 'EvalArtifactStored', description: 'The envelope that ingestion answers with.' }),
  defaultProject: true,
});

export const getEvalArtifact = operation({
  summary: 'Read an artifact',
  description: 'The bytes as they were stored, with the content type they were stored with.',
  path: '/{storageId}',
  response: fileAnswer('*/*', 'The bytes of the artifact.'),
  defaultProject: true,
});
