import { expect, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/platform/config/load.ts';
import { integer, orNull, type RowOf, text } from '../../src/platform/database/columns.ts';
import { type ConnectedDatabase, connectDatabase } from '../../src/platform/database/connect.ts';
import type { Db } from '../../src/platform/database/database.ts';
import { Notifications } from '../../src/platform/database/notifications.ts';
import { type JobKind, Worker } from '../../src/platform/jobs/worker.ts';
import { createLog } from '../../src/platform/log.ts';
import { createDatabase } from './database.ts';
import { statement } from './statement.ts';

export const silent = createLog('silent');

/** A database of its own, with a table for results. */
export async function openJobs(): Promise<ConnectedDatabase & { url: string }> {
  const database = await createDatabase();
  const { config } = loadConfig({ DRYDOCK_DATABASE_URL: database.url });
  const connected = await connectDatabase(config, { exclusive: false }, silent);
  onTestFinished(async () => {
    await connected.close();
    await database.drop();
  });
  await connected.database.run(statement('test.results', 'create table results (job text, by text)'));
  return { ...connected, url: database.url };
}

export interface WorkOptions {
  lease?: number;
  concurrency?: number;
  /** Instead of the database itself. */
  db?: Db;
}

/** A worker in this process; it ends with the test. */
export async function work(
  { database, dial }: ConnectedDatabase,
  kinds: JobKind[],
  options: WorkOptions = {},
): Promise<Worker> {
  const notifications = new Notifications({ dial, log: silent });
  await notifications.start();
  const worker = new Worker({ db: database, notifications, kinds, log: silent, ...options });
  worker.start();
  onTestFinished(async () => {
    await worker.stop(1_000);
    await notifications.stop();
  });
  return worker;
}

const add = statement('test.add', 'insert into results (job, by) values (:job, :by)');
const read = statement('test.read', 'select job, by from results order by job, by', { job: text, by: text });
const state = {
  id: text,
  kind: text,
  state: text,
  attempts: integer,
  lastError: orNull(text),
  organizationId: text,
};
type JobState = RowOf<typeof state>;
const jobs = statement(
  'test.jobs',
  `select id, kind, state, attempts, last_error as "lastError", organization_id as "organizationId" from jobs order by id`,
  state,
);

/** A commit that leaves a result. */
export const result =
  (job: unknown, by = '') =>
  async (db: Db): Promise<void> =>
    void (await db.run(add, { job: String(job), by }));

export const results = async (db: Db): Promise<string[]> => (await db.rows(read)).map(({ job }) => job);
export const resultRows = (db: Db) => db.rows(read);
export const jobStates = (db: Db): Promise<JobState[]> => db.rows(jobs);

/** Resolves when no job waits or runs. */
export async function allOver(db: Db, timeout = 30_000): Promise<void> {
  await until(
    async () => (await jobStates(db)).every(({ state }) => state !== 'waiting' && state !== 'running'),
    timeout,
  );
}

export async function until(check: () => Promise<boolean> | boolean, timeout = 30_000): Promise<void> {
  await expect.poll(check, { timeout, interval: 20 }).toBe(true);
}

export function deferred<T = void>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
