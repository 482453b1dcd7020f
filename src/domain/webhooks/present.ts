import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { DeliveryRow } from '../../platform/database/queries/webhook-deliveries.ts';
import type { WebhookRow } from '../../platform/database/queries/webhooks.ts';

export function presentWebhook(row: WebhookRow): OutputOf<Operations['getWebhook']> {
  const { id, projectId, name, events, enabled, disabledReason, pending, dead } = row;
  const { lastDeliveredAt, failingSince, createdAt, updatedAt } = row;
  return {
    id,
    projectId,
    name,
    url: row.shownUrl,
    events,
    enabled,
    disabledReason,
    pending,
    dead,
    lastDeliveredAt,
    failingSince,
    createdAt,
    updatedAt,
    createdByUserId: row.createdBy,
  };
}

export function presentDelivery(
  row: DeliveryRow,
): OutputOf<Operations['listWebhookDeliveries']>['items'][number] {
  const { id, webhookId, eventId, type, subject, state, attempts, lastStatus, lastError } = row;
  const { createdAt, nextAttemptAt, endedAt } = row;
  return {
    id,
    webhookId,
    eventId,
    type,
    subject,
    state,
    attempts,
    lastStatus,
    lastError,
    createdAt,
    nextAttemptAt: state === 'pending' ? nextAttemptAt : null,
    endedAt,
  };
}
