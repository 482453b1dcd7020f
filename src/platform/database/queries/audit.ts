import { type Db, statement } from '../database.ts';

export interface AuditRow {
  id: string;
  organizationId: string | null;
  projectId: string | null;
  /** A user id, or `operator` for the command line. */
  actor: string;
  action: string;
  target: string;
  requestId: string | null;
}

const insert = statement(
  'audit.insert',
  `insert into audit_events (id, organization_id, project_id, actor, action, target, request_id)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);
const list = statement<AuditRow & { at: number }>(
  'audit.list',
  `select id, organization_id as "organizationId", project_id as "projectId", actor, action, target,
     request_id as "requestId", at
   from audit_events where $1::text is null or organization_id = $1 order by id desc limit $2`,
);

export async function insertAudit(db: Db, row: AuditRow): Promise<void> {
  const { id, organizationId, projectId, actor, action, target, requestId } = row;
  await db.run(insert, [id, organizationId, projectId, actor, action, target, requestId]);
}

export function listAudit(
  db: Db,
  organizationId: string | null,
  most: number,
): Promise<(AuditRow & { at: number })[]> {
  return db.rows(list, [organizationId, most]);
}
