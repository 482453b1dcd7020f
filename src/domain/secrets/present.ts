import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { SecretRow } from '../../platform/database/queries/secrets.ts';

/** The row does not contain the value. */
export function presentSecret(row: SecretRow): OutputOf<Operations['getSecret']> {
  return {
    id: row.id,
    projectId: row.projectId,
    name: row.name,
    description: row.description,
    delivery: row.delivery,
    ...(row.brokerHosts !== null && { brokerHosts: row.brokerHosts }),
    ...(row.brokerHeader !== null && { brokerHeader: row.brokerHeader }),
    ...(row.brokerTemplate !== null && { brokerTemplate: row.brokerTemplate }),
    sharing: row.sharing,
    ...(row.ownerId !== null && { ownerUserId: row.ownerId }),
    lastDeliveredAt: row.lastDeliveredAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    createdByUserId: row.createdBy,
    updatedByUserId: row.updatedBy,
  };
}
