import type { Backlog } from '../../leases/figures.ts';
import { type Db, type Statement, selectList, statement } from '../database.ts';

/**
 * The columns of a table whose rows are worked on under a lease: id, kind, organization_id, state, due_at, attempts,
 * lease_token, last_error, finished_at. `due_at` says when a waiting row may be taken, or when the lease of a running
 * one ends; null once it is over. Two indexes serve the queries: (kind, organization_id, due_at) where due_at is not
 * null, and (organization_id, due_at) where state = 'running'.
 */
export interface LeasedRow {
  id: string;
  kind: string;
  organizationId: string;
  /** Tries begun, this one included. */
  attempts: number;
  leaseToken: string;
  /** Every try was used up before this claim: the row was handed out to be given up. */
  spent: boolean;
}

interface ClaimRequest {
  token: string;
  /** Milliseconds. */
  lease: number;
  /** How many rows at most, of all kinds together. */
  most: number;
  kinds: { kind: string; most: number; attempts: number }[];
  /** Rows not to take, due or not. */
  except: string[];
  /** Organizations that had their turn, the last one last. */
  served: string[];
}

interface Claimed<Row> {
  rows: Row[];
  /** Somebody else was taking rows at the same moment, so some may be left that fit. */
  crowded: boolean;
  /** Milliseconds until a further row is due; undefined when there is none. */
  next: number | undefined;
}

export type LeaseEnd =
  | { state: 'done' }
  | { state: 'failed'; error: string }
  /** To be tried again after so many milliseconds. */
  | { state: 'waiting'; error: string; delay: number };

/** A scrape must not cost more the longer the backlog is. */
const mostCounted = 10_000;

interface LeaseName {
  id: string;
  leaseToken: string;
}

export interface LeaseQueries<Row extends LeasedRow> {
  /** Announced on when rows may have become due; the payload is their kind, or empty. */
  readonly dueChannel: string;
  /** Announced on when running rows were taken from whoever holds them. */
  readonly lostChannel: string;
  claim(db: Db, request: ClaimRequest): Promise<Claimed<Row>>;
  /** Those still held, and whether each was extended: one that somebody is writing to just now is not. */
  extend(db: Db, leases: LeaseName[], lease: number): Promise<{ id: string; extended: boolean }[]>;
  /** Ends the lease inside the caller's transaction; false when it was lost. */
  settle(db: Db, lease: LeaseName, end: LeaseEnd): Promise<boolean>;
  /** Gives rows back without spending an attempt; those that somebody is writing to just now are left alone. */
  release(db: Db, leases: LeaseName[]): Promise<void>;
  /** Ends what is waiting, and takes what is running from its holder. The ids of those that were not over. */
  cancel(db: Db, ids: string[]): Promise<string[]>;
  backlog(db: Db, kinds: string[]): Promise<Backlog[]>;
}

