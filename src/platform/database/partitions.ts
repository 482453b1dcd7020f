import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { startOfIds } from '../ids.ts';
import { flag, text } from './columns.ts';
import type { Db } from './database.ts';
import { command, query } from './query.ts';

/**
 * Append-only tables that no other table references are partitioned by month, so that old rows are removed by dropping
 * a file. The partition key is the ID of the row or of its parent, which starts with the time: primary keys stay as
 * they are, and queries by key or cursor touch only the partitions they need.
 */
export interface Partitioned {
  table: string;
  /** The first key of rows created from that time on. */
  startOf: (time: number) => string;
}

export function byId(table: string, prefix: string): Partitioned {
  return { table, startOf: (time) => startOfIds(prefix, time) };
}

/** Partitions by a column that holds a day or a month. */
export function byPeriod(table: string): Partitioned {
  return { table, startOf: monthOf };
}

export const partitioned: readonly Partitioned[] = [
  byId('audit_events', 'aud'),
  byId('webhook_deliveries', 'dlv'),
  byId('server_check_results', 'chk'),
  byId('model_calls', 'call'),
  byId('eval_run_events', 'run'),
  byId('eval_traces', 'itr'),
  byPeriod('ledger_entries'),
];

/**
 * Number of months for which partitions are created in advance, so that a service that was stopped for a while finds
 * them.
 */
const ahead = 3;

/** The start of the month `plus` months after the one of `time`. */
export function startOfMonth(time: number, plus = 0): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + plus);
}

function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}

export interface Part {
  table: string;
  name: string;
  /** The first key in the partition. Empty for the first partition, which has no lower bound. */
  start: string;
  /** The first key after the partition. */
  end: string;
}

const bounds = query(
  'partitions.bounds',
  `select p.relname::text as "table", c.relname::text as name, pg_get_expr(c.relpartbound, c.oid) as bounds
   from pg_class p join pg_inherits i on i.inhparent = p.oid join pg_class c on c.oid = i.inhrelid
   where p.relkind = 'p' and p.relnamespace = current_schema()::regnamespace`,
  {},
  { table: text, name: text, bounds: text },
);

/** Existing partitions, oldest first in each table. */
export async function partsOf(db: Db): Promise<Part[]> {
  const rows = await db.rows(bounds);
  return rows
    .map(({ table, name, bounds: written }) => ({
      table,
      name,
      start: /FROM \('([^']*)'\)/.exec(written)?.[1] ?? '',
      end: /TO \('([^']*)'\)/.exec(written)?.[1] ?? '',
    }))
    .toSorted((a, b) => (a.end < b.end ? -1 : 1));
}

function covers(parts: readonly Part[], { table, startOf }: Partitioned, time: number): boolean {
  const key = startOf(time);
  return parts.some((part) => part.table === table && part.start <= key && key < part.end);
}

/** Partitioned tables without a partition for rows created at `time`. */
export async function withoutPart(db: Db, time: number): Promise<string[]> {
  const parts = await partsOf(db);
  if (parts.length === 0) return [];
  return partitioned.filter((one) => !covers(parts, one, time)).map(({ table }) => table);
}

/** Creates missing partitions for the coming months. Returns their number. */
export async function addParts(db: Db, now: number): Promise<number> {
  if ((await missingParts(db, now)).length === 0) return 0;
  return withoutWaiting(db, async (trx) => {
    // One process at a time; the list is read again, because another process may have added partitions.
    await trx.run(command('select pg_advisory_xact_lock(4700026)'));
    const statements = await missingParts(trx, now);
    for (const statement of statements) await trx.run(command(statement));
    return statements.length / 2;
  });
}

async function missingParts(db: Db, now: number): Promise<string[]> {
  const parts = await partsOf(db);
  const months = Array.from({ length: ahead + 1 }, (_, plus) => startOfMonth(now, plus));
  // Checks every month, because a clock that was wrong may have created later partitions.
  return partitioned.flatMap((one) =>
    months.filter((month) => !covers(parts, one, month)).flatMap((month) => partOf(one, month)),
  );
}

/** Creates a table and attaches it as a partition, which does not block readers and writers. */
export function partOf({ table, startOf }: Partitioned, month: number): [make: string, attach: string] {
  const name = `${table}_${monthOf(month).replace('-', '_')}`;
  const [start, end] = [startOf(month), startOf(startOfMonth(month, 1))];
  return [
    `create table ${name} (like ${table} including all)`,
    `alter table ${table} attach partition ${name} for values from ('${start}') to ('${end}')`,
  ];
}

export async function dropPart(db: Db, { name }: Part): Promise<void> {
  await withoutWaiting(db, (trx) => trx.run(command(`drop table if exists ${name}`)));
}

export async function isEmpty(db: Db, { name }: Part): Promise<boolean> {
  return !(await hasRow(db, name, 'true'));
}

/** Rows that prevent the removal of their partition, whatever its age. */
const holding: Record<string, string> = { webhook_deliveries: "state = 'pending'" };

export async function isHeld(db: Db, { table, name }: Part): Promise<boolean> {
  const condition = holding[table];
  return condition !== undefined && hasRow(db, name, condition);
}

async function hasRow(db: Db, name: string, condition: string): Promise<boolean> {
  const asked = command(`select exists (select from ${name} where ${condition}) as there`, { there: flag });
  return (await db.one(asked)).there;
}

/** Returns false if another process has dropped the partition meanwhile. */
export async function falseIfDropped(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if ((error as { code?: string }).code === '42P01') return false;
    throw error;
  }
}

/** Statements queue behind a waiting exclusive lock, so the lock attempt times out soon and is retried. */
const lockTimeout = '20ms';
const tries = 200;

async function withoutWaiting<T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await db.transaction(async (trx) => {
        await trx.run(command(`set local lock_timeout = '${lockTimeout}'`));
        return work(trx);
      });
    } catch (error) {
      if ((error as { code?: unknown }).code !== '55P03' || n === tries) throw error;
      await delay(50 + Math.random() * 100);
    }
  }
}

/**
 * For a migration: the existing table becomes the first partition. That partition spans all months created in advance,
 * because the previous version, which may run at the same time, treats the table as one file.
 */
export async function attachFirst(client: pg.ClientBase, tables: readonly Partitioned[]): Promise<void> {
  const end = startOfMonth(Date.now(), ahead + 1);
  for (const { table, startOf } of tables)
    await client.query(
      `alter table ${table} attach partition ${table}_before for values from (minvalue) to ('${startOf(end)}')`,
    );
}
