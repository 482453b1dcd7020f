import * as secrets from '../../platform/database/queries/secrets.ts';
import type { Services } from '../context.ts';

export interface DeliveredSecret {
  name: string;
  value: string;
  /** Shared with nobody: whoever started the run brought it. */
  personal: boolean;
  /** Where the value may be put in on the way out; absent when the run holds it itself. */
  broker?: { hosts: string[]; header: string; template: string };
}

interface Delivery {
  secrets: DeliveredSecret[];
  /** Some that were granted are there no more, or not for whoever started the run. */
  incomplete: boolean;
}

/**
 * What a run receives: the secrets its environment grants and no others, shared ones first. One that is shared with
 * nobody goes only to what its owner started.
 */
export async function deliverSecrets(
  { db, vault }: Pick<Services, 'db' | 'vault'>,
  run: { projectId: string; startedBy: string; secretIds: string[] | null },
): Promise<Delivery> {
  if (!run.secretIds) return { secrets: [], incomplete: false };
  const { projectId, startedBy: userId, secretIds: ids } = run;
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
