import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ratios, show, table } from '../support/figures.ts';
import { type Load, load } from '../support/load.ts';
import { cpuMs, type Started, start, stopAll } from '../support/processes.ts';

/** Measures the cost of telemetry for a short request: off, on, sampled at 10%, and without a reachable collector. */

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

/** Processor time tells more than the rate where others use the machine too. */
interface Measured extends Load {
  cpuPerRequest: number;
}

async function run(): Promise<void> {
  const services: Record<string, Started & { url: string }> = {};
  for (const [nth, [name, { entry = program, env }]] of Object.entries(sides).entries()) {
    const dataDir = join(folder, String(nth));
    await mkdir(dataDir, { mode: 0o711 });
    const started = await start(
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
    services[name] = { ...started, url: `${started.match[1]}/me` };
  }
  const measured = await interleaved(services);
  const lines = Object.keys(services).map((name) => [
    name,
    ...(['cpuPerRequest', 'perSecond', 'p99'] as const).map((what) => {
      const of = (side: string): number[] => (measured[side] as Measured[]).map((each) => each[what]);
      return show(ratios(of(name), of('nothing set')));
    }),
  ]);
  console.log(`GET /me (${rounds} interleaved rounds of ${seconds} s, 32 connections; median [low–high])`);
  console.log('Each against the service with nothing set:');
  console.log(table([['', 'processor time per request', 'requests per second', 'p99'], ...lines]));
}

async function interleaved(
  services: Record<string, Started & { url: string }>,
): Promise<Record<string, Measured[]>> {
  const measured: Record<string, Measured[]> = {};
  for (const { url } of Object.values(services)) await load(url, headers, 2);
  for (let round = 0; round < rounds; round++)
    // Turned round each time, so that nobody is always the first.
    for (const [name, { url, child }] of turned(Object.entries(services), round)) {
      const before = cpuMs(child);
      const result = await load(url, headers, seconds);
      const cpuPerRequest = (cpuMs(child) - before) / (result.perSecond * seconds);
      (measured[name] ??= []).push({ ...result, cpuPerRequest });
    }
  return measured;
}

function turned<T>(list: readonly T[], by: number): T[] {
  const from = by % list.length;
  return [...list.slice(from), ...list.slice(0, from)];
}
