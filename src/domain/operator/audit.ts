import type { Db } from '../../platform/database/database.ts';
import * as events from '../../platform/database/queries/audit.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { organizationNamed } from './find.ts';

/** Installation-wide events have no organization. */
type ListedEvent = Omit<events.ListedAuditRow, 'organizationId'> & { organizationId: string | null };

export async function listAuditEvents(
  db: Db,
  organization: string | undefined,
  limit: string,
): Promise<ListedEvent[]> {
  if (!/^[1-9]\d{0,4}$/.test(limit))
    throw new OperatorProblem(`--limit: "${limit}" is not a number from 1 to 99999`);
  const organizationId = organization === undefined ? null : (await organizationNamed(db, organization)).id;
  const rows = await db.rows(events.list, { organizationId, most: Number(limit) });
  return rows.map((row) => ({ ...row, organizationId: row.organizationId || null }));
}
