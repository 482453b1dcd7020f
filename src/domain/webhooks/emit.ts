import type { EventType } from '../../contract/event-types.ts';
import { byColumn } from '../../platform/database/columns.ts';
import type { Db } from '../../platform/database/database.ts';
import * as deliveries from '../../platform/database/queries/webhook-deliveries.ts';
import * as webhooks from '../../platform/database/queries/webhooks.ts';
import { newId } from '../../platform/ids.ts';
import { enqueueAll } from '../../platform/jobs/queue.ts';

/** Sends what a webhook has waiting. */
export const deliverWebhook = 'deliver-webhook';

export interface ProjectEvent {
  type: EventType;
  /** What it is about: events with the same subject arrive in the order they were written in. */
  subject: string;
  /** Goes to somebody outside: numbers, names and ids. */
  data: Record<string, unknown>;
}

/**
 * Writes down what is to be sent, in the transaction that makes it true: it is sent if and only if that commits. One
 * look at an index where nobody listens.
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
  // One that does not answer is not in the way of others: it is woken when its turn comes.
  await wake(
    db,
    hooks.filter(({ failures }) => failures === 0),
  );
}

/** Whether anybody is told of this; for what has to be found out first. */
export async function isHeard(db: Db, projectId: string, type: EventType): Promise<boolean> {
  return (await db.rows(webhooks.listening, { projectId, types: [type] })).length > 0;
}

/** Organizations take turns. */
export async function wake(
  db: Db,
  hooks: readonly { id: string; organizationId: string; createdBy: string }[],
): Promise<void> {
  await enqueueAll(
    db,
    hooks.map(({ id, organizationId, createdBy }) => ({
      kind: deliverWebhook,
      payload: { webhookId: id },
      uniqueKey: id,
      onBehalfOf: { organizationId, userId: createdBy },
    })),
  );
}
