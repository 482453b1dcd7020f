import * as secrets from '../../platform/database/queries/secrets.ts';
import type { Services } from '../context.ts';

export interface DeliveredSecret {
  name: string;
  value: string;
  /** Where the value may be put in on the way out; absent when the run holds it itself. */
  broker?: { hosts: string[]; header: string; template: string };
}

/**
 * What a run receives: the secrets its environment grants and no others. One that is shared with nobody goes only to
 * what its owner started, and then takes the place of a shared one of the same name.
 */
export async function deliverSecrets(
  { db, vault }: Pick<Services, 'db' | 'vault'>,
  run: { projectId: string; startedBy: string; secretIds: string[] | null },
): Promise<DeliveredSecret[]> {
  if (!run.secretIds) return [];
  const byName = new Map<string, DeliveredSecret>();
  const { projectId, startedBy: userId, secretIds: ids } = run;
  for (const row of await db.rows(secrets.deliver, { projectId, userId, ids })) {
    const { name, sealedId: id, keyId, ciphertext, brokerHosts, brokerHeader, brokerTemplate } = row;
    const value = vault.unseal({ id, keyId, ciphertext }) as string;
    const bound =
      row.delivery === 'brokered' && brokerHosts && brokerHeader !== null && brokerTemplate !== null;
    const broker = bound ? { hosts: brokerHosts, header: brokerHeader, template: brokerTemplate } : undefined;
    byName.set(name, { name, value, ...(broker && { broker }) });
  }
  return [...byName.values()];
}
