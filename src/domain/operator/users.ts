import type { Db } from '../../platform/database/database.ts';
import { violates } from '../../platform/database/database.ts';
import * as secrets from '../../platform/database/queries/secrets.ts';
import { deleteUser as deleteRow, insertUser, lockUser } from '../../platform/database/queries/users.ts';
import { newId } from '../../platform/ids.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { auditOperator } from '../audit.ts';
import { userNamed } from './find.ts';

export async function createUser(db: Db, input: { email: string; name: string }): Promise<string> {
  if (!/^[^\s@]+@[^\s@]+$/.test(input.email))
    throw new OperatorProblem(`${input.email} is not an e-mail address`);
  const id = newId('usr');
  await db
    .transaction(async (trx) => {
      await insertUser(trx, id, input.email, input.name);
      await auditOperator(trx, 'user.create', id);
    })
    .catch((error: unknown) => {
      if (violates(error, 'users_email')) throw new OperatorProblem(`There is already a user ${input.email}`);
      throw error;
    });
  return id;
}

export async function deleteUser(db: Db, idOrEmail: string): Promise<void> {
  const { id } = await userNamed(db, idOrEmail);
  await db.transaction(async (trx) => {
    await lockUser(trx, id);
    await trx.run(secrets.removeOwned, { userId: id });
    await deleteRow(trx, id);
    await auditOperator(trx, 'user.delete', id);
  });
}
