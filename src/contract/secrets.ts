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
    '`brokered`: added to requests to `brokerHosts`, never seen by the run. `materialized`: an environment variable of the run; a personal one only of commands whose `personalEnv` names it.',
  );
const Sharing = z
  .enum(['user', 'project'])
  .describe('`user`: only its owner sees and uses it. `project`: all members do, administrators change it.');

const Secret = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    delivery: Delivery,
    brokerHosts: z.array(z.string()).optional().describe('Brokered only, like the two below.'),
    brokerHeader: z.string().optional(),
    brokerTemplate: z.string().optional(),
    sharing: Sharing,
    ownerUserId: z.string().optional().describe('Of a personal secret.'),
    lastDeliveredAt: Time.nullable().describe('When it was last handed to a run, in epoch milliseconds.'),
    createdAt: Time,
    updatedAt: Time,
    createdByUserId: z.string(),
    updatedByUserId: z.string(),
  })
  .meta({ id: 'Secret', description: 'What is known about a secret. Its value is never returned.' });

const HostName = z
  .string()
  .max(253, { abort: true })
  .toLowerCase()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/,
    'Not a host name; write it exactly, like api.example.com, without scheme, port, path or wildcard',
  );

/** Every field of a secret that may change later. */
const writable = {
  value: z.string().max(65_536).describe('Taken as it is, not trimmed. Stored encrypted, never returned.'),
  delivery: Delivery,
  brokerHosts: z
    .array(HostName)
    .min(1)
    .max(10)
    .refine((hosts) => new Set(hosts).size === hosts.length, 'Names a host twice')
    .describe('The hosts that receive the value. Brokered only, like the two below; it needs all three.'),
  brokerHeader: HeaderName.max(64).describe('The header that carries the value.'),
  brokerTemplate: HeaderValue.max(256)
    .refine((template) => template.includes('{}'), 'Has no {} that stands for the value')
    .describe('The content of the header; `{}` stands for the value.'),
};
const Description = z.string().max(500);

const bindingFields = ['brokerHosts', 'brokerHeader', 'brokerTemplate'] as const;

/** Why these fields cannot be one secret, if they cannot: only what is brokered has a binding, and a whole one. */
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
    name: SecretName.describe('Cannot be changed later.'),
    value: writable.value,
    delivery: writable.delivery,
    description: Description.optional(),
    brokerHosts: writable.brokerHosts.optional(),
    brokerHeader: writable.brokerHeader.optional(),
    brokerTemplate: writable.brokerTemplate.optional(),
    sharing: Sharing.optional().describe(
      '`project` when left out, which needs an administrator. Cannot be changed later.',
    ),
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
  .extend({ description: Description.nullable().optional().describe('`null` takes it away.') })
  .superRefine((body, check) => {
    if (Object.keys(body).length === 0)
      check.addIssue({ code: 'custom', message: 'Give at least one field to change' });
  })
  .meta({
    id: 'SecretUpdateRequest',
    description:
      'Fields left out stay as they are. Turning to `brokered` needs the whole binding, turning to `materialized` clears it.',
  });

export const listSecrets = operation({
  summary: "List a project's secrets",
  description: "Those shared in the project and the caller's own, in order of creation.",
  query: z.object(lookupPage),
  response: pageOf(Secret, 'SecretPage'),
});

export const createSecret = operation({
  summary: 'Store a secret',
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
  summary: 'Read what is known about a secret',
  path: '/{secretId}',
  response: Secret,
});

export const updateSecret = operation({
  summary: 'Rotate or rebind a secret',
  description: 'Runs that have begun keep what they received.',
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
    'For good, also while environments select it. Runs that have begun keep the value, and whoever issued it still accepts it.',
  method: 'DELETE',
  path: '/{secretId}',
  response: z
    .object({ id: z.string(), projectId: z.string(), name: z.string(), deleted: z.literal(true) })
    .meta({ id: 'SecretDeleted' }),
  access: 'own or project admin',
});
