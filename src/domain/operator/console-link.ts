import { systemClock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/database.ts';
import * as users from '../../platform/database/queries/users.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { auditOperator } from '../context/audit.ts';
import { type MadeLink, makeLink } from '../people/links.ts';
import { userNamed } from './find.ts';

/** Creates a one-time sign-in link. Default: for the first operator. */
export async function createConsoleLink(
  db: Db,
  idOrEmail: string | undefined,
): Promise<MadeLink & { email: string }> {
  const user = idOrEmail === undefined ? await db.row(users.firstOperator) : await userNamed(db, idOrEmail);
  if (!user) throw new OperatorProblem('There is no operator. Name a user with --user');
  const link = await db.transaction(async (trx) => {
    const made = await makeLink(trx, { kind: 'sign-in', userId: user.id }, null, systemClock());
    const details = { email: user.email, link: made.id };
    await auditOperator(trx, 'link.create', user.id, null, details);
    return made;
  });
  return { ...link, email: user.email };
}
