import { z } from 'zod';
import { type EventType, eventTypes } from './event-types.ts';
import { operationsIn } from './operation.ts';
import { historyPage, lookupPage, pageOf, Time } from './paging.ts';
import { httpUrl } from './servers.ts';
import { Name } from './text.ts';

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
    `What it is told of. ${Object.entries(eventTypes)
      .map(([type, meaning]) => `\`${type}\`: ${meaning}`)
      .join(' ')}`,
  );

const Url = httpUrl('deliveries are signed instead');

const Secret = z
  .string()
  .regex(
    /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    'Write whsec_ and the base64 of 24 to 64 random bytes, or leave it out to have one made',
  );

const Webhook = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    url: z.string().describe('Where it is sent to, without the values in its query.'),
    events: z.array(z.string()),
    enabled: z.boolean(),
    disabledReason: z.string().nullable().describe('Set when it was switched off because of its answers.'),
    pending: z.number().int().describe('Deliveries that are yet to arrive.'),
    dead: z.number().int().describe('Deliveries of the last 30 days that were given up.'),
    lastDeliveredAt: Time.nullable(),
    failingSince: Time.nullable().describe('Of the deliveries that failed one after the other until now.'),
    createdAt: Time,
    updatedAt: Time,
    createdByUserId: z.string(),
  })
  .meta({ id: 'Webhook' });

const WithSecret = Webhook.extend({
  secret: z.string().describe('What deliveries are signed with. It is not shown again.'),
}).meta({ id: 'WebhookWithSecret' });

const state = z
  .enum(['pending', 'delivered', 'dead'])
  .describe('`pending`: yet to arrive. `delivered`: answered with 2xx. `dead`: given up.');

const Delivery = z
  .object({
    id: z.string(),
    webhookId: z.string(),
    eventId: z.string().describe('`webhook-id` of every attempt, so that a receiver knows a repetition.'),
    type: z.string(),
    subject: z.string().describe('What it is about. Deliveries with the same subject arrive in order.'),
    state,
    attempts: z.number().int(),
    lastStatus: z.number().int().nullable().describe('The HTTP status of the last answer, if there was one.'),
    lastError: z.string().nullable(),
    createdAt: Time,
    nextAttemptAt: Time.nullable().describe('Not before this time.'),
    endedAt: Time.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });

const DeliveryDetail = Delivery.extend({
  body: z.looseObject({}).describe('What is sent.'),
  log: z
    .array(
      z.object({
        at: Time,
        durationMs: z.number().int(),
        status: z.number().int().nullable(),
        error: z.string().nullable(),
      }),
    )
    .describe('The latest attempts, at most 20.'),
}).meta({ id: 'WebhookDeliveryDetail' });

const signed =
  'Requests carry `webhook-id`, `webhook-timestamp` and `webhook-signature` as the Standard Webhooks say, so that their libraries check them.';

export const listWebhooks = operation({
  summary: "List a project's webhooks",
  description: 'In order of creation.',
  query: z.object(lookupPage),
  response: pageOf(Webhook, 'WebhookPage'),
});

export const createWebhook = operation({
  summary: 'Have events sent to a URL',
  description: `Events are written down with what they tell of, and sent until the receiver answers with 2xx: again after some seconds, then minutes, then hours, 14 times in 31 hours. ${signed}`,
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
  summary: 'Change a webhook',
  description: 'What is yet to be delivered goes to the new URL. One that is disabled is told nothing.',
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
  description: 'With its deliveries, also those that are yet to arrive.',
  method: 'DELETE',
  path: '/{webhookId}',
  access: 'project admin',
  response: z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'WebhookDeleted' }),
});

export const rotateWebhookSecret = operation({
  summary: 'Replace the secret of a webhook',
  description: 'Deliveries are signed with both for as long as the old one is kept.',
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
        .describe('0 when the old one is known to others.'),
      secret: Secret.optional(),
    })
    .default({ keepOldHours: 24 })
    .meta({ id: 'WebhookRotateRequest' }),
  example: { keepOldHours: 24 },
  response: WithSecret,
});

export const testWebhook = operation({
  summary: 'Send a webhook a test event',
  description: 'Of type `webhook.test`, once. Read the delivery to see how it went.',
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
  description: 'The latest first. They are kept for 30 days.',
  command: 'webhooks deliveries',
  path: '/{webhookId}/deliveries',
  query: z.object({ ...historyPage, state: state.optional() }),
  response: pageOf(Delivery, 'WebhookDeliveryPage'),
});

export const getWebhookDelivery = operation({
  summary: 'Read a delivery',
  description: 'With what is sent and how the attempts went.',
  command: 'webhooks delivery',
  path: '/{webhookId}/deliveries/{deliveryId}',
  response: DeliveryDetail,
});

export const redeliverWebhook = operation({
  summary: 'Deliver again',
  description: 'The same event under the same `webhook-id`. One that is pending is tried at once.',
  command: 'webhooks redeliver',
  method: 'POST',
  path: '/{webhookId}/deliveries/{deliveryId}/redeliver',
  access: 'project admin',
  status: 202,
  response: Delivery,
  errors: ['CONFLICT'],
});

export const replayWebhook = operation({
  summary: 'Deliver again what was missed',
  description:
    'All deliveries since a time that were given up, or all of them. The oldest 1,000 in one request, and those of the same millisecond as the last.',
  command: 'webhooks replay',
  method: 'POST',
  path: '/{webhookId}/replay',
  access: 'project admin',
  body: z
    .strictObject({
      since: Time,
      all: z.boolean().default(false).describe('Also what was delivered.'),
    })
    .meta({ id: 'WebhookReplayRequest' }),
  example: { since: 1_767_225_600_000 },
  status: 202,
  response: z
    .object({
      count: z.number().int(),
      nextSince: Time.nullable().describe('Send it as `since` for the rest; `null` when that was all.'),
    })
    .meta({ id: 'WebhookReplayed' }),
  errors: ['CONFLICT'],
});
