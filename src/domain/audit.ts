import type { Db } from '../platform/database/database.ts';
import { insertAudit } from '../platform/database/queries/audit.ts';
import { newId } from '../platform/ids.ts';
import type { Context, ProjectContext } from './context.ts';

/** Who did what, in the transaction that does it. */
export async function audit(
  db: Db,
  context: Context | ProjectContext,
  action: string,
  target: string,
): Promise<void> {
  await insertAudit(db, {
    id: newId('aud'),
    organizationId: context.actor.organization.id,
    projectId: 'project' in context ? context.project.id : null,
    actor: context.actor.user.id,
    action,
    target,
    requestId: context.requestId,
  });
}

export async function auditOperator(
  db: Db,
  action: string,
  target: string,
  organizationId: string | null = null,
): Promise<void> {
  await insertAudit(db, {
    id: newId('aud'),
    organizationId,
    projectId: null,
    actor: 'operator',
    action,
    target,
    requestId: null,
  });
}
