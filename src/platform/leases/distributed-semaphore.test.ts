import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { loadConfig } from '../config/load.ts';
import { type ConnectedDatabase, connectDatabase } from '../database/connect.ts';
import { createLog } from '../log.ts';
import { DistributedSemaphore } from './distributed-semaphore.ts';

let database: TestDatabase;
const connections: ConnectedDatabase[] = [];
const processes: DistributedSemaphore[] = [];
const log = createLog('silent');
const never = (): AbortSignal => new AbortController().signal;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  for (const slots of processes) await slots.stop();
  for (const connected of connections) await connected.close();
  await database?.drop();
});

/** Simulates a process with its own database connection. */
async function process(now = () => performance.now()): Promise<DistributedSemaphore> {
  const { config } = loadConfig({ DRYDOCK_DATABASE_URL: database.url, DRYDOCK_DATABASE_POOL: '3' });
  const connected = await connectDatabase(config, { exclusive: false, migrate: false }, log);
  connections.push(connected);
  const slots = new DistributedSemaphore({ db: connected.database, log, now });
  processes.push(slots);
  return slots;
}

/** Records the maximum concurrency over all processes, and how many tasks each process ran. */
function meter() {
  const seen = { now: 0, most: 0, turns: new Map<DistributedSemaphore, number>() };
  const work = (slots: DistributedSemaphore, ms: number) => async (): Promise<void> => {
    seen.most = Math.max(seen.most, ++seen.now);
    seen.turns.set(slots, (seen.turns.get(slots) ?? 0) + 1);
    await new Promise((resolve) => setTimeout(resolve, ms));
    seen.now--;
  };
  return { seen, work };
}

test('several processes together never use more slots than there are, and all of them when one is alone', async () => {
  const all = await Promise.all([process(), process(), process()]);
  const { seen, work } = meter();
  await Promise.all(
    all.flatMap((slots) =>
      Array.from({ length: 40 }, () => slots.run('shared', 6, never(), work(slots, 10))),
    ),
  );
  expect(seen.most).toBeLessThanOrEqual(6);
  expect([...seen.turns.values()]).toEqual([40, 40, 40]);
  const alone = meter();
  const [first] = all;
  await Promise.all(Array.from({ length: 12 }, () => first.run('alone', 6, never(), alone.work(first, 20))));
  expect(alone.seen.most).toBe(6);
});

test('one slot for two processes goes to and fro', async () => {
  const [a, b] = await Promise.all([process(), process()]);
  const { seen, work } = meter();
  const order: DistributedSemaphore[] = [];
  const turn = (slots: DistributedSemaphore) =>
    slots.run('single', 1, never(), async () => {
      order.push(slots);
      await work(slots, 20)();
    });
  await Promise.all([
    ...Array.from({ length: 30 }, () => turn(a)),
    ...Array.from({ length: 3 }, () => turn(b)),
  ]);
  expect(seen.most).toBe(1);
  // The first process yields the slot before all its tasks are done.
  expect(order.lastIndexOf(b)).toBeLessThan(order.length - 3);
});

test('whoever gives up waiting leaves the line, and the slot goes to the next', async () => {
  const slots = await process();
  let release = (): void => {};
  let entered = (): void => {};
  const inside = new Promise<void>((resolve) => (entered = resolve));
  const held = slots.run('line', 1, never(), async () => {
    entered();
    await new Promise<void>((resolve) => (release = resolve));
  });
  await inside;
  const impatient = new AbortController();
  const given = slots.run('line', 1, impatient.signal, async () => 'never');
  const next = slots.run('line', 1, never(), async () => 'mine');
  impatient.abort(new Error('no longer'));
  await expect(given).rejects.toThrow('no longer');
  release();
  await held;
  expect(await next).toBe('mine');
});

test('a process that stood still does not use what it was granted before', async () => {
  let time = 0;
  const sleeper = await process(() => time);
  await sleeper.run('frozen', 2, never(), async () => undefined);
  const other = await process();
  const connection = await database.connect();
  await connection.query('delete from slot_grants');
  await connection.end();
  const releases: (() => void)[] = [];
  let entered = (): void => {};
  const inside = new Promise<void>((resolve) => (entered = resolve));
  const both = [0, 1].map(() =>
    other.run('frozen', 2, never(), () => {
      if (releases.length === 1) entered();
      return new Promise<void>((resolve) => releases.push(resolve));
    }),
  );
  await inside;
  time = 60_000;
  let late = false;
  const waiting = sleeper.run('frozen', 2, never(), async () => void (late = true));
  // Longer than an exchange with the database takes.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(late).toBe(false);
  for (const release of releases) release();
  await Promise.all([...both, waiting]);
  expect(late).toBe(true);
});
