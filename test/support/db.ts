import type pg from 'pg';
import { type Db, InTransaction } from '../../src/platform/database/database.ts';

type Around = <T>(query: { name: string }, send: () => Promise<T>) => Promise<T>;
type Ask = (query: { name: string }, values: unknown) => Promise<unknown>;

/** A database whose statements all run through `wrap`. */
export function around(db: Db, wrap: Around): Db {
  const wrapped = (name: 'rows' | 'row' | 'one' | 'run') => {
    const ask = db[name].bind(db) as unknown as Ask;
    return { value: (query: { name: string }, values: unknown) => wrap(query, () => ask(query, values)) };
  };
  return Object.create(db, {
    rows: wrapped('rows'),
    row: wrapped('row'),
    one: wrapped('one'),
    run: wrapped('run'),
    transaction: {
      value: <T>(work: (trx: Db) => Promise<T>) => db.transaction((trx) => work(around(trx, wrap))),
    },
  }) as Db;
}

/** Queries over a connection of the test, which controls the transaction itself. */
export function dbOn(client: pg.Client): Db {
  return new InTransaction(client);
}
