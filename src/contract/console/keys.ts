import { z } from 'zod';
import { operationsIn } from '../operation.ts';
import { historyPage, pageOf, Time } from '../paging.ts';
import { VisibleName } from '../text.ts';
import { PersonSummary } from './people.ts';

const operation = operationsIn({
  area: 'Console',
  path: '/organizations/{organizationId}/keys',
  access: 'organization member',
});

const fields = {
  id: z.string(),
  name: z.string(),
  hint: z.string().describe('Enough to tell keys apart, too little to use.'),
  user: PersonSummary.nullable().describe('Whom it acts as.'),
  createdAt: Time,
  lastUsedAt: Time.nullable(),
  revokedAt: Time.nullable(),
};

export const listKeys = operation({
  summary: 'List API keys, newest first',
  description: 'The own ones; an administrator of the organization sees all.',
  query: z.object({
    whose: z.enum(['mine', 'all']).default('all').describe('`all`: as far as one may see them.'),
    ...historyPage,
  }),
  response: pageOf(z.object(fields), 'ConsoleKeyPage'),
});

export const createKey = operation({
  summary: 'Make an API key that acts as oneself in this organization',
  method: 'POST',
  body: z.strictObject({ name: VisibleName }),
  example: { name: 'CI' },
  status: 201,
  errors: ['CONFLICT'],
  response: z.object({ ...fields, key: z.string().describe('Shown this once.') }),
});

export const revokeKey = operation({
  summary: 'Revoke an API key',
  description: 'It stops working with the next request. An administrator may revoke those of others.',
  method: 'DELETE',
  path: '/{keyId}',
  response: z.object({ id: z.string(), revoked: z.literal(true) }),
});
