import { z } from 'zod';
import { fileAnswer, operation, type SentFile } from './operation.ts';

export const getArtifact = operation({
  area: 'Eval runs',
  access: 'public',
  command: 'artifacts get',
  method: 'GET',
  path: '/artifacts/{artifactToken}',
  summary: 'Read a picture or a recording by its address',
  description:
    'Other operations answer with such addresses. The address itself lets in, without a key, for some minutes; ask the operation again for another one. One range of the bytes can be asked for, as players of videos do.',
  headers: z.object({
    range: z
      .string()
      .max(100)
      .optional()
      .describe('One range, like `bytes=0-1023`; anything else is ignored.'),
  }),
  status: 200,
  response: fileAnswer('*/*', 'The bytes.'),
  otherStatuses: { 206: 'The range that was asked for.' },
  statusOf: ({ part }: SentFile) => (part ? 206 : 200),
});
