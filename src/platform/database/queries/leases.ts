import type { Backlog } from '../../leases/figures.ts';
import {
  bigint,
  type Columns,
  flag,
  float,
  integer,
  listOf,
  orNull,
  type RowOf,
  table,
  text,
  texts,
} from '../columns.ts';
import type { Db } from '../database.ts';
import { type Query, query } from '../query.ts';

/**
 * The columns of a table whose rows are leased: id, kind, organization_id, state, due_at, attempts, lease_token,
 * last_error, finished_at. `due_at` is the time at which a waiting row may be claimed, or the lease of a running one
 * ends; null for a finished row. Two indexes serve the queries: (kind, organization_id, due_at) where due_at is not
 * null, and (organization_id, due_at) where state = 'running'.
 */
const leased = {
  id: text,
  kind: text,
  organizationId: text,
  /** Attempts, including this one. */
  attempts: integer,
  leaseToken: text,
};
export type LeasedRow = RowOf<typeof leased> & {
  /** All attempts failed before this claim: the row was claimed to be given up. */
  spent: boolean;
};
/** Adds further columns of the table. */
export type LeasedRowOf<Own extends Columns> = LeasedRow & RowOf<Own>;

interface ClaimRequest {
  token: string;
  /** Milliseconds. */
  lease: number;
  /** Maximum number of rows over all kinds. */
  most: number;
  kinds: { kind: string; most: number; attempts: number }[];
  /** Rows that are not claimed, even if due. */
  except: string[];
  /** Organizations in the order in which they were last served. */
  served: string[];
}

interface Claimed<Row> {
  rows: Row[];
  /** Other processes were claiming rows at the same time, so due rows may be left. */
  crowded: boolean;
  /** Milliseconds until another row is due, or undefined if no row is waiting. */
  next: number | undefined;
}

export type LeaseEnd =
  | { state: 'done' }
  | { state: 'failed'; error: string }
  /** Retried after `delay` milliseconds. */
  | { state: 'waiting'; error: string; delay: number };

/** Maximum number of rows counted, so that scraping metrics does not become more expensive as the backlog grows. */
const maxCounted = 10_000;

interface LeaseName {
  id: string;
  leaseToken: string;
}

export interface LeaseQueries<Row extends LeasedRow> {
  /** Notification channel for rows that may have become due; the payload is their kind, or empty. */
  readonly dueChannel: string;
  /** Notification channel for running rows whose lease was revoked. */
  readonly lostChannel: string;
  claim(db: Db, request: ClaimRequest): Promise<Claimed<Row>>;
  /** Returns the leases still held, and whether each was extended. A row that is being written is not extended. */
  extend(db: Db, leases: LeaseName[], lease: number): Promise<{ id: string; extended: boolean }[]>;
  /** Ends the lease inside the caller's transaction. Returns false if the lease was lost. */
  settle(db: Db, lease: LeaseName, end: LeaseEnd): Promise<boolean>;
  /** Releases rows without counting the attempt. Skips rows that are locked. */
  release(db: Db, leases: LeaseName[]): Promise<void>;
  /** Cancels waiting rows and revokes the leases of running ones. Returns the IDs of rows that had not ended. */
  cancel(db: Db, ids: string[]): Promise<string[]>;
  backlog(db: Db, kinds: string[]): Promise<Backlog[]>;
}

