import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig } from '../../src/platform/config/load.ts';
import { text } from '../../src/platform/database/columns.ts';
import { connectDatabase } from '../../src/platform/database/connect.ts';
import { Notifications } from '../../src/platform/database/notifications.ts';
import { query } from '../../src/platform/database/query.ts';
import { Worker } from '../../src/platform/jobs/worker.ts';
import { createLog } from '../../src/platform/log.ts';

/**
 * A worker in a separate process, for tests that kill or freeze it. It records each start of a job at once,
 * and each result in the transaction that ends the job.
 */
const lease = Number(process.env['DRYDOCK_TEST_LEASE']);
const patience = Number(process.env['DRYDOCK_TEST_PATIENCE']);
const log = createLog('warn');
const { config } = loadConfig();
const { database: db, dial } = await connectDatabase(config, { exclusive: false, migrate: false }, log);
const notifications = new Notifications({ dial, log });

const who = { job: text, by: text };
const begin = query('worker.begin', 'insert into beginnings (job, by) values (:job, :by)', who);
const record = query('worker.record', 'insert into results (job, by) values (:job, :by)', who);
const by = String(process.pid);
const say = (what, job) => void process.stdout.write(`${what} ${job}\n`);

function kind(name, attempts, work) {
  return {
    kind: name,
    attempts,
    handle: async (payload, signal) => {
      await db.run(begin, { job: payload.job, by });
      say('began', payload.job);
      await work(payload, signal);
      say('ended', payload.job);
      return async (trx) => void (await trx.run(record, { job: payload.job, by }));
    },
    givenUp: (payload) => async (trx) => void (await trx.run(record, { job: payload.job, by: 'given up' })),
  };
}

const kinds = [
  kind('short', 100, ({ ms = 0 }, signal) => delay(ms, undefined, { signal })),
  // Ignores the signal to stop.
  kind('deaf', 100, async ({ ms = 0 }) => delay(ms)),
  kind('crash', 2, async () => {
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  }),
  // Blocks the whole process, heartbeats included.
  kind('freeze', 2, async ({ ms = 0 }) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  }),
  {
    kind: 'tick',
    every: 200,
    handle: async () => async (trx) => void (await trx.run(record, { job: 'tick', by })),
  },
];
const worker = new Worker({ db, notifications, kinds, log, lease });
process.once('SIGTERM', () => {
  void worker
    .stop(patience)
    .then(() => notifications.stop())
    .then(() => process.exit(0));
});
await notifications.start();
worker.start();
say('ready', by);
