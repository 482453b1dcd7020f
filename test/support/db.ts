import type pg from 'pg';
import type { Db } from '../../src/platform/database/database.ts';

type Around = <T>(query: { name: string }, send: () => Promise<T>) => Promise<T>;

/** The same database, with something around each statement. */
export function around(db: Db, wrap: Around): Db {
  return {
    rows: (query, values) => wrap(query, () => db.rows(query, values)),
    row: (query, values) => wrap(query, () => db.row(query, values)),
    run: (query, values) => wrap(query, () => db.run(query, values)),
    transaction: (work) => db.transaction((trx) => work(around(trx, wrap))),
  };
}

/** Queries over a connection of the test, which begins and ends the transaction itself. */
export function dbOn(client: pg.Client): Db {
  const send = (query: { text: string }, values: readonly unknown[] = []) =>
    client.query(query.text, [...values]);
  return {
    rows: async (query, values) => (await send(query, values)).rows,
    row: async (query, values) => (await send(query, values)).rows[0],
    run: async (query, values) => (await send(query, values)).rowCount ?? 0,
    transaction: (work) => work(dbOn(client)),
  };
}
