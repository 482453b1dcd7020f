import type { EventType } from '../../contract/event-types.ts';
import { byColumn } from '../../platform/database/columns.ts';
import type { Db } from '../../platform/database/database.ts';
import * as deliveries from '../../platform/database/queries/webhook-deliveries.ts';
import * as webhooks from '../../platform/database/queries/webhooks.ts';
import { newId } from '../../platform/ids.ts';
import { enqueueAll } from '../../platform/jobs/queue.ts';
import { jobKinds } from '../base/job-kinds.ts';

export interface ProjectEvent {
  type: EventType;
  /** The object of the event. Events with the same subject arrive in the order they were written. */
  subject: string;
  /** Sent to third parties: numbers, names and IDs only. */
  data: Record<string, unknown>;
}

/**
 * Stores events in the caller's transaction, so that they are sent if and only if it commits. Without subscribers,
 * this costs one index lookup.
 */
export async function emit(db: Db, projectId: string, events: readonly ProjectEvent[]): Promise<void> {
  if (events.length === 0) return;
  const types = [...new Set(events.map(({ type }) => type))];
  const hooks = await db.rows(webhooks.listening, { projectId, types });
  const rows = events.flatMap((event) => {
    const eventId = newId('evt');
    return hooks
      .filter((hook) => hook.events.includes(event.type))
      .map(({ id: webhookId }) => ({ id: newId('dlv'), webhookId, projectId, eventId, ...event }));
  });
  if (rows.length === 0) return;
  await db.run(deliveries.insert, byColumn(rows));
  // A failing webhook is not woken early; it keeps its backoff.
  await enqueueDeliveries(
    db,
    hooks.filter(({ failures }) => failures === 0),
  );
}

/** Whether a webhook subscribes to the event, to skip expensive preparation. */
export async function hasSubscriber(db: Db, projectId: string, type: EventType): Promise<boolean> {
  return (await db.rows(webhooks.listening, { projectId, types: [type] })).length > 0;
}

/** Enqueues the delivery job of each webhook; organizations take turns. */
export async function enqueueDeliveries(
  db: Db,
  hooks: readonly { id: string; organizationId: string; createdBy: string }[],
): Promise<void> {
  await enqueueAll(
    db,
    hooks.map(({ id, organizationId, createdBy }) => ({
      kind: jobKinds.deliverWebhook,
      payload: { webhookId: id },
      uniqueKey: id,
      onBehalfOf: { organizationId, userId: createdBy },
    })),
  );
}
