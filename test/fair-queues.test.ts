import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InTransaction } from '../src/platform/database/database.ts';
import * as suites from '../src/platform/database/queries/eval-suites.ts';
import * as jobs from '../src/platform/database/queries/jobs.ts';
import * as checks from '../src/platform/database/queries/server-checks.ts';
import { createDatabase, type TestDatabase } from './support/database.ts';

/** Organizations take turns, whatever waits: what one of them has lying there holds up nobody else. */

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  client = await database.connect();
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

/** Does the work in a transaction that is rolled back. */
async function inVain<T>(work: (db: InTransaction) => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    return await work(new InTransaction(client, false));
  } finally {
    await client.query('rollback');
  }
}

/** Organizations with a project and so many servers that are to be looked at, those of later ones due later. */
async function addChecks(counts: Record<string, number>): Promise<void> {
  for (const [nth, [name, count]] of Object.entries(counts).entries()) {
    await client.query(`insert into organizations (id, name) values ($1, $1)`, [name]);
    await client.query(
      `insert into projects (id, organization_id, name, visibility) values ($1, $1, $1, 'public')`,
      [name],
    );
    const values = [name, count];
    await client.query(
      `insert into servers (id, project_id, name, name_key, enabled, transport_type, settings)
       select $1 || n, $1, $1 || n, $1 || n, true, 'http', '{}' from generate_series(1, $2::int) n`,
      values,
    );
    await client.query(
      `insert into server_checks (server_id, organization_id, project_id, every_minutes, enabled, due_at, set_by)
       select $1 || n, $1, $1, 5, true, now() - interval '1 hour' + ($3 + n * 0.001) * interval '1 second', 'usr'
       from generate_series(1, $2::int) n`,
      [...values, nth * 60],
    );
  }
}

test('Of servers whose time has come, each organization has its first looked at before any has its second', () =>
  inVain(async (db) => {
    await addChecks({ a: 3_000, b: 1, c: 700, d: 2 });
    const fired = await db.rows(checks.fire);
    const count = (name: string): number => fired.filter((one) => one.organizationId === name).length;
    expect(fired).toHaveLength(500);
    expect([count('b'), count('d')]).toEqual([1, 2]);
    // The rest is shared between the two that have much.
    expect(Math.abs(count('a') - count('c'))).toBeLessThanOrEqual(2);
    const next = await db.rows(checks.fire);
    expect(new Set(next.map(({ organizationId }) => organizationId))).toEqual(new Set(['a', 'c']));
    expect(next.filter((one) => fired.some((before) => before.serverId === one.serverId))).toEqual([]);
  }));

/** How many pages of the database a statement reads. */
async function pagesRead(text: string): Promise<number> {
  await client.query('analyze server_checks; analyze eval_suites; analyze servers');
  await client.query('set local enable_seqscan = off');
  const { rows } = await client.query(`explain (analyze, buffers, format json) ${selectOf(text)}`);
  const plan = rows[0]['QUERY PLAN'][0].Plan;
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

/** Only how it finds rows: what it writes is the same number of them. */
function selectOf(text: string): string {
  const [found] = text.split(/\n {3}update |,\n {3}due as/);
  const last = /chosen as/.test(text) ? 'chosen' : 'ranked';
  return `${found} select * from ${last} limit 500`;
}

test('What is read to find due checks does not grow with those that are due', async () => {
  const few = await inVain(async () => {
    await addChecks({ a: 1_000, b: 1 });
    return pagesRead(checks.fire.text);
  });
  const many = await inVain(async () => {
    await addChecks({ a: 20_000, b: 1 });
    return pagesRead(checks.fire.text);
  });
  expect(few).toBeGreaterThan(0);
  expect(many).toBeLessThan(2 * few);
});

async function addSchedules(organization: string, projects: number, suitesOfEach: number): Promise<void> {
  await client.query('insert into organizations (id, name) values ($1, $1)', [organization]);
  await client.query(
    `insert into projects (id, organization_id, name, visibility)
     select $1 || n, $1, $1, 'public' from generate_series(1, $2::int) n`,
    [organization, projects],
  );
  await client.query(
    `insert into eval_suites (id, project_id, name, server_ids, settings, created_by, schedule_due_at, schedule_minutes)
     select $1 || p || 's' || n, $1 || p, 'suite', '{}', '{}', 'usr', now() - interval '1 hour' + n * interval '1 ms', 60
     from generate_series(1, $2::int) p cross join generate_series(1, $3::int) n`,
    [organization, projects, suitesOfEach],
  );
}

test('Of suites on a schedule too, however many projects somebody has', () =>
  inVain(async (db) => {
    await addSchedules('many', 150, 10);
    await addSchedules('one', 1, 1);
    await addSchedules('some', 1, 5);
    const fired = await db.rows(suites.fire);
    const count = (name: string): number => fired.filter((one) => one.organizationId === name).length;
    expect(fired).toHaveLength(100);
    expect([count('one'), count('some')]).toEqual([1, 5]);
    expect(await db.rows(suites.fire)).toHaveLength(100);
  }));

const organizations = ['a', 'b', 'c', 'd'];

test(
  'Whoever has something due gets a slot before somebody else gets one more than they',
  { timeout: 120_000 },
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          waiting: fc.tuple(
            ...organizations.map(() => fc.oneof(fc.nat(3), fc.integer({ min: 100, max: 300 }))),
          ),
          running: fc.tuple(...organizations.map(() => fc.nat(6))),
          most: fc.integer({ min: 1, max: 12 }),
        }),
        async ({ waiting, running, most }) => {
          const taken = await inVain(async (db) => {
            for (const [nth, id] of organizations.entries())
              await client.query(
                `insert into jobs (id, kind, payload, organization_id, state, due_at)
               select $1 || s.state || n, 'k', '{}', $1, s.state, now() + s.due
               from (values ('waiting', interval '-1 s', $2::int), ('running', interval '1 h', $3::int)) s (state, due, count)
               cross join generate_series(1, s.count) n`,
                [id, waiting[nth], running[nth]],
              );
            const kinds = [{ kind: 'k', most, attempts: 5 }];
            const request = { token: 't', lease: 1_000, most, kinds, except: [], served: [] };
            const { rows } = await jobs.leases.claim(db, request);
            return organizations.map(
              (id) => rows.filter(({ organizationId }) => organizationId === id).length,
            );
          });
          const all = waiting.reduce((sum, count) => sum + count, 0);
          expect(taken.reduce((sum, count) => sum + count, 0)).toBe(Math.min(most, all));
          for (const [poor, got] of taken.entries())
            for (const [rich, more] of taken.entries()) {
              // Something is left for the one, and the other was given a slot.
              if ((waiting[poor] as number) <= got || more === 0) continue;
              expect((running[rich] as number) + more).toBeLessThanOrEqual(
                (running[poor] as number) + got + 1,
              );
            }
        },
      ),
      { numRuns: 40 },
    ),
);

test('Cancelling many takes a time that grows with their number, not with its square', () =>
  inVain(async (db) => {
    const add = `insert into jobs (id, kind, payload, organization_id, due_at)
      select 'j' || n, 'k', '{}', 'a', now() from generate_series(1, 40000) n`;
    await client.query(add);
    await client.query(`set local statement_timeout = '20s'`);
    const ids = Array.from({ length: 40_000 }, (_, nth) => `j${nth + 1}`);
    expect(await jobs.leases.cancel(db, ids)).toHaveLength(40_000);
  }));
