import type { Db } from '../../platform/database/database.ts';
import * as deliveries from '../../platform/database/queries/webhook-deliveries.ts';
import * as webhooks from '../../platform/database/queries/webhooks.ts';
import type { JobKind } from '../../platform/jobs/worker.ts';
import { counters } from '../../platform/telemetry/metrics.ts';
import type { Services } from '../context.ts';
import { deliverWebhook, wake } from './emit.ts';
import { send } from './send.ts';
import type { Place } from './signature.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** After each attempt that failed; after the last one it is given up. 14 attempts in 31 hours. */
const waits = [
  ...[5, 15, 60].map((seconds) => seconds * second),
  ...[5, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 4, 5, 6, 6, 6].map((hours) => hours * hour),
];
/** At once to one place, as long as it answers. */
const atOnce = 8;
/** After which others have their turn. */
const turn = 20 * second;
const keptAttempts = 20;
/** Of those whose last attempt failed, how many are sent to at once: the others have the rest to themselves. */
const mostFailing = 6;

/**
 * Each webhook has one job at a time that sends what waits for it. A job is made with the event, so that it starts at
 * once; what became due later, or was missed by a job that was about to end, is found by looking.
 */
export function webhookJobs(services: Services): JobKind[] {
  const { db } = services;
  return [
    {
      kind: 'wake-webhooks',
      every: 2 * second,
      handle: async () => {
        const due = await db.rows(webhooks.withDue, { kind: deliverWebhook, mostFailing });
        if (due.length > 0) await wake(db, due);
      },
    },
    {
      kind: deliverWebhook,
      // A receiver that does not answer keeps one for some seconds. While it waits it costs next to nothing.
      concurrency: 16,
      handle: (payload, signal) => sendAll(services, (payload as { webhookId: string }).webhookId, signal),
    },
  ];
}

async function sendAll(services: Services, webhookId: string, signal: AbortSignal): Promise<void> {
  const { db, vault } = services;
  for (const ends = performance.now() + turn; performance.now() < ends; ) {
    signal.throwIfAborted();
    const hook = await db.row(webhooks.toSendTo, { id: webhookId });
    if (!hook) return;
    const place = vault.unseal({
      id: hook.sealedId,
      keyId: hook.keyId,
      ciphertext: hook.ciphertext,
    }) as Place;
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
  // A test is for whoever looks at it now.
  const wait = delivery.type === 'webhook.test' ? undefined : waits[attempts];
  // Told to go away for good; by a place that has been changed meanwhile, it is only another failure.
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
        reason: 'The receiver answered with 410: it is gone. Enable the webhook when it is back',
      });
  });
  counters.webhookDeliveries.add(state);
}
