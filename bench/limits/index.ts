import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TokenBuckets } from '../../src/domain/limits/token-buckets.ts';
import { loadConfig } from '../../src/platform/config/load.ts';
import { connectDatabase } from '../../src/platform/database/connect.ts';
import { EmbeddedDatabase } from '../../src/platform/database/embedded/index.ts';
import * as replicas from '../../src/platform/database/queries/replicas.ts';
import { createLog } from '../../src/platform/log.ts';
import { statement } from '../../test/support/statement.ts';
import { figure, ratios, show } from '../support/figures.ts';
import { start, stopAll } from '../support/processes.ts';

/** Measures the cost of the rate limiter, and its accuracy with two replicas. */

const dataDir = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
await chmod(dataDir, 0o711);
const embedded = await EmbeddedDatabase.open(dataDir, { exclusive: true }, createLog('error'));
const { host, user, database } = embedded.connection;

try {
  await cost();
  await accuracy();
} finally {
  await stopAll();
  await embedded.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** In memory with an exchange every 200 ms, against asking the database on every request. */
async function cost(): Promise<void> {
  const { config } = loadConfig({
    DRYDOCK_DATABASE_URL: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`,
    DRYDOCK_DATABASE_POOL: '4',
  });
  const connected = await connectDatabase(config, { exclusive: false }, createLog('error'));
  const db = connected.database;
  const inMemory: number[] = [];
  const everyRequest: number[] = [];
  const exchange: number[] = [];
  const buckets = new TokenBuckets({ perMinute: 60, burst: 10 });
  const single = statement(
    'bench.single',
    `insert into rate_buckets as b (key_id, tokens, at) values (:keyId, 9, now())
     on conflict (key_id) do update set tokens = least(10, b.tokens + extract(epoch from now() - b.at)) - 1, at = now()
     returning tokens`,
  );
  const keyIds = Array.from({ length: 1000 }, (_, n) => `key_${n}`);
  const booked = { keyIds, spent: keyIds.map(() => 1), burst: 10, perSecond: 1 };
  for (let round = 0; round < 9; round++) {
    inMemory.push(await microseconds(200_000, async (n) => void buckets.take(`key_${n % 1000}`, n)));
    everyRequest.push(await microseconds(500, (n) => db.rows(single, { keyId: `key_${n % 1000}` })));
    exchange.push(await microseconds(5, () => db.rows(replicas.exchange, booked)));
  }
  await connected.close();
  console.log('Cost of charging one request (median [low–high] of 9 interleaved rounds)');
  console.log(
    `in memory to a database statement on every request: ${show(ratios(inMemory, everyRequest), 5)}`,
  );
  console.log(
    `one exchange of 1,000 active keys to one such statement: ${show(ratios(exchange, everyRequest), 1)}`,
  );
  const share = figure(exchange).median / 200_000;
  console.log(
    `an exchange every 200 ms keeps the database busy ${(share * 100).toFixed(1)}% of the time with 1,000 active keys\n`,
  );
}

async function microseconds(times: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const began = performance.now();
  for (let n = 0; n < times; n++) await work(n);
  return ((performance.now() - began) * 1000) / times;
}

/** A caller who asks two replicas in turn, much faster than the limit, for a while. */
async function accuracy(): Promise<void> {
  const seconds = 20;
  const key = `sk_${'bench'.repeat(8)}`;
  const env = {
    DRYDOCK_DATABASE_URL: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`,
    DRYDOCK_DATA_DIR: join(dataDir, 'service'),
    DRYDOCK_PORT: '0',
    DRYDOCK_BOOTSTRAP_KEY: key,
    DRYDOCK_RATE_LIMIT: '600/10',
  };
  const program = new URL('../../dist/program/main.js', import.meta.url).pathname;
  const replicas = [];
  for (let n = 0; n < 2; n++) replicas.push(await start([program, 'serve'], env, /API +(\S+)[\s\S]*Docs/));
  // The first one hears of the second at its next heartbeat.
  await delay(6_000);
  const headers = { authorization: `Bearer ${key}` };
  const began = performance.now();
  let admitted = 0;
  for (let n = 0; performance.now() - began < seconds * 1000; n++) {
    const response = await fetch(`${replicas[n % 2]?.match[1]}/me`, { headers });
    await response.arrayBuffer();
    if (response.status === 200) admitted++;
  }
  const allowed = 10 + (seconds * 600) / 60;
  console.log(
    `Two replicas, one caller asking both in turn for ${seconds} s at a limit of 600 a minute, burst 10:`,
  );
  console.log(`admitted to allowed: ${(admitted / allowed).toFixed(3)} (${admitted} of ${allowed})`);
}
