import type { Db } from '../../platform/database/database.ts';
import type { AuditDetails } from '../../platform/database/queries/audit.ts';
import * as people from '../../platform/database/queries/people.ts';
import { auditEvent } from '../context/audit.ts';

interface PersonEvent {
  action: string;
  target: string;
  /** Default: the person. */
  actor?: string;
  details?: AuditDetails;
}

/** Records an account change once for each organization the person belongs to. */
export async function auditPerson(
  db: Db,
  { requestId }: { requestId: string },
  userId: string,
  { action, target, actor = userId, details }: PersonEvent,
): Promise<void> {
  const memberships = await db.rows(people.organizations, { userId });
  const organizationIds = memberships.length > 0 ? memberships.map(({ id }) => id) : [null];
  const event = { projectId: null, actor, action, target, requestId, details: details ?? null };
  for (const organizationId of organizationIds) await auditEvent(db, { organizationId, ...event });
}

/** Actor of events before sign-in. */
export const visitor = 'visitor';
