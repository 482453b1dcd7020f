import type { Db } from '../../platform/database/database.ts';
import * as events from '../../platform/database/queries/audit.ts';
import { newId } from '../../platform/ids.ts';
import type { Context, ProjectContext } from './context.ts';

/** Adds an audit event in the transaction of the change. */
export function audit(
  db: Db,
  context: Context | ProjectContext,
  action: string,
  target: string,
  details: events.AuditDetails | null = null,
): Promise<void> {
  const { actor, requestId } = context;
  const projectId = 'project' in context ? context.project.id : null;
  const account = { organizationId: actor.organization.id, userId: actor.user.id, projectId };
  return auditAccount(db, account, action, target, requestId, details);
}

/** Adds an audit event for work done later on behalf of an account. */
export function auditAccount(
  db: Db,
  account: { organizationId: string; userId: string; projectId: string | null },
  action: string,
  target: string,
  requestId: string | null = null,
  details: events.AuditDetails | null = null,
): Promise<void> {
  const { organizationId, userId, projectId } = account;
  return auditEvent(db, { organizationId, projectId, actor: userId, action, target, requestId, details });
}

export function auditOperator(
  db: Db,
  action: string,
  target: string,
  organizationId: string | null = null,
  details: events.AuditDetails | null = null,
): Promise<void> {
  const nowhere = { projectId: null, requestId: null };
  return auditEvent(db, { organizationId, actor: 'operator', action, target, details, ...nowhere });
}

/** Installation-wide events have no organization. */
interface AuditEvent extends Omit<events.AuditRow, 'id' | 'at' | 'organizationId'> {
  organizationId: string | null;
}

export async function auditEvent(db: Db, event: AuditEvent): Promise<void> {
  const id = newId('aud');
  db.provenBy({ query: events.exists, values: { id } });
  await db.run(events.insert, { id, ...event, organizationId: event.organizationId ?? '' });
}
