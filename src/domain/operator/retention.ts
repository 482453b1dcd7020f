import type { Db } from '../../platform/database/database.ts';
import * as retention from '../../platform/database/queries/retention.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { auditOperator } from '../context/audit.ts';
import { organizationNamed } from './find.ts';

const maxDays = 36_500;

export interface RetentionLimit {
  organization: string;
  kind: retention.RetentionKind;
  /** Null: kept forever. */
  days: number | null;
}

const meanings: Record<retention.RetentionKind, string> = {
  audit: 'who did what',
  traces: 'traces and events of eval runs, whose results stay',
  runs: 'eval runs and journey runs with everything in them',
  usage: 'calls of models and the ledger of past months',
};
export const retentionHelp = Object.entries(meanings)
  .map(([kind, meaning]) => `${kind}: ${meaning}`)
  .join('; ');

/** Retention of an organization, one line per kind of data. */
export async function retentionOf(db: Db, organization: string | undefined): Promise<RetentionLimit[]> {
  const { id, name } = await organizationNamed(db, organization);
  const limits = await db.rows(retention.list, { organizationId: id });
  return retention.retentionKinds.map((kind) => ({
    organization: name,
    kind,
    days: limits.find((limit) => limit.kind === kind)?.days ?? null,
  }));
}

/** Accepts settings such as `audit=365` or `traces=forever`. */
export async function setRetention(
  db: Db,
  organization: string | undefined,
  wanted: readonly string[],
): Promise<void> {
  const { id: organizationId } = await organizationNamed(db, organization);
  const limits = wanted.map(limitOf);
  await db.transaction(async (trx) => {
    for (const { kind, days } of limits)
      if (days === null) await trx.run(retention.clear, { organizationId, kind });
      else await trx.run(retention.set, { organizationId, kind, days });
    await auditOperator(trx, 'retention.set', wanted.join(' '), organizationId);
  });
}

function limitOf(written: string): { kind: retention.RetentionKind; days: number | null } {
  const [name = '', value = ''] = written.split('=');
  const kind = retention.retentionKinds.find((one) => one === name);
  if (kind === undefined)
    throw new OperatorProblem(`No kind ${name}. Available: ${retention.retentionKinds.join(', ')}`);
  if (value === 'forever') return { kind, days: null };
  const days = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (days < 1 || days > maxDays)
    throw new OperatorProblem(
      `${kind}: "${value}" is not valid. Use days from 1 to ${maxDays}, or forever: ${kind}=90`,
    );
  return { kind, days };
}
