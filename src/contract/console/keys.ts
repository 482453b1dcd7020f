import { z } from 'zod';
import { VisibleName } from '../fields.ts';
import { operationsIn } from '../operation.ts';
import { historyPage, pageOf, Time } from '../paging.ts';
import { PersonSummary } from './people.ts';

const operation = operationsIn({
  area: 'Console',
  path: '/organizations/{organizationId}/keys',
  access: 'organization member',
});

const fields = {
  id: z.string(),
  name: z.string(),
  hint: z.string().describe('Part of the key, to tell keys apart.'),
  user: PersonSummary.nullable().describe('User that the key acts as.'),
  createdAt: Time,
  lastUsedAt: Time.nullable(),
  revokedAt: Time.nullable(),
};

export const listKeys = operation({
  summary: 'List API keys, newest first',
  description: 'Lists your own keys. Administrators of the organization see all keys.',
  query: z.object({
    whose: z.enum(['mine', 'all']).default('all').describe('`all`: all keys visible to you.'),
    ...historyPage,
  }),
  response: pageOf(z.object(fields), 'ConsoleKeyPage'),
});

export const createKey = operation({
  summary: 'Create an API key',
  method: 'POST',
  body: z.strictObject({ name: VisibleName }),
  example: { name: 'CI' },
  status: 201,
  errors: ['CONFLICT'],
  response: z.object({ ...fields, key: z.string().describe('Shown only once.') }),
});

export const revokeKey = operation({
  summary: 'Revoke an API key',
  description: 'Takes effect with the next request. Administrators can revoke keys of others.',
  method: 'DELETE',
  path: '/{keyId}',
  response: z.object({ id: z.string(), revoked: z.literal(true) }),
});