/** The queries for one such table. `own` names the further columns a claim returns. */
export function leaseQueries<Row extends LeasedRow>(
  table: string,
  own: Record<Exclude<keyof Row, keyof LeasedRow>, string>,
): LeaseQueries<Row> {
  const dueChannel = `drydock_${table}`;
  const lostChannel = `drydock_${table}_lost`;
  const claim = claimStatement(table, own);
  // $1 ids and $2 their tokens: the leases that whoever asks still holds.
  const held = `id = any($1) and state = 'running' and lease_token = ($2::text[])[array_position($1::text[], id)]`;
  const extend = statement<{ id: string; extended: boolean }>(
    `${table}.extend`,
    `with extended as (
       update ${table} set due_at = now() + $3 * interval '1 ms'
       where id = any(array(select id from ${table} where ${held} order by id for update skip locked)) returning id)
     select id, id in (select id from extended) as extended from ${table} where ${held}`,
  );
  const settle = statement(
    `${table}.settle`,
    `update ${table} set state = $3, last_error = $4, lease_token = null,
       due_at = case when $3 = 'waiting' then now() + $5 * interval '1 ms' end,
       finished_at = case when $3 <> 'waiting' then now() end
     where id = $1 and lease_token = $2 and state = 'running'`,
  );
  const release = statement<{ kind: string }>(
    `${table}.release`,
    `update ${table} set state = 'waiting', attempts = attempts - 1, due_at = now(), lease_token = null
     where id = any(array(select id from ${table} where ${held} order by id for update skip locked)) returning kind`,
  );
  const cancel = statement<{ id: string; state: string }>(
    `${table}.cancel`,
    `with locked as materialized (
       select id, state from ${table} where id = any($1) and due_at is not null order by id for update)
     update ${table} j set state = 'cancelled', due_at = null, lease_token = null, finished_at = now()
     where id = any(array(select id from locked))
     returning id, (select l.state from locked l where l.id = j.id) as state`,
  );
  const announce = statement<object>(`${table}.announce`, 'select pg_notify($1, $2)');
  const backlog = statement<Backlog>(
    `${table}.backlog`,
    `with recursive wanted as (select kind from unnest($1::text[]) as w (kind)), ${places(table)}
     select w.kind,
       (select count(*) from (
         select from places p cross join lateral (
           select from ${table} j where j.kind = p.kind and j.organization_id = p.organization_id
             and j.due_at <= now() limit ${mostCounted}) d
         where p.kind = w.kind limit ${mostCounted}) counted) as due,
       coalesce((select extract(epoch from now() - min(d.due_at)) * 1000
         from places p cross join lateral (
           select j.due_at from ${table} j where j.kind = p.kind and j.organization_id = p.organization_id
             and j.due_at <= now() order by j.due_at limit 1) d
         where p.kind = w.kind), 0)::float8 as age
     from wanted w order by w.kind`,
  );
  const names = (leases: LeaseName[]): string[][] => [
    leases.map(({ id }) => id),
    leases.map(({ leaseToken }) => leaseToken),
  ];
  return {
    dueChannel,
    lostChannel,
    claim: async (db, { token, lease, most, kinds, except, served }) => {
      const found = await byIndex(db, claim, [
        kinds.map(({ kind }) => kind),
        kinds.map((kind) => kind.most),
        kinds.map(({ attempts }) => attempts),
        most,
        except,
        served,
        token,
        lease,
      ]);
      const rows = found.filter(({ id }) => id !== null);
      const [all] = found;
      return {
        rows: rows as unknown as Row[],
        crowded: (all?.chosen ?? 0) > rows.length,
        next: all?.next ?? undefined,
      };
    },
    extend: (db, leases, lease) => db.rows(extend, [...names(leases), lease]),
    settle: async (db, { id, leaseToken }, end) => {
      const error = end.state === 'done' ? null : end.error;
      const delay = end.state === 'waiting' ? end.delay : null;
      return (await db.run(settle, [id, leaseToken, end.state, error, delay])) === 1;
    },
    release: async (db, leases) => {
      const released = await db.rows(release, names(leases));
      for (const kind of new Set(released.map((row) => row.kind)))
        await db.rows(announce, [dueChannel, kind]);
    },
    cancel: async (db, ids) => {
      const cancelled = await db.rows(cancel, [ids]);
      if (cancelled.some(({ state }) => state === 'running')) await db.rows(announce, [lostChannel, '']);
      return cancelled.map(({ id }) => id);
    },
    backlog: (db, kinds) => byIndex(db, backlog, [kinds]),
  };
}

const noTableScans = statement<object>('leases.by-index', "select set_config('enable_seqscan', 'off', true)");

/** The server keeps a plan that it made when the table was empty, and the next moment there is a backlog. */
function byIndex<Row>(db: Db, query: Statement<Row>, values: unknown[]): Promise<Row[]> {
  return db.transaction(async (trx) => {
    await trx.rows(noTableScans);
    return trx.rows(query, values);
  });
}

