import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { tidied } from './tidy-database.ts';

export interface TestDatabase {
  url: string;
  /** A connection that the service under test does not know. */
  connect(): Promise<pg.Client>;
  drop(): Promise<void>;
}

interface Kind {
  /** Leaves the migrations to the test. */
  empty?: boolean;
  /** A fresh copy: query plans also depend on rows that tables once held. */
  unused?: boolean;
}

/** Emptied databases of finished tests, for reuse: copying a database takes longer than emptying it. */
const spare: string[] = [];
const sparesAtMost = 8;

/** A migrated database without rows. */
export async function createDatabase({ empty = false, unused = false }: Kind = {}): Promise<TestDatabase> {
  const { host, user } = inject('postgres');
  const name = (empty || unused ? undefined : spare.pop()) ?? (await copy(empty));
  return {
    url: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`,
    connect: async () => {
      const client = new pg.Client({ host, user, database: name });
      client.on('error', () => {});
      await client.connect();
      return client;
    },
    drop: async () => {
      if (empty || spare.length >= sparesAtMost || !(await isTidied(name))) return drop(name);
      // Renamed, so that a late client of the old name finds nothing.
      const next = newName();
      try {
        await asAdmin(`alter database ${name} rename to ${next}`);
      } catch {
        return drop(name);
      }
      spare.push(next);
    },
  };
}

function newName(): string {
  return `t_${randomUUID().replaceAll('-', '')}`;
}

async function copy(empty: boolean): Promise<string> {
  const name = newName();
  const template = empty ? 'template1' : 'drydock_template';
  await asAdmin(`create database ${name} template ${template} strategy file_copy`);
  return name;
}

function drop(name: string): Promise<void> {
  return asAdmin(`drop database if exists ${name} with (force)`);
}

async function isTidied(database: string): Promise<boolean> {
  const { host, user } = inject('postgres');
  const client = new pg.Client({ host, user, database });
  client.on('error', () => {});
  try {
    await client.connect();
    return await tidied(client, inject('asCopied'));
  } catch {
    // Another session still uses the database, or it no longer exists.
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function asAdmin(sql: string): Promise<void> {
  const { host, user } = inject('postgres');
  const admin = new pg.Client({ host, user, database: 'postgres' });
  await admin.connect();
  try {
    await admin.query(sql);
  } finally {
    await admin.end();
  }
}
