import * as secrets from '../../platform/database/queries/secrets.ts';
import type { Services } from '../context/context.ts';

export interface DeliveredSecret {
  name: string;
  value: string;
  /** Whether it belongs to the user who started the run. If false, it is shared with the project. */
  personal: boolean;
  /** Hosts and header the value may be sent to; absent if the run holds the value itself. */
  broker?: { hosts: string[]; header: string; template: string };
}

interface Delivery {
  secrets: DeliveredSecret[];
  /** Some granted secrets were deleted, or are not accessible to the user who started the run. */
  incomplete: boolean;
}

/**
 * Secrets delivered to a run: only those its environment grants, shared ones first. Personal secrets are delivered
 * only to runs of their owner.
 */
export async function deliverSecrets(
  { db, vault }: Pick<Services, 'db' | 'vault'>,
  { projectId, userId, secretIds: ids }: { projectId: string; userId: string; secretIds: string[] },
): Promise<Delivery> {
  if (ids.length === 0) return { secrets: [], incomplete: false };
  const rows = await db.rows(secrets.deliver, { projectId, userId, ids });
  const delivered = rows.map((row) => {
    const { name, sealedId: id, keyId, ciphertext, brokerHosts, brokerHeader, brokerTemplate } = row;
    const value = vault.unseal({ id, keyId, ciphertext }) as string;
    const bound =
      row.delivery === 'brokered' && brokerHosts && brokerHeader !== null && brokerTemplate !== null;
    const broker = bound ? { hosts: brokerHosts, header: brokerHeader, template: brokerTemplate } : undefined;
    return { name, value, personal: row.sharing === 'user', ...(broker && { broker }) };
  });
  return { secrets: delivered, incomplete: rows.length < ids.length };
}
