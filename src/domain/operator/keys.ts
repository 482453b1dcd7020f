import type { Db } from '../../platform/database/database.ts';
import * as keys from '../../platform/database/queries/keys.ts';
import * as members from '../../platform/database/queries/members.ts';
import { newId } from '../../platform/ids.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { auditOperator } from '../context/audit.ts';
import { hashApiKey, hintOfApiKey, newApiKey } from '../identity/api-key.ts';
import { organizationNamed, userNamed } from './find.ts';

/** Returns the key, which is not stored. */
export async function createKey(
  db: Db,
  input: {
    organization?: string | undefined;
    user?: string | undefined;
    name: string;
    key?: string | undefined;
  },
): Promise<{ id: string; key: string }> {
  const organization = await organizationNamed(db, input.organization);
  const user = await userNamed(db, input.user);
  const known = await db.rows(members.list, { organizationId: organization.id });
  if (!known.some(({ userId }) => userId === user.id))
    throw new OperatorProblem(
      `${user.email} is not a member of ${organization.name}. Add them with: drydock members set`,
    );
  const id = newId('key');
  const key = input.key ?? newApiKey();
  await db.transaction(async (trx) => {
    await trx.run(keys.insert, {
      id,
      hash: hashApiKey(key),
      hint: hintOfApiKey(key),
      name: input.name,
      userId: user.id,
      organizationId: organization.id,
    });
    await auditOperator(trx, 'key.create', id, organization.id);
  });
  return { id, key };
}

export async function listKeys(db: Db, organization: string | undefined): Promise<keys.KeyListRow[]> {
  const organizationId = organization === undefined ? null : (await organizationNamed(db, organization)).id;
  return db.rows(keys.list, { organizationId });
}

/** Effective with the next request on every replica. */
export async function revokeKey(db: Db, id: string): Promise<void> {
  await db.transaction(async (trx) => {
    if ((await trx.run(keys.revoke, { id })) === 0)
      throw new OperatorProblem(`No working key ${id}. See: drydock keys list`);
    await auditOperator(trx, 'key.revoke', id);
  });
}
