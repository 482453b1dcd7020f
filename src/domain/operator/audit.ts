import type { Db } from '../../platform/database/database.ts';
import { type AuditRow, listAudit } from '../../platform/database/queries/audit.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { organizationNamed } from './find.ts';

export async function listAuditEvents(
  db: Db,
  organization: string | undefined,
  limit: string,
): Promise<(AuditRow & { at: number })[]> {
  if (!/^[1-9]\d{0,4}$/.test(limit))
    throw new OperatorProblem(`--limit takes a number up to 99999, not ${limit}`);
  const id = organization === undefined ? null : (await organizationNamed(db, organization)).id;
  return listAudit(db, id, Number(limit));
}
