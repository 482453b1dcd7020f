import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../test/support/cluster.ts';
import { figure, ratios, show, table } from '../support/figures.ts';
import { residentMb, type Started, start, stopAll } from '../support/processes.ts';

/** A request to a server directly (a), through its tunnel (b), and through it from another replica (c): five processes. */

const rounds = 9;
const calls = 300;
const size = 100 * 1024 * 1024;
const key = `sk_${'bench'.repeat(8)}`;
const program = new URL('../../dist/program/main.js', import.meta.url).pathname;

const agent = new Agent({ keepAlive: true });
const body = Buffer.alloc(1024, 'x');

const database = await startPostgres();
const dataDir = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
try {
  const env = {
    DRYDOCK_DATA_DIR: dataDir,
    DRYDOCK_DATABASE_URL: database.url,
    DRYDOCK_MASTER_KEY: '0123456789abcdef'.repeat(4),
    DRYDOCK_PORT: '0',
    DRYDOCK_BOOTSTRAP_KEY: key,
  };
  const serve = (): Promise<Started> => start([program, 'serve'], env, /API +(\S+)[\s\S]*Docs/);
  const first = await serve();
  const second = await serve();
  const target = await start([new URL('target.mjs', import.meta.url).pathname], {}, /port (\d+)/);
  const direct = `http://127.0.0.1:${target.match[1]}/mcp`;
  const origin = (replica: Started): string => new URL(replica.match[1] as string).origin;
  const held = await start(
    [
      program,
      'tunnel',
      '--target',
      direct,
      '--name',
      'bench',
      '--quiet',
      '--json',
      '--service',
      origin(first),
    ],
    { DRYDOCK_API_KEY: key },
    /^\}/m,
  );
  const { url } = JSON.parse(held.match.input) as { url: string };
  const ways = [direct, url, url.replace(origin(first), origin(second))] as const;

  for (const way of ways) await sample(way, 200);
  const times: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round++)
    for (const [i, way] of ways.entries()) times[i]?.push(await sample(way, calls));
  const bulk: [number[], number[], number[]] = [[], [], []];
  const before = residentMb(first.child);
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, residentMb(first.child))), 20);
  for (let round = 0; round < 5; round++)
    for (const [i, way] of ways.entries())
      bulk[i]?.push(await took(() => call(`${way}${way.includes('?') ? '&' : '?'}bytes=${size}`)));
  clearInterval(watch);

  const more = (i: 1 | 2): number[] => times[i].map((ms, round) => ms - (times[0][round] as number));
  console.log(`\nA POST of 1 kB, ${rounds} rounds of ${calls} in turns; 100 MB, 5 rounds`);
  console.log(
    table([
      ['', 'p50 more than direct, ms', 'p50 to direct', '100 MB to direct'],
      ['tunnel', show(figure(more(1))), show(ratios(times[1], times[0])), show(ratios(bulk[1], bulk[0]))],
      [
        'from another replica',
        show(figure(more(2))),
        show(ratios(times[2], times[0])),
        show(ratios(bulk[2], bulk[0])),
      ],
    ]),
  );
  console.log(`Memory of the relay while 100 MB pass: ${(most / before).toFixed(2)} times that before`);
} finally {
  await stopAll();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
}

/** Milliseconds of the one in the middle. */
async function sample(url: string, count: number): Promise<number> {
  const all: number[] = [];
  for (let n = 0; n < count; n++) all.push(await took(() => call(url, body)));
  return figure(all).median;
}

async function took(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function call(url: string, sent?: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: sent ? 'POST' : 'GET', agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`answered ${answer.statusCode}`));
      answer.resume().on('end', resolve).on('error', reject);
    });
    asked.on('error', reject).end(sent);
  });
}
