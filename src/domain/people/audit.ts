import type { Db } from '../../platform/database/database.ts';
import * as people from '../../platform/database/queries/people.ts';
import { auditEvent } from '../audit.ts';

/** What somebody did to an account, their own unless it says otherwise: written for each organization they belong to. */
export async function auditPerson(
  db: Db,
  { requestId }: { requestId: string },
  userId: string,
  action: string,
  target: string,
  actor = userId,
): Promise<void> {
  const memberships = await db.rows(people.organizations, { userId });
  const organizationIds = memberships.length > 0 ? memberships.map(({ id }) => id) : [null];
  for (const organizationId of organizationIds)
    await auditEvent(db, { organizationId, projectId: null, actor, action, target, requestId });
}

/** Of those whom nobody knows yet. */
export const visitor = 'visitor';
