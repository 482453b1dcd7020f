import type { Db } from '../../platform/database/database.ts';
import * as members from '../../platform/database/queries/members.ts';

interface Change {
  userId: string;
  /** The organization the user leaves or stops owning; null for all, when the account is deleted. */
  organizationId: string | null;
}

/**
 * Why the user must remain an owner; undefined if other owners are left. Locks the owners until the transaction ends,
 * so that two owners cannot remove each other.
 */
export async function lastOwnerProblem(db: Db, change: Change): Promise<string | undefined> {
  await db.rows(members.lockOrganizationsOfUser, change);
  const [alone] = await db.rows(members.ownedAlone, change);
  return (
    alone &&
    `${alone.email} is the only owner of the organization ${alone.name}. Make another member an owner first`
  );
}
