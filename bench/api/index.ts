import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { figure, ratios, show, table } from '../support/figures.ts';
import { type Load, load } from '../support/load.ts';
import { comparisons } from '../support/peers.ts';
import { residentMb, start, stop, stopAll } from '../support/processes.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 9);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 2);
const rows = Number(process.env['BENCH_ROWS'] ?? 1_000_000);
const program = new URL('../../dist/program/main.js', import.meta.url).pathname;
const minimal = new URL('./minimal.ts', import.meta.url).pathname;

const dataDir = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
await chmod(dataDir, 0o711);
const key = `sk_${'bench'.repeat(8)}`;
const env = {
  DRYDOCK_DATA_DIR: dataDir,
  DRYDOCK_PORT: '0',
  DRYDOCK_BOOTSTRAP_KEY: key,
  // On, and never empty: its cost is part of what is measured.
  DRYDOCK_RATE_LIMIT: '6000000/1000000',
};
const banner = /API +(\S+)[\s\S]*Docs/;
const headers = { authorization: `Bearer ${key}` };
/** As many keys as connections: whoever shares a key shares the read of its account. */
const keys = Array.from({ length: 32 }, (_, n) => `sk_${'bench'.repeat(7)}${n}`);
const headersOf = (connection: number) => ({ authorization: `Bearer ${keys[connection]}` });

try {
  await run();
} finally {
  await stopAll();
  await rm(dataDir, { recursive: true, force: true });
}

async function run(): Promise<void> {
  let service = await start([program, 'serve'], env, banner);
  const socket = join(dataDir, 'postgres/run');
  console.error(`making projects of 1,000 and ${rows.toLocaleString('en')} servers …`);
  const [small, large] = await fill(socket);

  const starts: number[] = [];
  const nodeStarts: number[] = [];
  for (let round = 0; round < 5; round++) {
    await stop(service.child);
    nodeStarts.push((await start(['-e', 'console.log("ready")'], {}, /ready/)).ms);
    service = await start([program, 'serve'], env, banner);
    starts.push(service.ms);
  }

  const base = service.match[1] as string;
  const listPath = `/projects/${small}/servers?limit=50`;
  const me = await (await fetch(`${base}/me`, { headers })).text();
  const list = await (await fetch(`${base}${listPath}`, { headers })).text();
  const tsx = ['--import', 'tsx', minimal];
  const hand = await start(tsx, { BENCH_SOCKET: socket }, /ready (\d+)/);
  const bare = await start([...tsx, 'bare'], { BENCH_ME: me, BENCH_LIST: list }, /ready (\d+)/);
  const sides = {
    drydock: base,
    'minimal Fastify': `http://127.0.0.1:${hand.match[1]}`,
    'bare node:http': `http://127.0.0.1:${bare.match[1]}`,
  };

  for (const [title, path] of [
    ['GET /me', '/me'],
    ['50-row list', listPath],
  ] as const) {
    report(`${title}, one key`, await interleave(sides, path, headers));
    report(`${title}, a key for each connection`, await interleave(sides, path, headersOf));
  }
  console.log(`\nResident memory of the service after the load: ${residentMb(service.child).toFixed(0)} MB`);
  const started = figure(starts);
  const ratio = ratios(starts, nodeStarts);
  console.log(
    `Start to ready on existing data: ${show(started, 0)} ms, ${show(ratio, 1)} times a bare node start`,
  );
  await listCost(base, small, large);
}

async function interleave(
  sides: Record<string, string>,
  path: string,
  sent: Parameters<typeof load>[1],
): Promise<Record<string, Load[]>> {
  const measured: Record<string, Load[]> = {};
  for (const [name, base] of Object.entries(sides)) {
    measured[name] = [];
    await load(`${base}${path}`, sent, 1);
  }
  for (let round = 0; round < rounds; round++) {
    console.error(`${path}: round ${round + 1} of ${rounds}`);
    for (const [name, base] of Object.entries(sides))
      measured[name]?.push(await load(`${base}${path}`, sent, seconds));
  }
  return measured;
}

