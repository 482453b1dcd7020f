import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres } from '../../test/support/cluster.ts';
import { figure, ratios, show, table } from '../support/figures.ts';
import { start, stopAll } from '../support/processes.ts';

/** A search of the directory with 20,000 servers beside the same with 1,000: two services, each with a database. */

const rounds = 9;
const searches = 100;
const [few, many] = [1_000, 20_000];
const key = `sk_${'bench'.repeat(8)}`;
const program = new URL('../../dist/program/main.js', import.meta.url).pathname;
const agent = new Agent({ keepAlive: true });

/** Queries, described by the share of servers they match. */
const questions: [what: string, query: (n: number) => string][] = [
  ['one server by its name', (n) => `q=server-${n % few}x`],
  ['the beginnings of two words, 1 in 250', (n) => `q=topic${(n % 5) * 50 + 1}x%20serv`],
  ['a word that 1 in 10 has', (n) => `q=kind${n % 10}x`],
  ['a word that all have', () => 'q=server'],
  ['no words, those that can be installed', () => 'connectableOnly=true'],
];

const folder = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
const databases: Awaited<ReturnType<typeof startPostgres>>[] = [];
try {
  const [small, large] = [await serve(few), await serve(many)];
  const rows = [['', 'p50 to that with 1,000', 'p50 with 20,000, ms']];
  for (const [what, query] of questions) {
    const [less, more] = await compare(small, large, query);
    rows.push([what, show(ratios(more, less)), show(figure(more))]);
  }
  console.log(`\nA page of 50 of the directory, ${rounds} rounds of ${searches} in turns`);
  console.log(table(rows));
} finally {
  await stopAll();
  for (const database of databases) await database.drop();
  await rm(folder, { recursive: true, force: true });
}

/** In turns, after a round that does not count. */
async function compare(
  small: string,
  large: string,
  query: (n: number) => string,
): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const [less, more] = [await sample(small, query), await sample(large, query)];
    if (round === 0) continue;
    times[0].push(less);
    times[1].push(more);
  }
  return times;
}

/** A service whose directory holds so many servers. */
async function serve(count: number): Promise<string> {
  const database = await startPostgres();
  databases.push(database);
  const file = join(folder, `${count}.json`);
  await writeFile(file, JSON.stringify(Array.from({ length: count }, (_, n) => serverJson(n))));
  const env = {
    DRYDOCK_DATA_DIR: join(folder, `data-${count}`),
    DRYDOCK_DATABASE_URL: database.url,
    DRYDOCK_PORT: '0',
    DRYDOCK_BOOTSTRAP_KEY: key,
    DRYDOCK_RATE_LIMIT: 'off',
    DRYDOCK_REGISTRY_SOURCES: `bench=${file}`,
  };
  const { match } = await start([program, 'serve'], env, /API +(\S+)[\s\S]*Docs/);
  const base = match[1] as string;
  for (;;) {
    const { items } = JSON.parse(await ask(`${base}/registry/directory-sources`)) as {
      items: { liveCount: number }[];
    };
    if (items[0]?.liveCount === count) return `${base}/registry/directory-servers`;
    await delay(200);
  }
}

function serverJson(n: number): object {
  return {
    name: `com.example/server-${n}x`,
    title: `Server ${n}x`,
    description: `Answers questions about topic${n % 250}x and is of kind${n % 10}x, as others are.`,
    version: '1.0.0',
    remotes: [{ type: 'streamable-http', url: `https://server-${n}.example.com/mcp` }],
  };
}

/** Milliseconds of the one in the middle. */
async function sample(url: string, query: (n: number) => string): Promise<number> {
  const all: number[] = [];
  for (let n = 0; n < searches; n++) {
    const began = performance.now();
    await ask(`${url}?${query(n)}`);
    all.push(performance.now() - began);
  }
  return figure(all).median;
}

function ask(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization: `Bearer ${key}` } }, (answer) => {
      text(answer).then(
        (body) => (answer.statusCode === 200 ? resolve(body) : reject(new Error(body))),
        reject,
      );
    }).on('error', reject);
  });
}
