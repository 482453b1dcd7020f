import type pg from 'pg';
import { partitioned, partOf, startOfMonth } from '../../src/platform/database/partitions.ts';
import { newId } from '../../src/platform/ids.ts';
import type { TestDatabase } from '../../test/support/database.ts';

/** A service whose database was filled. */
export interface Grown {
  iterations: number;
  base: string;
  projectId: string;
  suiteId: string;
  runId: string;
  previousRunId: string;
  iterationId: string;
  database: TestDatabase;
}

/** Tables with rows of a run, and the columns that name the run or one of its trials. */
const tables = [
  'eval_runs',
  'eval_run_snapshots',
  'eval_run_outcomes',
  'eval_results',
  'eval_traces',
  'eval_run_events',
];
const ofTrial: Record<string, string> = { eval_results: 'trial_id', eval_traces: 'trial_id' };
const runsAtOnce = 50;
const day = 86_400_000;

/**
 * Copies of a run that was reported, as if it had been reported again and again over the last year. Keys are made as the
 * service makes them, so that copies lie where such rows would.
 */
export async function copyRun(
  client: pg.Client,
  run: { id: string },
  copies: number,
  told: (done: number) => void,
): Promise<void> {
  const now = Date.now();
  const times = Array.from(
    { length: copies },
    (_, n) => now - Math.floor(((copies - n) * 365 * day) / (copies + 1)),
  );
  for (let from = 0; from < copies; from += runsAtOnce) {
    const at = times.slice(from, from + runsAtOnce);
    const ids = at.map((time) => newId('run', time));
    const values = [run.id, ids, at.map((time) => new Date(time)), from];
    await client.query('begin');
    // Counters and names that a trigger would look after are copied with the rows.
    await client.query('set local session_replication_role = replica');
    for (const table of tables) await client.query(await copyOf(client, table), values);
    await client.query('commit');
    told(from + ids.length);
  }
  // As the database does by itself in the time that this stands for.
  await client.query('vacuum (analyze)');
  await client.query('checkpoint');
}

/** As the tables are after a year: a part for each of its months. */
export async function splitIntoMonths(client: pg.Client): Promise<void> {
  const months = Array.from({ length: 16 }, (_, n) => startOfMonth(Date.now(), n - 12));
  await client.query('begin');
  for (const one of partitioned) {
    const first = `${one.table}_before`;
    await client.query(`alter table ${one.table} detach partition ${first}`);
    for (const month of months) for (const statement of partOf(one, month)) await client.query(statement);
    await client.query(`insert into ${one.table} select * from ${first}`);
    // Numbers of rows come from a sequence that stays with the whole.
    await client.query(`drop table ${first}`);
  }
  await client.query('commit');
}

const texts = new Map<string, string>();

async function copyOf(client: pg.Client, table: string): Promise<string> {
  const known = texts.get(table);
  if (known !== undefined) return known;
  const { rows } = await client.query<{ name: string }>(
    `select attname::text as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  const names = rows.map(({ name }) => name);
  const run = table === 'eval_runs' ? 'id' : 'run_id';
  const values = names.map((name) => {
    if (name === run) return 'n.id';
    // The time and some of the chance of its run, and its own place.
    if (name === ofTrial[table]) return `'itr_' || substr(n.id, 5, 20) || right(t.${name}, 6)`;
    if (name === 'run_number') return `t.${name} + $4::int + n.nth`;
    if (['created_at', 'started_at', 'completed_at', 'finished_at'].includes(name)) return 'n.at';
    if (['idempotency_key', 'external_run_id', 'external_id'].includes(name)) return 'null';
    return `t.${name}`;
  });
  const text = `insert into ${table} (${names.join(', ')})
    select ${values.join(', ')} from ${table} t, unnest($2::text[], $3::timestamptz[])
      with ordinality as n (id, at, nth) where t.${run} = $1 and $4::int >= 0`;
  texts.set(table, text);
  return text;
}
