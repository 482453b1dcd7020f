import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchWhile } from '../../test/support/bystander.ts';
import { attackNames } from '../../test/targets/attacks.ts';
import { figure, ratios, show, table } from '../support/figures.ts';
import { residentMb, start, stopAll } from '../support/processes.ts';

/** What a bystander notices of each attack: its p99 while the attack goes on, to its p99 just before. */

const rounds = 5;
const seconds = 3;
const key = `sk_${'bench'.repeat(8)}`;
const main = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url));
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

  /** One call after the other until the time is up. */
  const attack = async (server: string): Promise<void> => {
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) await api('POST', `${server}/tools/call`, { toolName: 'x' });
  };
  const calm = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

  console.log(
    `p99 of GET /me in milliseconds, ${rounds} rounds, each attack beside a calm of the same length\n`,
  );
  const rows = [['attack', 'calm', 'during', 'ratio (goal 2)', 'resident MB']];
  for (const name of attackNames) {
    const url = `http://127.0.0.1:${attacker.match[1]}/${encodeURIComponent(name)}`;
    const { id } = await api('POST', `${project}/servers`, { name, url, timeout: 2_000 });
    const before: number[] = [];
    const during: number[] = [];
    for (let round = 0; round < rounds; round++) {
      before.push((await watchWhile(`${base}/me`, key, calm())).p99);
      during.push((await watchWhile(`${base}/me`, key, attack(`${project}/servers/${String(id)}`))).p99);
    }
    const memory = residentMb(service.child).toFixed(0);
    rows.push([name, show(figure(before)), show(figure(during)), show(ratios(during, before)), memory]);
    process.stderr.write('.');
  }
  process.stderr.write('\n');
  console.log(table(rows));
} finally {
  await stopAll();
  await rm(dataDir, { recursive: true, force: true });
}