function report(title: string, measured: Record<string, Load[]>): void {
  const hand = measured['minimal Fastify'] as Load[];
  const ours = measured['drydock'] as Load[];
  const ratio = ratios(
    ours.map((each) => each.perSecond),
    hand.map((each) => each.perSecond),
  );
  comparisons.push({ work: `${title}, requests a second`, beside: 'Fastify and pg by hand', ratio });
  const lines = Object.entries(measured).map(([name, loads]) => {
    const rate = loads.map((each) => each.perSecond);
    const p99 = loads.map((each) => each.p99);
    return [
      name,
      figure(rate).median.toFixed(0),
      show(
        ratios(
          rate,
          hand.map((each) => each.perSecond),
        ),
      ),
      `${figure(p99).median.toFixed(1)} ms`,
      show(
        ratios(
          p99,
          hand.map((each) => each.p99),
        ),
      ),
    ];
  });
  console.log(`\n${title} (${rounds} interleaved rounds of ${seconds} s, 32 connections; median [low–high])`);
  console.log(table([['', 'req/s', 'req/s to minimal', 'p99', 'p99 to minimal'], ...lines]));
}

/** Compares a list page of a small and a large project, and one from the middle of the large project. */
async function listCost(base: string, small: string, large: string): Promise<void> {
  const path = (project: string, cursor = '') =>
    `${base}/projects/${project}/servers?limit=50${cursor && `&cursor=${cursor}`}`;
  const middle = await cursorInTheMiddle(base, large);
  const sides = { small: path(small), large: path(large), middle: path(large, middle) };
  const p50: Record<string, number[]> = { small: [], large: [], middle: [] };
  for (let round = 0; round < rounds; round++)
    for (const [name, url] of Object.entries(sides)) p50[name]?.push((await load(url, headers, 1, 1)).p50);
  const first = ratios(p50['large'] as number[], p50['small'] as number[]);
  const deep = ratios(p50['middle'] as number[], p50['small'] as number[]);
  console.log(
    `\nA 50-row page of ${rows.toLocaleString('en')} rows against one of 1,000 rows (p50, one caller):`,
  );
  console.log(`first page ${show(first)}, page from the middle ${show(deep)}`);
}

async function cursorInTheMiddle(base: string, project: string): Promise<string> {
  let cursor = '';
  for (let page = 0; page < Math.min(rows / 2000, 500); page++) {
    const url = `${base}/projects/${project}/servers?limit=1000${cursor && `&cursor=${cursor}`}`;
    const { nextCursor } = (await (await fetch(url, { headers })).json()) as { nextCursor?: string };
    cursor = nextCursor ?? cursor;
  }
  return cursor;
}

async function fill(host: string): Promise<[string, string]> {
  const client = new pg.Client({ host, user: 'drydock', database: 'drydock' });
  await client.connect();
  const insert = `insert into servers (id, project_id, name, name_key, enabled, transport_type, url, settings)
    select 'srv_' || $1 || lpad(n::text, 10, '0'), $1, 'server ' || n, 'server ' || n, true, 'http', 'https://server-' || n || '.example.com/mcp',
      '{"headerNames":["Authorization"],"envNames":[],"hasClientSecret":false,"oauthScopes":["read","write"]}'
    from generate_series(1, $2::int) n`;
  const organization = (await client.query('select id from organizations')).rows[0].id;
  for (const [id, count] of [
    ['prj_small', 1000],
    ['prj_large', rows],
  ] as const) {
    await client.query(
      "insert into projects (id, organization_id, name, visibility) values ($1, $2, $1, 'public')",
      [id, organization],
    );
    await client.query(insert, [id, count]);
  }
  await client.query(
    `insert into api_keys (id, hash, user_id, organization_id, name, hint)
     select 'key_bench' || n, sha256(convert_to(key, 'utf8')), user_id, organization_id, 'bench', ''
     from unnest($1::text[]) with ordinality as made(key, n), (select user_id, organization_id from api_keys limit 1) k`,
    [keys],
  );
  await client.query('vacuum analyze');
  await client.end();
  return ['prj_small', 'prj_large'];
}
