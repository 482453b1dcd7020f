import type pg from 'pg';
import { expect } from 'vitest';
import type { Answer } from './service.ts';

/** Written by use alone: they say nothing about what a request changed. */
const volatile = new Set(['replicas', 'rate_buckets', 'jobs']);
/** Rows are never edited, so counting them is enough, and they are many. */
const appendOnly = new Set(['audit_events', 'ledger_entries']);

/** What every table holds, in short; a table added later is looked at too. */
export async function snapshotOf(client: pg.Client): Promise<Record<string, string>> {
  const tables = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
  );
  const selects = tables.rows
    .filter(({ name }) => !volatile.has(name))
    .map(({ name }) =>
      appendOnly.has(name)
        ? `select '${name}' as name, count(*)::text as content from ${name}`
        : `select '${name}', md5(coalesce(string_agg(row, ',' order by row), ''))
           from (select (to_jsonb(t) - 'last_used_at')::text as row from ${name} t) as rows`,
    );
  const { rows } = await client.query<{ name: string; content: string }>(selects.join(' union all '));
  return Object.fromEntries(rows.map(({ name, content }) => [name, content]));
}

/** The answer to a request that must not write anything. */
export async function withoutTrace(client: pg.Client, ask: () => Promise<Answer>): Promise<Answer> {
  const before = await snapshotOf(client);
  const answer = await ask();
  expect(await snapshotOf(client)).toEqual(before);
  return answer;
}
