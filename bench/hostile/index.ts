import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchWhile } from '../../test/support/bystander.ts';
import { attackNames, honest } from '../../test/targets/attacks.ts';
import { figure, ratios, show, table } from '../support/figures.ts';
import { residentMb, start, stopAll } from '../support/processes.ts';

/**
 * Measures the effect of each attack on a bystander: the p99 of its requests during the attack, during the same load on
 * an honest server, and on an idle service. The ratio of the first to the second is the effect of the attack beyond
 * ordinary load.
 */

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 2);
const key = `sk_${'bench'.repeat(8)}`;
const main = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url));
const caller = fileURLToPath(new URL('./caller.ts', import.meta.url));
const attacks = fileURLToPath(new URL('../../test/targets/attacks.ts', import.meta.url));

const dataDir = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
await chmod(dataDir, 0o711);
try {
  const settings = {
    DRYDOCK_DATA_DIR: dataDir,
    DRYDOCK_PORT: '0',
    DRYDOCK_RATE_LIMIT: 'off',
    DRYDOCK_BOOTSTRAP_KEY: key,
    DRYDOCK_LOG_LEVEL: 'warn',
  };
  const service = await start([main, 'serve'], settings, /API +(\S+)[\s\S]*Docs/);
  const attacker = await start(['--import', 'tsx', attacks, 'http'], {}, /(\d+)\n/);
  const base = service.match[1] as string;
  const api = async (method: string, path: string, body: object = {}): Promise<Record<string, unknown>> => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  const { items } = (await api('GET', '/projects')) as { items: { id: string }[] };
  const project = `/projects/${items[0]?.id}`;

  const save = async (name: string): Promise<string> => {
    const url = `http://127.0.0.1:${attacker.match[1]}/${encodeURIComponent(name)}`;
    const { id } = await api('POST', `${project}/servers`, { name, url, timeout: 2_000 });
    return `${project}/servers/${String(id)}`;
  };
  const p99While = async (work: Promise<unknown>): Promise<number> =>
    (await watchWhile(`${base}/me`, key, work)).p99;
  const whileCalling = async (server: string): Promise<number> => {
    const args = ['--import', 'tsx', caller, `${base}${server}/tools/call`, key, String(seconds)];
    const { child } = await start(args, {}, /ready/);
    return p99While(once(child, 'exit'));
  };
  const idle = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

  console.log(`p99 of GET /me in milliseconds, ${rounds} rounds of ${seconds} s each\n`);
  const rows = [
    ['attack', 'nothing else', 'honest calls', 'attack', 'to honest (goal 2)', 'to nothing', 'resident MB'],
  ];
  const honestServer = await save(honest);
  for (const name of attackNames) {
    const server = await save(name);
    const [nothing, calls, attack]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      nothing.push(await p99While(idle()));
      calls.push(await whileCalling(honestServer));
      attack.push(await whileCalling(server));
    }
    const memory = residentMb(service.child).toFixed(0);
    const p99s = [nothing, calls, attack].map((each) => show(figure(each)));
    rows.push([name, ...p99s, show(ratios(attack, calls)), show(ratios(attack, nothing)), memory]);
    process.stderr.write('.');
  }
  process.stderr.write('\n');
  console.log(table(rows));
} finally {
  await stopAll();
  await rm(dataDir, { recursive: true, force: true });
}
