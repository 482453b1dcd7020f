import type { Db } from '../../platform/database/database.ts';
import { nameKey } from '../../platform/database/name-key.ts';
import * as webhooks from '../../platform/database/queries/webhooks.ts';
import { newId } from '../../platform/ids.ts';
import { refusalOfUrl } from '../../platform/network/address-guard.ts';
import { hideQuery } from '../../platform/network/hide-query.ts';
import { found, invalid, refuseTaken } from '../base/refusals.ts';
import { ownerIn, writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { checkRoom } from '../limits/room.ts';
import { enqueueDeliveries } from './emit.ts';
import { presentWebhook } from './present.ts';
import { newSecret, type WebhookEndpoint } from './signature.ts';

/** Webhooks per project. */
const maxWebhooks = 20;
const hour = 3_600_000;

const refuseTakenName = (name: string) => refuseTaken('webhook', name, 'webhooks_name');

export const createWebhook: Verb<'createWebhook'> = async (context, { body }) => {
  const { project, actor } = context;
  const { name, url, events, enabled, secret = newSecret() } = body;
  await refuseAddress(context, url);
  return writeInProject(context, async (db) => {
    await checkRoom(context, db, 'webhooks', webhooks.count, { projectId: project.id }, maxWebhooks);
    const id = newId('whk', context.clock());
    const place: WebhookEndpoint = { url, secrets: [{ secret }] };
    await db.run(webhooks.insert, {
      id,
      organizationId: actor.organization.id,
      projectId: project.id,
      name,
      nameKey: nameKey(name),
      sealedId: await context.vault.seal(db, ownerIn(context), place),
      shownUrl: hideQuery(url),
      events,
      enabled,
      createdBy: actor.user.id,
    });
    await audit(db, context, 'webhook.create', id);
    return { ...(await read(context, db, id)), secret };
  }).catch(refuseTakenName(name));
};

export const updateWebhook: Verb<'updateWebhook'> = async (context, { webhookId, body }) => {
  if (body.url !== undefined) await refuseAddress(context, body.url);
  return writeInProject(context, async (db) => {
    const before = await lock(context, db, webhookId);
    const { name = before.name, events = before.events, enabled = before.enabled, url } = body;
    const sealedId =
      url === undefined
        ? before.sealedId
        : await reseal(context, db, before.sealedId, (place) => ({ ...place, url }));
    await db.run(webhooks.update, {
      projectId: context.project.id,
      id: webhookId,
      name,
      nameKey: nameKey(name),
      sealedId,
      shownUrl: url === undefined ? before.shownUrl : hideQuery(url),
      events,
      enabled,
      disabledReason: enabled ? null : before.disabledReason,
    });
    await forget(context, db, before.sealedId, sealedId);
    await enqueueDeliveries(db, [before]);
    await audit(db, context, 'webhook.update', webhookId);
    return read(context, db, webhookId);
  }).catch(refuseTakenName(body.name ?? ''));
};

export const rotateWebhookSecret: Verb<'rotateWebhookSecret'> = (context, { webhookId, body }) =>
  writeInProject(context, async (db) => {
    const before = await lock(context, db, webhookId);
    const { keepOldHours, secret = newSecret() } = body;
    const until = context.clock() + keepOldHours * hour;
    const sealedId = await reseal(context, db, before.sealedId, ({ url, secrets: [latest] }) => ({
      url,
      secrets: [{ secret }, ...(latest && keepOldHours > 0 ? [{ secret: latest.secret, until }] : [])],
    }));
    const { projectId, name, shownUrl, events, enabled, disabledReason } = before;
    const kept = { projectId, id: webhookId, name, nameKey: nameKey(name), shownUrl, events, enabled };
    await db.run(webhooks.update, { ...kept, disabledReason, sealedId });
    await forget(context, db, before.sealedId, sealedId);
    await audit(db, context, 'webhook.rotate-secret', webhookId);
    return { ...(await read(context, db, webhookId)), secret };
  });

export const deleteWebhook: Verb<'deleteWebhook'> = (context, { webhookId }) =>
  writeInProject(context, async (db) => {
    const removed = await db.row(webhooks.remove, { projectId: context.project.id, id: webhookId });
    await context.vault.forget(db, found(removed, 'webhook').sealedId);
    await audit(db, context, 'webhook.delete', webhookId);
    return { id: webhookId, deleted: true as const };
  });

async function lock({ project }: ProjectContext, db: Db, id: string) {
  return found(await db.row(webhooks.lock, { projectId: project.id, id }), 'webhook');
}

async function read({ project }: ProjectContext, db: Db, id: string) {
  return presentWebhook(await db.one(webhooks.find, { projectId: project.id, id }));
}

async function reseal(
  context: ProjectContext,
  db: Db,
  sealedId: string,
  change: (place: WebhookEndpoint) => WebhookEndpoint,
): Promise<string> {
  const place = (await context.vault.open(db, sealedId)) as WebhookEndpoint;
  return context.vault.seal(db, ownerIn(context), change(place));
}

async function forget({ vault }: ProjectContext, db: Db, before: string, after: string): Promise<void> {
  if (before !== after) await vault.forget(db, before);
}

/** Refuses forbidden addresses at once; host names are resolved with each attempt. */
async function refuseAddress({ trust }: ProjectContext, url: string): Promise<void> {
  const problem = refusalOfUrl(url, await trust.addressPolicy());
  if (problem !== undefined) throw invalid(`url: ${problem}`);
}
