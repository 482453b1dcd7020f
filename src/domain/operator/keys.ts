import type { Db } from '../../platform/database/database.ts';
import {
  insertKey,
  type KeyListRow,
  listKeyRows,
  revokeKeyRow,
} from '../../platform/database/queries/keys.ts';
import { listMembers } from '../../platform/database/queries/members.ts';
import { newId } from '../../platform/ids.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { auditOperator } from '../audit.ts';
import { hashApiKey, hintOfApiKey, newApiKey } from '../identity/api-key.ts';
import { organizationNamed, userNamed } from './find.ts';

/** The key itself is in the answer and nowhere else. */
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
  const members = await listMembers(db, organization.id);
  if (!members.some((member) => member.userId === user.id))
    throw new OperatorProblem(
      `${user.email} is not a member of ${organization.name}. Add them with: drydock members set`,
    );
  const id = newId('key');
  const key = input.key ?? newApiKey();
  await db.transaction(async (trx) => {
    await insertKey(trx, {
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

export async function listKeys(db: Db, organization: string | undefined): Promise<KeyListRow[]> {
  if (organization === undefined) return listKeyRows(db, null);
  return listKeyRows(db, (await organizationNamed(db, organization)).id);
}

/** Works from the next request on, on every replica. */
export async function revokeKey(db: Db, id: string): Promise<void> {
  await db.transaction(async (trx) => {
    if (!(await revokeKeyRow(trx, id)))
      throw new OperatorProblem(`No working key ${id}. See: drydock keys list`);
    await auditOperator(trx, 'key.revoke', id);
  });
}
