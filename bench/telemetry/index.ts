import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { figure, ratios, show, table } from '../support/figures.ts';
import { type Load, load } from '../support/load.ts';
import { start, stopAll } from '../support/processes.ts';

/** What traces and metrics cost a short request: unset, sent, sent for a tenth, and sent to nobody. */

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 6);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 2);
const program = new URL('../../dist/program/main.js', import.meta.url).pathname;
/** The program of another build, such as one from before a change; left out, the same one. */
const other = process.env['BENCH_OTHER_PROGRAM'] ?? program;

const folder = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
await chmod(folder, 0o711);
const key = `sk_${'bench'.repeat(8)}`;
const headers = { authorization: `Bearer ${key}` };
const collector = createServer((request, response) => {
  request.resume().on('end', () => response.end());
});
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
const tenth = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' };

const sides: Record<string, { entry?: string; env: Record<string, string> }> = {
  'nothing set': { env: {} },
  'the other build': { entry: other, env: {} },
  'all sent': { env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } },
  'a tenth sent': { env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...tenth } },
  'nobody listens': { env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' } },
};

try {
  await run();
} finally {
  await stopAll();
  collector.close();
  await rm(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const urls: Record<string, string> = {};
  for (const [nth, [name, { entry = program, env }]] of Object.entries(sides).entries()) {
    const dataDir = join(folder, String(nth));
    await mkdir(dataDir, { mode: 0o711 });
    const service = await start(
      [entry, 'serve', '--no-worker'],
      {
        DRYDOCK_DATA_DIR: dataDir,
        DRYDOCK_PORT: '0',
        DRYDOCK_BOOTSTRAP_KEY: key,
        DRYDOCK_RATE_LIMIT: 'off',
        ...env,
      },
      /API +(\S+)[\s\S]*Docs/,
    );
    urls[name] = `${service.match[1]}/me`;
  }
  const measured = await interleaved(urls);
  const rates = (name: string): number[] => (measured[name] as Load[]).map(({ perSecond }) => perSecond);
  const p99 = (name: string): number[] => (measured[name] as Load[]).map((each) => each.p99);
  const lines = Object.keys(urls).map((name) => [
    name,
    show(ratios(rates(name), rates('nothing set'))),
    show(ratios(p99(name), p99('nothing set'))),
    figure(rates(name)).median.toFixed(0),
  ]);
  console.log(`GET /me (${rounds} interleaved rounds of ${seconds} s, 32 connections; median [low–high])`);
  console.log(table([['', 'req/s to nothing set', 'p99 to nothing set', 'req/s'], ...lines]));
}

async function interleaved(urls: Record<string, string>): Promise<Record<string, Load[]>> {
  const measured: Record<string, Load[]> = {};
  for (const url of Object.values(urls)) await load(url, headers, 1);
  for (let round = 0; round < rounds; round++)
    for (const [name, url] of Object.entries(urls))
      (measured[name] ??= []).push(await load(url, headers, seconds));
  return measured;
}
