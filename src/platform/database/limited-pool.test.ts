import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../../test/support/database.ts';
import { backgroundConnections, LimitedPool } from './limited-pool.ts';

async function openPool(max: number): Promise<pg.Pool> {
  const database = await createDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max });
  // The database may be dropped before the connections have closed.
  pool.on('error', () => {});
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  return pool;
}

test('A lane lends no more than its part, in order, and leaves the rest to others', async () => {
  const pool = await openPool(4);
  const lane = new LimitedPool(pool, 2);
  const [first, second] = await Promise.all([lane.connect(), lane.connect()]);
  const order: string[] = [];
  const third = lane.connect().then((client) => {
    order.push('third');
    return client;
  });
  const fourth = lane.query({ text: 'select 1 as one' }).then(({ rows }) => {
    order.push('fourth');
    return rows;
  });
  // Direct use of the pool is not blocked, which it would be if all four connections were in use.
  expect((await pool.query('select 2 as two')).rows).toEqual([{ two: 2 }]);
  expect(order).toEqual([]);
  first?.release();
  (await third).release();
  expect(await fourth).toEqual([{ one: 1 }]);
  expect(order).toEqual(['third', 'fourth']);
  second?.release();
});

test('A statement or a connection that fails gives its place back', async () => {
  const pool = await openPool(2);
  const lane = new LimitedPool(pool, 1);
  await expect(lane.query({ text: 'select nonsense' })).rejects.toThrow('nonsense');
  const client = await lane.connect();
  client.release(new Error('broken'));
  expect((await lane.query({ text: 'select 1 as one' })).rows).toEqual([{ one: 1 }]);
});

test('With few connections they are shared, with more some are left to requests', () => {
  expect([1, 2, 4, 5, 10, 100].map(backgroundConnections)).toEqual([1, 2, 4, 4, 7, 70]);
});
