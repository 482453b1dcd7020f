import * as deliveries from '../../platform/database/queries/webhook-deliveries.ts';
import * as webhooks from '../../platform/database/queries/webhooks.ts';
import { pageById, pageByLatest } from '../base/paging.ts';
import { found } from '../base/refusals.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { presentDelivery, presentWebhook } from './present.ts';
import { bodyOf } from './send.ts';

export const listWebhooks: Verb<'listWebhooks'> = (context, page) => {
  const { db, project } = context;
  const fetch = (after: string, most: number) =>
    db.rows(webhooks.list, { projectId: project.id, after, most });
  return pageById(context, ['webhooks', project.id], page, fetch, presentWebhook);
};

export const getWebhook: Verb<'getWebhook'> = async (context, { webhookId }) =>
  presentWebhook(await findWebhook(context, webhookId));

export const listWebhookDeliveries: Verb<'listWebhookDeliveries'> = async (
  context,
  { webhookId, ...page },
) => {
  const { db } = context;
  const { state } = page;
  await findWebhook(context, webhookId);
  const fetch = (before: string | null, most: number) =>
    state === undefined
      ? db.rows(deliveries.list, { webhookId, before, most })
      : db.rows(deliveries.listInState, { webhookId, state, before, most });
  return pageByLatest(
    context,
    ['webhook-deliveries', webhookId, state ?? null],
    page,
    fetch,
    presentDelivery,
  );
};

export const getWebhookDelivery: Verb<'getWebhookDelivery'> = async (context, { webhookId, deliveryId }) => {
  await findWebhook(context, webhookId);
  const row = found(await context.db.row(deliveries.find, { webhookId, id: deliveryId }), 'delivery');
  return {
    ...presentDelivery(row),
    body: JSON.parse(bodyOf(row)) as Record<string, unknown>,
    log: row.log,
  };
};

async function findWebhook({ db, project }: ProjectContext, id: string): Promise<webhooks.WebhookRow> {
  return found(await db.row(webhooks.find, { projectId: project.id, id }), 'webhook');
}
