import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  url: string;
  /** A connection that the service under test knows nothing of. */
  connect(): Promise<pg.Client>;
  drop(): Promise<void>;
}

/** A fresh, migrated database. `empty` leaves the migrations to the test. */
export async function createDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const { host, user } = inject('postgres');
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const template = empty ? 'template1' : 'drydock_template';
  await asAdmin(`create database ${name} template ${template} strategy file_copy`);
  return {
    url: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`,
    connect: async () => {
      const client = new pg.Client({ host, user, database: name });
      client.on('error', () => {});
      await client.connect();
      return client;
    },
    drop: () => asAdmin(`drop database if exists ${name} with (force)`),
  };
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
