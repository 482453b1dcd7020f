import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';
import { HeaderName, HeaderValue } from './servers.ts';
import { problemOfVariable, SecretName } from './variables.ts';

const operation = operationsIn({
  area: 'Secrets',
  path: '/projects/{projectId}/secrets',
  access: 'project member',
});

const Delivery = z
  .enum(['brokered', 'materialized'])
  .describe(
    '`brokered`: added to requests to `brokerHosts`; the run never sees the value. `materialized`: an environment variable of the run. Personal secrets reach only commands that list them in `personalEnv`.',
  );
const Sharing = z
  .enum(['user', 'project'])
  .describe(
    '`user`: visible to and usable by its owner only. `project`: usable by all members, managed by administrators.',
  );

const Secret = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    delivery: Delivery,
    brokerHosts: z
      .array(z.string())
      .optional()
      .describe('Only for brokered secrets, like the next two fields.'),
    brokerHeader: z.string().optional(),
    brokerTemplate: z.string().optional(),
    sharing: Sharing,
    ownerUserId: z.string().optional().describe('Owner of a personal secret.'),
    lastDeliveredAt: Time.nullable().describe('Last use by a run, in epoch milliseconds.'),
    createdAt: Time,
    updatedAt: Time,
    createdByUserId: z.string(),
    updatedByUserId: z.string(),
  })
  .meta({ id: 'Secret', description: 'Metadata of a secret. The value is never returned.' });

const HostName = z
  .string()
  .max(253, { abort: true })
  .toLowerCase()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/,
    'Not a host name; write it exactly, like api.example.com, without scheme, port, path or wildcard',
  );

/** Editable fields of a secret. */
const writable = {
  value: z.string().max(65_536).describe('Stored encrypted, without trimming. Never returned.'),
  delivery: Delivery,
  brokerHosts: z
    .array(HostName)
    .min(1)
    .max(10)
    .refine((hosts) => new Set(hosts).size === hosts.length, 'Names a host twice')
    .describe(
      'Hosts that receive the value. Only for brokered secrets, which require this and the next two fields.',
    ),
  brokerHeader: HeaderName.max(64).describe('Header that carries the value.'),
  brokerTemplate: HeaderValue.max(256)
    .refine((template) => template.includes('{}'), 'Must contain {} for the value')
    .describe('Content of the header, with `{}` for the value.'),
};
const Description = z.string().max(500);

const bindingFields = ['brokerHosts', 'brokerHeader', 'brokerTemplate'] as const;

/** Problem with a combination of fields: brokered secrets require a complete binding, others have none. */
export function problemOfBinding(
  secret: { delivery: 'brokered' | 'materialized' } & { [Field in (typeof bindingFields)[number]]?: unknown },
): { path: string[]; message: string } | undefined {
  const brokered = secret.delivery === 'brokered';
  const wrong = bindingFields.find((field) => (secret[field] !== undefined) !== brokered);
  if (wrong === undefined) return undefined;
  return {
    path: [wrong],
    message: `${brokered ? 'Required for' : 'Not used by'} a secret with delivery ${secret.delivery}`,
  };
}

const SecretCreateRequest = z
  .strictObject({
    name: SecretName.describe('Immutable.'),
    value: writable.value,
    delivery: writable.delivery,
    description: Description.optional(),
    brokerHosts: writable.brokerHosts.optional(),
    brokerHeader: writable.brokerHeader.optional(),
    brokerTemplate: writable.brokerTemplate.optional(),
    sharing: Sharing.optional().describe('Default `project`, which requires an administrator. Immutable.'),
  })
  .superRefine((body, check) => {
    const problem = problemOfBinding(body);
    if (problem) check.addIssue({ code: 'custom', ...problem });
    const message = body.delivery === 'materialized' ? problemOfVariable(body.name) : undefined;
    if (message !== undefined) check.addIssue({ code: 'custom', path: ['name'], message });
  })
  .meta({ id: 'SecretCreateRequest' });

const SecretUpdateRequest = z
  .strictObject(writable)
  .partial()
  .extend({ description: Description.nullable().optional().describe('`null` clears it.') })
  .superRefine((body, check) => {
    if (Object.keys(body).length === 0)
      check.addIssue({ code: 'custom', message: 'Give at least one field to change' });
  })
  .meta({
    id: 'SecretUpdateRequest',
    description:
      'Omitted fields keep their value. Changing to `brokered` requires the complete binding; changing to `materialized` clears it.',
  });

export const listSecrets = operation({
  summary: "List a project's secrets",
  description: 'Secrets shared in the project and personal secrets of the caller, in order of creation.',
  query: z.object(lookupPage),
  response: pageOf(Secret, 'SecretPage'),
});

export const createSecret = operation({
  summary: 'Create a secret',
  method: 'POST',
  body: SecretCreateRequest,
  example: {
    name: 'WEATHER_TOKEN',
    value: 'the value',
    delivery: 'brokered',
    brokerHosts: ['api.weather.example.com'],
    brokerHeader: 'Authorization',
    brokerTemplate: 'Bearer {}',
    sharing: 'user',
  },
  status: 201,
  response: Secret,
  errors: ['CONFLICT', 'FORBIDDEN'],
  idempotency: 'transaction',
});

export const getSecret = operation({
  summary: 'Read the metadata of a secret',
  path: '/{secretId}',
  response: Secret,
});

export const updateSecret = operation({
  summary: 'Rotate or rebind a secret',
  description: 'Runs that already use the secret keep the previous value.',
  method: 'PATCH',
  path: '/{secretId}',
  body: SecretUpdateRequest,
  example: { value: 'the next value' },
  response: Secret,
  access: 'own or project admin',
});

export const deleteSecret = operation({
  summary: 'Delete a secret',
  description:
    'Deletes the secret permanently, even if environments select it. Runs that already use it keep the value; other started runs fail. Revoke the value at its issuer as well.',
  method: 'DELETE',
  path: '/{secretId}',
  response: z
    .object({ id: z.string(), projectId: z.string(), name: z.string(), deleted: z.literal(true) })
    .meta({ id: 'SecretDeleted' }),
  access: 'own or project admin',
});
