import type { Db } from '../../platform/database/database.ts';
import { isFirstBoot } from '../../platform/database/queries/organizations.ts';
import { createKey } from '../operator/keys.ts';
import { createOrganization } from '../operator/organizations.ts';
import { createUser } from '../operator/users.ts';

/** On an empty database: an owner, an organization, its Default project and a key. The key, or nothing later. */
export async function bootstrap(db: Db, chosenKey: string | undefined): Promise<string | undefined> {
  return db.transaction(async (trx) => {
    if (!(await isFirstBoot(trx))) return undefined;
    const owner = await createUser(trx, { email: 'owner@drydock.local', name: 'Owner' });
    const { id } = await createOrganization(trx, { name: 'Drydock', owner });
    const { key } = await createKey(trx, {
      organization: id,
      user: owner,
      name: 'First key',
      key: chosenKey,
    });
    return key;
  });
}
