import type { Db } from '../../platform/database/database.ts';
import * as deliveries from '../../platform/database/queries/webhook-deliveries.ts';
import * as webhooks from '../../platform/database/queries/webhooks.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { counters } from '../../platform/telemetry/metrics.ts';
import type { Services } from '../context/context.ts';
import { send } from './send.ts';
import type { WebhookEndpoint } from './signature.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** Delay after each failed attempt: 14 attempts in 31 hours, then the delivery is given up. */
const waits = [
  ...[5, 15, 60].map((seconds) => seconds * second),
  ...[5, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 4, 5, 6, 6, 6].map((hours) => hours * hour),
];
/** Concurrent requests to a healthy receiver. */
const atOnce = 8;
/** Time slice of a webhook in milliseconds, after which others have their turn. */
const timeSlice = 20 * second;
const keptAttempts = 20;

/**
 * Sends pending deliveries, with one job per webhook at a time. A job is enqueued with the event, so that sending
 * starts at once.
 */
export function deliverHandler(services: Services): JobHandler {
  return {
    handle: (payload, signal) => sendAll(services, (payload as { webhookId: string }).webhookId, signal),
  };
}

async function sendAll(services: Services, webhookId: string, signal: AbortSignal): Promise<void> {
  const { db, vault } = services;
  for (const ends = performance.now() + timeSlice; performance.now() < ends; ) {
    signal.throwIfAborted();
    const hook = await db.row(webhooks.toSendTo, { id: webhookId });
    if (!hook) return;
    const place = vault.unseal({
      id: hook.sealedId,
      keyId: hook.keyId,
      ciphertext: hook.ciphertext,
    }) as WebhookEndpoint;
    const batch = await db.rows(deliveries.next, { webhookId, most: hook.failures > 0 ? 1 : atOnce });
    if (batch.length === 0) return;
    await Promise.all(
      batch.map(async (delivery) => note(db, hook, delivery, await send(services, place, delivery, signal))),
    );
  }
}

async function note(
  db: Db,
  { sealedId }: { sealedId: string },
  delivery: deliveries.WholeDelivery,
  attempt: deliveries.Attempt,
): Promise<void> {
  const { id, webhookId, attempts, log } = delivery;
  const arrived = attempt.error === null;
  // A test is not retried: its result is shown immediately.
  const wait = delivery.type === 'webhook.test' ? undefined : waits[attempts];
  // 410 disables the webhook, unless its URL was changed meanwhile; then it is an ordinary failure.
  const gone =
    attempt.status === 410 && (await db.row(webhooks.sendsTo, { id: webhookId, sealedId })) !== undefined;
  const state = arrived ? 'delivered' : wait === undefined || gone ? 'dead' : 'pending';
  await db.transaction(async (trx) => {
    const noted = await trx.run(deliveries.note, {
      id,
      attempts,
      state,
      lastStatus: attempt.status,
      lastError: attempt.error,
      log: [...log, attempt].slice(-keptAttempts),
      wait: wait ?? 0,
    });
    if (noted === 0) return;
    await trx.run(arrived ? webhooks.noteSuccess : webhooks.noteFailure, { id: webhookId });
    if (gone)
      await trx.run(webhooks.disable, {
        id: webhookId,
        sealedId,
        reason:
          'The receiver responded with 410 Gone. Enable the webhook when the receiver is available again',
      });
  });
  counters.webhookDeliveries.add(state);
}
