import { z } from 'zod';
import { type EventType, eventTypes } from './event-types.ts';
import { Name } from './fields.ts';
import { operationsIn } from './operation.ts';
import { historyPage, lookupPage, pageOf, Time } from './paging.ts';
import { httpUrl } from './servers.ts';

const operation = operationsIn({
  area: 'Webhooks',
  path: '/projects/{projectId}/webhooks',
  access: 'project member',
});

const everyType = Object.keys(eventTypes) as [EventType, ...EventType[]];

const Events = z
  .array(z.enum(everyType))
  .min(1)
  .max(everyType.length)
  .refine((types) => new Set(types).size === types.length, 'Names a type twice')
  .describe(
    `Events to send. ${Object.entries(eventTypes)
      .map(([type, meaning]) => `\`${type}\`: ${meaning}`)
      .join(' ')}`,
  );

const Url = httpUrl('deliveries are signed instead');

const Secret = z
  .string()
  .regex(
    /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    'Must be whsec_ and the base64 of 24 to 64 random bytes; omit it to generate one',
  );

const Webhook = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    url: z.string().describe('Target URL with query values redacted.'),
    events: z.array(z.string()),
    enabled: z.boolean(),
    disabledReason: z
      .string()
      .nullable()
      .describe('Set if the webhook was disabled because its receiver answered with 410.'),
    pending: z.number().int().describe('Pending deliveries.'),
    dead: z.number().int().describe('Deliveries that failed permanently in the last 30 days.'),
    lastDeliveredAt: Time.nullable(),
    failingSince: Time.nullable().describe('Start of the current series of failed deliveries.'),
    createdAt: Time,
    updatedAt: Time,
    createdByUserId: z.string(),
  })
  .meta({ id: 'Webhook' });

const WithSecret = Webhook.extend({
  secret: z.string().describe('Signing secret. Not shown again.'),
}).meta({ id: 'WebhookWithSecret' });

const state = z
  .enum(['pending', 'delivered', 'dead'])
  .describe('`pending`: not delivered yet. `delivered`: answered with 2xx. `dead`: failed permanently.');

const Delivery = z
  .object({
    id: z.string(),
    webhookId: z.string(),
    eventId: z.string().describe('`webhook-id` of all attempts, for deduplication.'),
    type: z.string(),
    subject: z.string().describe('Resource of the event. Deliveries with the same subject arrive in order.'),
    state,
    attempts: z.number().int(),
    lastStatus: z.number().int().nullable().describe('HTTP status of the last response, if any.'),
    lastError: z.string().nullable(),
    createdAt: Time,
    nextAttemptAt: Time.nullable().describe('Earliest time of the next attempt.'),
    endedAt: Time.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });

const DeliveryDetail = Delivery.extend({
  body: z.looseObject({}).describe('Body of the delivery.'),
  log: z
    .array(
      z.object({
        at: Time,
        durationMs: z.number().int(),
        status: z.number().int().nullable(),
        error: z.string().nullable(),
      }),
    )
    .describe('Latest attempts, up to 20.'),
}).meta({ id: 'WebhookDeliveryDetail' });

const signed =
  'Requests carry `webhook-id`, `webhook-timestamp` and `webhook-signature` as specified by Standard Webhooks, so its libraries can verify them.';

export const listWebhooks = operation({
  summary: "List a project's webhooks",
  description: 'In order of creation.',
  query: z.object(lookupPage),
  response: pageOf(Webhook, 'WebhookPage'),
});

export const createWebhook = operation({
  summary: 'Create a webhook',
  description: `Sends events to a URL. Each event is stored in the transaction of its change and sent until the receiver answers with 2xx: up to 14 attempts in 31 hours, with increasing delays. ${signed}`,
  method: 'POST',
  access: 'project admin',
  body: z
    .strictObject({
      name: Name,
      url: Url,
      events: Events.default(everyType),
      enabled: z.boolean().default(true),
      secret: Secret.optional(),
    })
    .meta({ id: 'WebhookCreateRequest' }),
  example: { name: 'ci', url: 'https://ci.example.com/hooks/drydock', events: ['eval_run.decided'] },
  status: 201,
  response: WithSecret,
  errors: ['CONFLICT'],
});

export const getWebhook = operation({
  summary: 'Read a webhook',
  path: '/{webhookId}',
  response: Webhook,
});

export const updateWebhook = operation({
  summary: 'Edit a webhook',
  description: 'Pending deliveries go to the new URL. A disabled webhook receives no events.',
  method: 'PATCH',
  path: '/{webhookId}',
  access: 'project admin',
  body: z
    .strictObject({
      name: Name.optional(),
      url: Url.optional(),
      events: Events.optional(),
      enabled: z.boolean().optional(),
    })
    .refine(
      (changes) => Object.values(changes).some((value) => value !== undefined),
      'Give at least one field to change',
    )
    .meta({ id: 'WebhookUpdateRequest' }),
  example: { enabled: false },
  response: Webhook,
  errors: ['CONFLICT'],
});

export const deleteWebhook = operation({
  summary: 'Delete a webhook',
  description: 'Also deletes its deliveries, including pending ones.',
  method: 'DELETE',
  path: '/{webhookId}',
  access: 'project admin',
  response: z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'WebhookDeleted' }),
});

export const rotateWebhookSecret = operation({
  summary: 'Rotate the secret of a webhook',
  description: 'During the overlap, deliveries are signed with both secrets.',
  command: 'webhooks rotate-secret',
  method: 'POST',
  path: '/{webhookId}/rotate-secret',
  access: 'project admin',
  body: z
    .strictObject({
      keepOldHours: z
        .number()
        .int()
        .min(0)
        .max(168)
        .default(24)
        .describe('Use 0 if the old secret has leaked.'),
      secret: Secret.optional(),
    })
    .default({ keepOldHours: 24 })
    .meta({ id: 'WebhookRotateRequest' }),
  example: { keepOldHours: 24 },
  response: WithSecret,
});

export const testWebhook = operation({
  summary: 'Send a test event',
  description: 'Sends one event of type `webhook.test`. Read the delivery for the result.',
  command: 'webhooks test',
  method: 'POST',
  path: '/{webhookId}/test',
  access: 'project admin',
  status: 202,
  response: Delivery,
  errors: ['CONFLICT'],
});

export const listWebhookDeliveries = operation({
  summary: 'List the deliveries of a webhook',
  description: 'Newest first. Deliveries are kept for 30 days.',
  command: 'webhooks deliveries',
  path: '/{webhookId}/deliveries',
  query: z.object({ ...historyPage, state: state.optional() }),
  response: pageOf(Delivery, 'WebhookDeliveryPage'),
});

export const getWebhookDelivery = operation({
  summary: 'Read a delivery',
  description: 'Includes the body and the attempts.',
  command: 'webhooks delivery',
  path: '/{webhookId}/deliveries/{deliveryId}',
  response: DeliveryDetail,
});

export const redeliverWebhook = operation({
  summary: 'Redeliver an event',
  description: 'Sends the event again with the same `webhook-id`. A pending delivery is retried immediately.',
  command: 'webhooks redeliver',
  method: 'POST',
  path: '/{webhookId}/deliveries/{deliveryId}/redeliver',
  access: 'project admin',
  status: 202,
  response: Delivery,
  errors: ['CONFLICT'],
});

export const replayWebhook = operation({
  summary: 'Redeliver missed events',
  description:
    'Sends all permanently failed deliveries since a time again, or all deliveries with `all`. Each request covers the oldest 1,000, plus those of the same millisecond as the last one.',
  command: 'webhooks replay',
  method: 'POST',
  path: '/{webhookId}/replay',
  access: 'project admin',
  body: z
    .strictObject({
      since: Time,
      all: z.boolean().default(false).describe('Include successful deliveries.'),
    })
    .meta({ id: 'WebhookReplayRequest' }),
  example: { since: 1_767_225_600_000 },
  status: 202,
  response: z
    .object({
      count: z.number().int(),
      nextSince: Time.nullable().describe('Send it as `since` to continue. `null` if there are no more.'),
    })
    .meta({ id: 'WebhookReplayed' }),
  errors: ['CONFLICT'],
});