/** Creates the queries for a table. `own` are further columns that a claim returns. */
export function leaseQueries<Own extends Columns>(name: string, own: Own): LeaseQueries<LeasedRowOf<Own>> {
  const dueChannel = `drydock_${name}`;
  const lostChannel = `drydock_${name}_lost`;
  const claim = claimQuery(name, own);
  // SQL condition for the given leases that are still held.
  const held = `id = any(:ids) and state = 'running' and lease_token = (:tokens::text[])[array_position(:ids, id)]`;
  const names = { ids: texts, tokens: texts };
  const extend = query(
    `${name}.extend`,
    `with extended as (
       update ${name} set due_at = now() + :lease * interval '1 ms'
       where id = any(array(select id from ${name} where ${held} order by id for update skip locked)) returning id)
     select id, id in (select id from extended) as extended from ${name} where ${held}`,
    { ...names, lease: float },
    { id: text, extended: flag },
  );
  const settle = query(
    `${name}.settle`,
    `update ${name} set state = :state, last_error = :error, lease_token = null,
       due_at = case when :state = 'waiting' then now() + :delay * interval '1 ms' end,
       finished_at = case when :state <> 'waiting' then now() end
     where id = :id and lease_token = :leaseToken and state = 'running'`,
    { id: text, leaseToken: text, state: text, error: orNull(text), delay: orNull(float) },
  );
  const release = query(
    `${name}.release`,
    `update ${name} set state = 'waiting', attempts = attempts - 1, due_at = now(), lease_token = null
     where id = any(array(select id from ${name} where ${held} order by id for update skip locked)) returning kind`,
    names,
    { kind: text },
  );
  const cancel = query(
    `${name}.cancel`,
    `with locked as materialized (
       select id, state from ${name} where id = any(:ids) and due_at is not null order by id for update)
     update ${name} j set state = 'cancelled', due_at = null, lease_token = null, finished_at = now()
     from locked l where j.id = l.id
     returning j.id, l.state`,
    { ids: texts },
    { id: text, state: text },
  );
  const backlog = query(
    `${name}.backlog`,
    `with recursive wanted as (select kind from unnest(:kinds::text[]) as w (kind)), ${places(name)}
     select w.kind,
       (select count(*) from (
         select from places p cross join lateral (
           select from ${name} j where j.kind = p.kind and j.organization_id = p.organization_id
             and j.due_at <= now() limit ${maxCounted}) d
         where p.kind = w.kind limit ${maxCounted}) counted) as due,
       coalesce((select extract(epoch from now() - min(d.due_at)) * 1000
         from places p cross join lateral (
           select j.due_at from ${name} j where j.kind = p.kind and j.organization_id = p.organization_id
             and j.due_at <= now() order by j.due_at limit 1) d
         where p.kind = w.kind), 0)::float8 as age
     from wanted w order by w.kind`,
    { kinds: texts },
    { kind: text, due: bigint, age: float },
  );
  const namesOf = (leases: LeaseName[]): RowOf<typeof names> => ({
    ids: leases.map(({ id }) => id),
    tokens: leases.map(({ leaseToken }) => leaseToken),
  });
  return {
    dueChannel,
    lostChannel,
    claim: async (db, { kinds, ...request }) => {
      const found = await byIndex(db, claim, {
        ...request,
        kinds: kinds.map(({ kind }) => kind),
        maxOfKind: kinds.map((kind) => kind.most),
        tries: kinds.map(({ attempts }) => attempts),
      });
      const rows = found.filter(({ id }) => id !== null);
      const [all] = found;
      return {
        // A row with an ID was claimed, so all its columns are set.
        rows: rows as unknown as LeasedRowOf<Own>[],
        crowded: (all?.chosen ?? 0) > rows.length,
        next: all?.next ?? undefined,
      };
    },
    extend: (db, leases, lease) => db.rows(extend, { ...namesOf(leases), lease }),
    settle: async (db, { id, leaseToken }, end) => {
      const error = end.state === 'done' ? null : end.error;
      const delay = end.state === 'waiting' ? end.delay : null;
      return (await db.run(settle, { id, leaseToken, state: end.state, error, delay })) === 1;
    },
    release: async (db, leases) => {
      const released = await db.rows(release, namesOf(leases));
      for (const payload of new Set(released.map(({ kind }) => kind)))
        await db.run(announce, { channel: dueChannel, payload });
    },
    cancel: async (db, ids) => {
      const cancelled = await db.rows(cancel, { ids });
      if (cancelled.some(({ state }) => state === 'running'))
        await db.run(announce, { channel: lostChannel, payload: '' });
      return cancelled.map(({ id }) => id);
    },
    backlog: (db, kinds) => byIndex(db, backlog, { kinds }),
  };
}

