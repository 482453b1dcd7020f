import { type Db, statement } from '../database.ts';

export interface PlanRow {
  name: string;
  limits: Record<string, number | null>;
  features: Record<string, boolean>;
}

const find = statement<PlanRow>('plans.find', 'select name, limits, features from plans where name = $1');
const list = statement<PlanRow>('plans.list', 'select name, limits, features from plans order by name');
const upsert = statement(
  'plans.upsert',
  `insert into plans (name, limits, features) values ($1, $2, $3)
   on conflict (name) do update set limits = excluded.limits, features = excluded.features, updated_at = now()`,
);
const ofOrganization = statement<PlanRow>(
  'plans.of-organization',
  'select p.name, p.limits, p.features from organizations o join plans p on p.name = o.plan where o.id = $1',
);
// One spender per organization and budget at a time, so that totals never overtake each other.
const lockBudget = statement<object>(
  'ledger.lock',
  'select pg_advisory_xact_lock(hashtextextended($1, 4700))',
);
// The primary key read backwards: one row, however long the ledger.
const last = statement<{ position: number; total: number }>(
  'ledger.last',
  `select position, total from ledger_entries where organization_id = $1 and budget = $2 and period = $3
   order by position desc limit 1`,
);
const append = statement(
  'ledger.append',
  `insert into ledger_entries (organization_id, budget, period, position, amount, total, reason, actor)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

export function findPlan(db: Db, name: string): Promise<PlanRow | undefined> {
  return db.row(find, [name]);
}

export function listPlans(db: Db): Promise<PlanRow[]> {
  return db.rows(list);
}

export async function upsertPlan(db: Db, plan: PlanRow): Promise<void> {
  await db.run(upsert, [plan.name, JSON.stringify(plan.limits), JSON.stringify(plan.features)]);
}

export function planOf(db: Db, organizationId: string): Promise<PlanRow | undefined> {
  return db.row(ofOrganization, [organizationId]);
}

export interface LedgerAccount {
  organizationId: string;
  budget: string;
  period: string;
}

export async function lockLedger(db: Db, account: LedgerAccount): Promise<void> {
  await db.rows(lockBudget, [`${account.organizationId} ${account.budget}`]);
}

export async function lastEntry(
  db: Db,
  account: LedgerAccount,
): Promise<{ position: number; total: number }> {
  return (
    (await db.row(last, [account.organizationId, account.budget, account.period])) ?? {
      position: 0,
      total: 0,
    }
  );
}

export async function appendEntry(
  db: Db,
  account: LedgerAccount,
  entry: { position: number; amount: number; total: number; reason: string; actor: string },
): Promise<void> {
  const { position, amount, total, reason, actor } = entry;
  await db.run(append, [
    account.organizationId,
    account.budget,
    account.period,
    position,
    amount,
    total,
    reason,
    actor,
  ]);
}
