import type { Db } from '../../platform/database/database.ts';
import * as deliveries from '../../platform/database/queries/webhook-deliveries.ts';
import * as webhooks from '../../platform/database/queries/webhooks.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { enqueueDeliveries } from './emit.ts';
import { presentDelivery } from './present.ts';

const maxReplayed = 1_000;

export const testWebhook: Verb<'testWebhook'> = (context, { webhookId }) =>
  writeInProject(context, async (db) => {
    const hook = await enabled(context, db, webhookId);
    const id = newId('dlv');
    await db.run(deliveries.insert, {
      id: [id],
      webhookId: [webhookId],
      projectId: [context.project.id],
      eventId: [newId('evt')],
      type: ['webhook.test'],
      subject: [id],
      data: [{ webhookId, message: 'Test event' }],
    });
    await begin(db, hook);
    await audit(db, context, 'webhook.test', webhookId);
    return presentDelivery(await db.one(deliveries.find, { webhookId, id }));
  });

export const redeliverWebhook: Verb<'redeliverWebhook'> = (context, { webhookId, deliveryId }) =>
  writeInProject(context, async (db) => {
    const hook = await enabled(context, db, webhookId);
    const row = found(await db.row(deliveries.again, { webhookId, id: deliveryId }), 'delivery');
    await begin(db, hook);
    await audit(db, context, 'webhook.redeliver', webhookId);
    return presentDelivery(row);
  });

export const replayWebhook: Verb<'replayWebhook'> = (context, { webhookId, body }) =>
  writeInProject(context, async (db) => {
    const hook = await enabled(context, db, webhookId);
    const again = await db.rows(deliveries.againSince, { webhookId, ...body, most: maxReplayed });
    await begin(db, hook);
    await audit(db, context, 'webhook.replay', webhookId);
    const latest = Math.max(...again.map(({ createdAt }) => createdAt));
    return { count: again.length, nextSince: again.length >= maxReplayed ? latest + 1 : null };
  });

async function enabled({ project }: ProjectContext, db: Db, id: string) {
  const hook = found(await db.row(webhooks.lock, { projectId: project.id, id }), 'webhook');
  if (!hook.enabled) throw conflict('The webhook is disabled. Enable it first', 'WEBHOOK_DISABLED');
  return hook;
}

/** Retries at once instead of waiting for the backoff of the receiver. */
async function begin(db: Db, hook: { id: string; organizationId: string; createdBy: string }): Promise<void> {
  await db.run(webhooks.resume, { id: hook.id });
  await enqueueDeliveries(db, [hook]);
}