const announce = query('leases.announce', 'select from pg_notify(:channel, :payload)', {
  channel: text,
  payload: text,
});
const noTableScans = query('leases.by-index', "select from set_config('enable_seqscan', 'off', true)", {});

/**
 * Disables table scans for the query: the server may cache a plan from when the table was empty, although a backlog can
 * arrive any moment.
 */
function byIndex<In extends Columns, Out extends Columns>(
  db: Db,
  asked: Query<In, Out>,
  values: RowOf<In>,
): Promise<RowOf<Out>[]> {
  return db.transaction(async (trx) => {
    await trx.run(noTableScans);
    return trx.rows(asked, values);
  });
}

/**
 * All pairs of kind and organization with unfinished rows, found with one index lookup per pair instead of one per row.
 */
function places(name: string): string {
  const next = (kind: string, after: string): string =>
    `(select j.organization_id from ${name} j where j.kind = ${kind} and j.due_at is not null ${after}
        order by j.organization_id limit 1)`;
  return `places as (
       select w.kind, ${next('w.kind', '')} as organization_id from wanted w
       union all
       select p.kind, ${next('p.kind', 'and j.organization_id > p.organization_id')}
       from places p where p.organization_id is not null)`;
}

/**
 * Claims due rows. Free slots go to the organization with the fewest leases over all processes; among equals to the
 * least recently served one, then to the one waiting longest. A first step counts how many rows each organization gets,
 * at most the number of slots; only those are locked.
 */
function claimQuery<Own extends Columns>(name: string, own: Own) {
  const due = `j.kind = p.kind and j.organization_id = p.organization_id and j.due_at <= now() and j.id <> all(:except)`;
  const rows = table(name, { ...leased, ...own });
  return query(
    `${name}.claim`,
    `with recursive wanted as (
       select kind, most, attempts from unnest(:kinds::text[], :maxOfKind::int[], :tries::int[]) as w (kind, most, attempts)),
     ${places(name)},
     slots as (
       select organization_id, count(*) as held from ${name}
       where state = 'running' and due_at > now() group by organization_id),
     candidates as (
       select p.kind, p.organization_id, w.most, d.due_at, coalesce(s.held, 0) as held,
         array_position(:served::text[], p.organization_id) as turn,
         row_number() over (partition by p.kind, p.organization_id order by d.due_at) as nth
       from places p join wanted w on w.kind = p.kind
         cross join lateral (
           select j.due_at from ${name} j where ${due} order by j.due_at limit least(w.most, :most)) d
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
       where place <= :most group by kind, organization_id),
     locked as materialized (
       select d.id, d.attempts >= w.attempts as spent
       from chosen p join wanted w on w.kind = p.kind
         cross join lateral (
           select j.id, j.attempts from ${name} j where ${due} order by j.due_at limit p.rows
           for update skip locked) d),
     claimed as (
       update ${name} j set state = 'running', lease_token = :token, due_at = now() + :lease * interval '1 ms',
         attempts = attempts + (select (not l.spent)::int from locked l where l.id = j.id)
       where j.id = any(array(select id from locked))
       returning ${rows.all('j')}, (select l.spent from locked l where l.id = j.id) as spent)
     select c.*, (select coalesce(sum(rows), 0) from chosen)::int as chosen,
       (select extract(epoch from min(d.due_at) - now()) * 1000
        from places p cross join lateral (
          select j.due_at from ${name} j where j.kind = p.kind and j.organization_id = p.organization_id
            and j.due_at > now() order by j.due_at limit 1) d)::float8 as next
     from (select) as always left join claimed c on true`,
    {
      kinds: texts,
      maxOfKind: listOf(integer),
      tries: listOf(integer),
      most: integer,
      except: texts,
      served: texts,
      token: text,
      lease: float,
    },
    {
      ...rows.columns,
      id: orNull(text),
      leaseToken: orNull(text),
      spent: orNull(flag),
      chosen: integer,
      next: orNull(float),
    },
  );
}