/** Each kind with each organization that has unfinished rows of it: one probe of the index for each, not one per row. */
function places(table: string): string {
  const next = (kind: string, after: string): string =>
    `(select j.organization_id from ${table} j where j.kind = ${kind} and j.due_at is not null ${after}
        order by j.organization_id limit 1)`;
  return `places as (
       select w.kind, ${next('w.kind', '')} as organization_id from wanted w
       union all
       select p.kind, ${next('p.kind', 'and j.organization_id > p.organization_id')}
       from places p where p.organization_id is not null)`;
}

interface ClaimRow {
  id: string | null;
  chosen: number;
  next: number | null;
}

/**
 * Who gets the free slots: the organization that holds the fewest, counted over all processes; among equals the one
 * whose turn was longest ago, then whoever has waited longest. First it is counted out how many rows of which place
 * that makes, at most as many as there are slots from each; only so many are locked.
 *
 * $1 kinds, $2 most of each, $3 tries of each, $4 most in all, $5 ids to leave, $6 organizations by turn, $7 token,
 * $8 lease.
 */
function claimStatement(table: string, own: Record<string, string>) {
  const due = `j.kind = p.kind and j.organization_id = p.organization_id and j.due_at <= now() and j.id <> all($5)`;
  const columns = selectList({
    id: 'j.id',
    kind: 'j.kind',
    organizationId: 'j.organization_id',
    attempts: 'j.attempts',
    leaseToken: 'j.lease_token',
    ...own,
  });
  return statement<ClaimRow>(
    `${table}.claim`,
    `with recursive wanted as (
       select kind, most, attempts from unnest($1::text[], $2::int[], $3::int[]) as w (kind, most, attempts)),
     ${places(table)},
     slots as (
       select organization_id, count(*) as held from ${table}
       where state = 'running' and due_at > now() group by organization_id),
     candidates as (
       select p.kind, p.organization_id, w.most, d.due_at, coalesce(s.held, 0) as held,
         array_position($6::text[], p.organization_id) as turn,
         row_number() over (partition by p.kind, p.organization_id order by d.due_at) as nth
       from places p join wanted w on w.kind = p.kind
         cross join lateral (
           select j.due_at from ${table} j where ${due} order by j.due_at limit least(w.most, $4)) d
         left join slots s on s.organization_id = p.organization_id),
     fitting as (
       select *, row_number() over (partition by organization_id order by nth, due_at) as nth_of_all from (
         select *, row_number() over (
           partition by kind order by held + nth, turn nulls first, due_at, organization_id) as place
         from candidates) c
       where place <= most),
     chosen as (
       select kind, organization_id, count(*) as rows from (
         select kind, organization_id, row_number() over (
           order by held + nth_of_all, turn nulls first, due_at, organization_id) as place
         from fitting) f
       where place <= $4 group by kind, organization_id),
     locked as materialized (
       select d.id, d.attempts >= w.attempts as spent
       from chosen p join wanted w on w.kind = p.kind
         cross join lateral (
           select j.id, j.attempts from ${table} j where ${due} order by j.due_at limit p.rows
           for update skip locked) d),
     claimed as (
       update ${table} j set state = 'running', lease_token = $7, due_at = now() + $8 * interval '1 ms',
         attempts = attempts + (select (not l.spent)::int from locked l where l.id = j.id)
       where j.id = any(array(select id from locked))
       returning ${columns}, (select l.spent from locked l where l.id = j.id) as spent)
     select c.*, (select coalesce(sum(rows), 0) from chosen)::int as chosen,
       (select extract(epoch from min(d.due_at) - now()) * 1000
        from places p cross join lateral (
          select j.due_at from ${table} j where j.kind = p.kind and j.organization_id = p.organization_id
            and j.due_at > now() order by j.due_at limit 1) d)::float8 as next
     from (select) as always left join claimed c on true`,
  );
}
