import { beforeEach, expect, test } from 'vitest';
import { createDatabase } from '../../../test/support/database.ts';
import { statement } from '../../../test/support/statement.ts';
import { loadConfig } from '../../platform/config/load.ts';
import { connectDatabase } from '../../platform/database/connect.ts';
import type { Db } from '../../platform/database/database.ts';
import { createLog } from '../../platform/log.ts';
import { Presence } from '../../platform/presence.ts';
import { RateLimiter } from './rate-limiter.ts';

const rate = { perMinute: 1, burst: 10 };

let db: Db;
let now: number;

beforeEach(async () => {
  now = Date.now();
  // A database without a running service, which would count as a replica.
  const database = await createDatabase();
  const { config } = loadConfig({ DRYDOCK_DATABASE_URL: database.url });
  const connected = await connectDatabase(config, { exclusive: false }, createLog('silent'));
  db = connected.database;
  return async () => {
    await connected.close();
    await database.drop();
  };
});

function limiter(): RateLimiter {
  return new RateLimiter(rate, () => now, db, 'API key', new Presence(db, 'service'));
}

/** How many of `requests` are admitted. */
function admitted(at: RateLimiter, requests: number): number {
  let count = 0;
  for (let i = 0; i < requests; i++)
    try {
      at.charge('key');
      count++;
    } catch {
      // Refused.
    }
  return count;
}

test('what was spent while the exchange failed is told with the next one, once', async () => {
  const [a, b] = [limiter(), limiter()];
  for (const each of [a, b, a]) await each.meet();
  await db.run(statement('test.away', 'alter table rate_buckets rename to away'));
  expect(admitted(a, 4)).toBe(4);
  await expect(a.meet()).rejects.toThrow('rate_buckets');
  expect(admitted(a, 3)).toBe(3);
  await expect(a.meet()).rejects.toThrow('rate_buckets');
  await db.run(statement('test.back', 'alter table away rename to rate_buckets'));
  expect(admitted(b, 1)).toBe(1);
  for (const each of [a, b, a]) await each.meet();
  expect(admitted(b, 10)).toBe(2);
  for (const each of [b, a]) await each.meet();
  expect(admitted(a, 10)).toBe(0);
});

test('what was spent and refilled before there were others is no debt', async () => {
  const a = limiter();
  await a.meet();
  for (let hour = 0; hour < 5; hour++, now += 3_600_000) expect(admitted(a, 20)).toBe(10);
  expect(admitted(a, 3)).toBe(3);
  const b = limiter();
  for (const each of [b, a, b]) await each.meet();
  expect(admitted(a, 20)).toBe(7);
});

test('whoever has paid back is forgotten, also where there are no others', () => {
  const alone = limiter();
  for (let payer = 0; payer < 100; payer++) alone.charge(`key ${payer}`);
  expect(alone.size).toBe(100);
  now += 10 * 60_000;
  alone.charge('another key');
  expect(alone.size).toBe(1);
});
