import { type Db, statement } from '../database.ts';

const beat = statement(
  'replicas.beat',
  'insert into replicas (id) values ($1) on conflict (id) do update set seen_at = now()',
);
const leave = statement('replicas.leave', 'delete from replicas where id = $1');
const others = statement<{ count: number }>(
  'replicas.others',
  "select count(*) as count from replicas where id <> $1 and seen_at > now() - interval '15 seconds'",
);
// $1 keys, $2 what each spent here since the last exchange, $3 burst, $4 tokens a second.
const exchange = statement<{ keyId: string; tokens: number }>(
  'replicas.exchange',
  `insert into rate_buckets as b (key_id, tokens, at)
   select key_id, $3::float8 - spent, clock_timestamp()
   from unnest($1::text[], $2::float8[]) as t (key_id, spent) order by key_id
   on conflict (key_id) do update set
     tokens = least($3, b.tokens + greatest(0, extract(epoch from excluded.at - b.at)) * $4) + excluded.tokens - $3,
     at = greatest(b.at, excluded.at)
   returning key_id as "keyId", tokens`,
);
const prune = statement('replicas.prune', "delete from rate_buckets where at < now() - interval '1 hour'");
const pruneReplicas = statement(
  'replicas.prune-replicas',
  "delete from replicas where seen_at < now() - interval '1 hour'",
);

/** Says this replica lives; answers how many others do. */
export async function announceReplica(db: Db, id: string): Promise<number> {
  await db.run(beat, [id]);
  return (await db.row(others, [id]))?.count ?? 0;
}

export async function leaveReplicas(db: Db, id: string): Promise<void> {
  await db.run(leave, [id]);
}

/** Books what was spent here and answers what is left for all replicas together; less than zero is debt. */
export function exchangeTokens(
  db: Db,
  spent: ReadonlyMap<string, number>,
  rate: { burst: number; perSecond: number },
): Promise<{ keyId: string; tokens: number }[]> {
  return db.rows(exchange, [[...spent.keys()], [...spent.values()], rate.burst, rate.perSecond]);
}

export async function pruneRateBuckets(db: Db): Promise<number> {
  await db.run(pruneReplicas);
  return db.run(prune);
}
