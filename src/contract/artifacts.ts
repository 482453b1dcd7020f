import { z } from 'zod';
import { fileAnswer, operation, type SentFile } from './operation.ts';

export const getArtifact = operation({
  area: 'Eval runs',
  access: 'public',
  command: 'artifacts get',
  method: 'GET',
  path: '/artifacts/{artifactToken}',
  summary: 'Download a screenshot or a recording',
  description:
    'Other operations return these URLs. A URL works for a few minutes without an API key; repeat the operation to get a new one. Supports single byte ranges, as video players request them.',
  headers: z.object({
    range: z
      .string()
      .max(100)
      .optional()
      .describe('A single range, like `bytes=0-1023`. Other values are ignored.'),
  }),
  status: 200,
  response: fileAnswer('*/*', 'The bytes.'),
  otherStatuses: { 206: 'The requested range.' },
  statusOf: ({ part }: SentFile) => (part ? 206 : 200),
});
