import { Email } from '../../contract/console/people.ts';
import type { Db } from '../../platform/database/database.ts';
import { violates } from '../../platform/database/database.ts';
import * as secrets from '../../platform/database/queries/secrets.ts';
import * as users from '../../platform/database/queries/users.ts';
import { newId } from '../../platform/ids.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { auditOperator } from '../context/audit.ts';
import { userNamed } from './find.ts';
import { keepAnOwner } from './members.ts';

export async function createUser(db: Db, { email, name }: { email: string; name: string }): Promise<string> {
  if (!Email.safeParse(email).success) throw new OperatorProblem(`${email} is not an email address`);
  const id = newId('usr');
  await db
    .transaction(async (trx) => {
      await trx.run(users.insert, { id, email, name });
      await auditOperator(trx, 'user.create', id, null, { email, name });
    })
    .catch((error: unknown) => {
      if (violates(error, 'users_email')) throw new OperatorProblem(`There is already a user ${email}`);
      throw error;
    });
  return id;
}

export async function deleteUser(db: Db, idOrEmail: string): Promise<void> {
  const { id, email, name } = await userNamed(db, idOrEmail);
  await db.transaction(async (trx) => {
    // Locks organizations before the user, the lock order everywhere; repeated for an organization joined meanwhile.
    await keepAnOwner(trx, { organizationId: null, userId: id });
    await trx.row(users.lock, { id });
    await keepAnOwner(trx, { organizationId: null, userId: id });
    await trx.run(secrets.removeOwned, { userId: id });
    await trx.run(users.remove, { id });
    await auditOperator(trx, 'user.delete', id, null, { email, name });
  });
}

export async function setOperator(db: Db, idOrEmail: string, operator: boolean): Promise<void> {
  const { id, email } = await userNamed(db, idOrEmail);
  await db.transaction(async (trx) => {
    await trx.run(users.setOperator, { id, operator });
    const action = operator ? 'user.make-operator' : 'user.unmake-operator';
    await auditOperator(trx, action, id, null, { email });
  });
}
