import type pg from 'pg';
import { expect } from 'vitest';
import type { Answer } from './service.ts';

/** Written by use alone: they say nothing about what a request changed. */
const volatile = new Set(['replicas', 'rate_buckets', 'jobs', 'browser_holders']);
/** Their rows are also written by use; then only what else a row holds counts. */
const usage: Record<string, string> = {
  api_keys: '{last_used_at}',
  console_sessions: '{last_seen_at,address,organization_id}',
};

/**
 * The row versions of every table, in short; a table added later is looked at too. Each write leaves a version that
 * names its transaction, so that no row need be read; writing the same again counts as well.
 */
export async function snapshotOf(client: pg.Client): Promise<Record<string, string>> {
  if (!snapshots.has(client)) snapshots.set(client, await snapshotQuery(client));
  // Planned once: for a hundred tables that takes ten times as long as reading them.
  const text = snapshots.get(client) as string;
  const { rows } = await client.query<{ name: string; content: string }>({ name: 'snapshot', text });
  return Object.fromEntries(rows.map(({ name, content }) => [name, content]));
}

const snapshots = new WeakMap<pg.Client, string>();

async function snapshotQuery(client: pg.Client): Promise<string> {
  const selects = (await tablesOf(client)).map((name) =>
    usage[name] === undefined
      ? `select '${name}' as name, count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0) as content from ${name}`
      : `select '${name}' as name, md5(coalesce(string_agg(row, ',' order by row), '')) as content
         from (select (to_jsonb(t) - '${usage[name]}'::text[])::text as row from ${name} t) as rows`,
  );
  return selects.join(' union all ');
}

/** Everything the tables hold, as text to search: bytes as the characters they stand for. */
export async function textOf(client: pg.Client): Promise<string> {
  const selects = (await tablesOf(client)).map((name) => `select to_jsonb(t)::text as row from ${name} t`);
  const { rows } = await client.query<{ row: string }>(selects.join(' union all '));
  return rows
    .map(({ row }) =>
      row.replaceAll(/\\\\x([0-9a-f]+)/g, (_, hex: string) => Buffer.from(hex, 'hex').toString()),
    )
    .join('\n');
}

/** The answer to a request that must not write anything. */
export async function withoutTrace(client: pg.Client, ask: () => Promise<Answer>): Promise<Answer> {
  const before = await snapshotOf(client);
  const answer = await ask();
  expect(await snapshotOf(client)).toEqual(before);
  return answer;
}

async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  return rows.map(({ name }) => name).filter((name) => !volatile.has(name));
}
