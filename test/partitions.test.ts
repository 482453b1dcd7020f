import type pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { migrate } from '../src/platform/database/migrate.ts';
import { migrations } from '../src/platform/database/migrations/index.ts';
import {
  addParts,
  partitioned,
  partsOf,
  startOfMonth,
  withoutPart,
} from '../src/platform/database/partitions.ts';
import * as retention from '../src/platform/database/queries/retention.ts';
import { newId, startOfIds, timeOfId } from '../src/platform/ids.ts';
import { createDatabase } from './support/database.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let client: pg.Client;

beforeAll(async () => {
  service = await startTestService({ worker: false });
  client = await service.database.connect();
});
afterAll(async () => {
  await client?.end();
  await dispose(service);
});

/** The first moment of a month, so many from this one. */
const month = (plus: number): number => startOfMonth(Date.now(), plus);

async function audit(organizationId: string, at: number): Promise<string> {
  const id = newId('aud', at);
  await client.query(
    "insert into audit_events (id, organization_id, actor, action, target) values ($1, $2, 'test', 'test', 'test')",
    [id, organizationId],
  );
  return id;
}

async function partOf(id: string): Promise<string> {
  const { rows } = await client.query(
    'select tableoid::regclass::text as part from audit_events where id = $1',
    [id],
  );
  return rows[0]?.part as string;
}

test('an id tells when it was made, and where those of a moment begin', () => {
  const at = Date.UTC(2031, 4, 6, 7, 8, 9, 10);
  const id = newId('aud', at);
  expect(timeOfId(id)).toBe(at);
  expect(startOfIds('aud', at) <= id && id < startOfIds('aud', at + 1)).toBe(true);
});

test('there is a part for each of the coming months, and processes that start together add each once', async () => {
  const { db } = service;
  expect(await addParts(db, Date.now())).toBe(0);
  const added = await Promise.all([1, 2, 3].map(() => addParts(db, month(2))));
  expect(added.toSorted((a, b) => a - b)).toEqual([0, 0, 2 * partitioned.length]);
  const parts = await partsOf(db);
  for (const { table, startOf } of partitioned)
    expect(parts.filter((part) => part.table === table).map(({ end }) => end)).toEqual(
      [4, 5, 6].map((plus) => startOf(month(plus))),
    );
});

test('a row lies in the part of its month, and whoever asks by its id looks into that one alone', async () => {
  await addParts(service.db, month(2));
  const ids: string[] = [];
  for (const at of [month(0), month(4), month(6) - 1]) ids.push(await audit('org_a', at));
  const names: string[] = [];
  for (const id of ids) names.push(await partOf(id));
  const named = (at: number): string =>
    `audit_events_${new Date(at).toISOString().slice(0, 7).replace('-', '_')}`;
  expect(names).toEqual(['audit_events_before', named(month(4)), named(month(5))]);
  const { rows } = await client.query(
    `explain (format json) select from audit_events where id = '${ids[1]}'`,
  );
  const read = [...JSON.stringify(rows[0]).matchAll(/"Relation Name":"(\w+)"/g)].map(([, name]) => name);
  expect(read).toEqual([named(month(4))]);
});

test('what is removed is not what lies at the same place in another part', async () => {
  await addParts(service.db, month(2));
  const mine = [await audit('org_mine', month(4) + 1), await audit('org_mine', month(5) + 1)];
  const theirs = [await audit('org_theirs', month(4) + 2), await audit('org_theirs', month(5) + 2)];
  const places = await client.query('select ctid::text as place from audit_events where id = any($1)', [
    [...mine, ...theirs],
  ]);
  // Otherwise nothing is shown by this.
  expect(new Set(places.rows.map(({ place }) => place as string)).size).toBeLessThan(4);
  const removal = { organizationId: 'org_mine', before: startOfIds('aud', month(6)), most: 10 };
  expect(await service.db.run(retention.removeAudit, removal)).toBe(2);
  const { rows } = await client.query('select id from audit_events where id = any($1) order by id', [
    [...mine, ...theirs],
  ]);
  expect(rows.map(({ id }) => id as string)).toEqual(theirs.toSorted());
});

const rowsBefore: Record<string, string> = {
  audit_events: "insert into audit_events (id, actor, action, target) values ('aud_001', 'a', 'b', 'c')",
  webhook_deliveries: `insert into webhook_deliveries (id, webhook_id, project_id, event_id, type, subject, data)
    values ('dlv_001', 'w', 'p', 'e', 't', 's', '{}'), ('dlv_002', 'w', 'p', 'e', 't', 's', '{}')`,
  server_check_results: `insert into server_check_results (id, server_id, project_id, ok, status, duration_ms)
    values ('chk_001', 's', 'p', true, 'ready', 5)`,
  model_calls:
    "insert into model_calls (id, organization_id, model, billed) values ('call_001', 'o', 'm', 'free')",
  eval_run_events: "insert into eval_run_events (run_id, number, data) values ('run_001', 0, '{}')",
  eval_traces: "insert into eval_traces (trial_id, run_id, body) values ('itr_001', 'run_001', 'said')",
  ledger_entries: `insert into ledger_entries (organization_id, budget, period, position, amount, total, reason, actor)
    values ('o', 'credits', '2026-01', 1, 1, 1, 'r', 'a')`,
};

test('tables that were whole keep their rows and their numbers when they get parts', async () => {
  const database = await createDatabase({ empty: true });
  onTestFinished(() => database.drop());
  const own = await database.connect();
  onTestFinished(() => own.end());
  const at = migrations.findIndex(({ name }) => name === '0026-growth');
  await migrate(own, migrations.slice(0, at));
  // Rows of things that are not there: what they refer to is not looked for again.
  await own.query('set session_replication_role = replica');
  const content = async (): Promise<unknown[]> => {
    const found: unknown[] = [];
    for (const { table } of partitioned)
      found.push((await own.query(`select * from ${table} order by 1, 2`)).rows);
    return found;
  };
  for (const { table } of partitioned) await own.query(rowsBefore[table] as string);
  const before = await content();
  await own.query('set session_replication_role = origin');
  await migrate(own, migrations.slice(0, at + 1));
  expect(await content()).toEqual(before);
  await own.query('set session_replication_role = replica');
  const added = await own.query(
    `insert into webhook_deliveries (id, webhook_id, project_id, event_id, type, subject, data)
     values ('dlv_003', 'w', 'p', 'e', 't', 's', '{}') returning place`,
  );
  expect(added.rows).toEqual([{ place: '3' }]);
});

test('months that a wrong clock left out are added, and until then doctor can tell', async () => {
  const { db } = service;
  await addParts(db, month(20));
  expect(await withoutPart(db, month(12))).toEqual(partitioned.map(({ table }) => table));
  expect(await addParts(db, month(11))).toBe(4 * partitioned.length);
  expect(await withoutPart(db, month(12))).toEqual([]);
  expect(await partOf(await audit('org_a', month(12)))).toMatch(/^audit_events_\d{4}_\d\d$/);
});

test('a start with nothing to migrate does not wait for whoever reads what was migrated, as a backup does', async () => {
  const reading = await service.database.connect();
  try {
    await reading.query('begin isolation level repeatable read');
    await reading.query('select name from schema_migrations');
    await client.query("set lock_timeout = '2s'");
    expect(await migrate(client)).toEqual([]);
  } finally {
    await client.query('reset lock_timeout');
    await reading.end();
  }
});
