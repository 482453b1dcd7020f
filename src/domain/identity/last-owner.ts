import type { Db } from '../../platform/database/database.ts';
import * as members from '../../platform/database/queries/members.ts';

interface Change {
  userId: string;
  /** The organization that the user leaves, or is no longer an owner of; null for all, when the account is deleted. */
  organizationId: string | null;
}

/**
 * Why the user has to stay an owner; undefined where other owners are left. Changes to the owners of an organization
 * follow each other until the transaction ends, so that two owners cannot remove each other.
 */
export async function lastOwnerProblem(db: Db, change: Change): Promise<string | undefined> {
  await db.rows(members.lineUpToLeave, change);
  const [alone] = await db.rows(members.ownedAlone, change);
  return (
    alone &&
    `${alone.email} is the only owner of the organization ${alone.name}. Make somebody else an owner first`
  );
}
