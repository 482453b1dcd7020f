import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { figure, ratios, show, table } from '../support/figures.ts';
import { comparisons } from '../support/peers.ts';
import { residentMb, start, stopAll } from '../support/processes.ts';
import { Api } from './api.ts';

/** One warm call of a tool: with the SDK directly (a), through our API (b), and connecting for each call (c). */

const everything = new URL(
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
  import.meta.url,
).pathname;
const call = { name: 'echo', arguments: { message: 'ahoy' } };
const rounds = 9;
const callers = 50;

const dataDir = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
await chmod(dataDir, 0o711);
try {
  const service = await start(
    [new URL('../../dist/program/main.js', import.meta.url).pathname, 'serve'],
    {
      DRYDOCK_DATA_DIR: dataDir,
      DRYDOCK_PORT: '0',
      DRYDOCK_RATE_LIMIT: 'off',
      DRYDOCK_BOOTSTRAP_KEY: `sk_${'bench'.repeat(8)}`,
      DRYDOCK_WARM_CONNECTIONS: '256',
    },
    /API +(\S+)[\s\S]*Docs/,
  );
  const api = await Api.open(service.match[1] as string, `sk_${'bench'.repeat(8)}`);
  const port = 20_000 + Math.floor(Math.random() * 8_000);
  // The first call waits for the server, because it prints its greeting to stderr only.
  const target = start([everything, 'streamableHttp'], { PORT: String(port) }, /./).catch(() => undefined);
  void target;
  const url = `http://127.0.0.1:${port}/mcp`;
  await reachable(url);
  await compare(
    'Streamable HTTP',
    await api.save({ url }),
    () => new StreamableHTTPClientTransport(new URL(url)),
    100,
    20,
  );
  await compare(
    'stdio',
    await api.save({ command: process.execPath, args: [everything, 'stdio'] }),
    () =>
      new StdioClientTransport({ command: process.execPath, args: [everything, 'stdio'], stderr: 'ignore' }),
    100,
    2,
  );
  await memory();

  async function memory(): Promise<void> {
    const servers: string[] = [];
    for (let n = 0; n < 1000; n++) servers.push(await api.save({ url }));
    const figures = [residentMb(service.child)];
    for (const upTo of [200, 1000]) {
      for (const server of servers.slice(figures.length === 1 ? 0 : 200, upTo)) await api.call(server);
      figures.push(residentMb(service.child));
    }
    const [none, warm, all] = figures as [number, number, number];
    console.log('\nMemory of the service, 1,000 servers saved, at most 256 connections kept');
    console.log(
      table([
        ['', 'resident', 'to none warm'],
        ['none warm', `${none.toFixed(0)} MB`, ''],
        ['200 called', `${warm.toFixed(0)} MB`, (warm / none).toFixed(2)],
        ['1,000 called', `${all.toFixed(0)} MB`, (all / none).toFixed(2)],
      ]),
    );
  }

  async function compare(
    name: string,
    server: string,
    transport: () => StreamableHTTPClientTransport | StdioClientTransport,
    calls: number,
    connects: number,
  ): Promise<void> {
    const direct = await connected(transport());
    const viaSdk = async (): Promise<void> => void (await direct.callTool(call));
    const viaApi = (): Promise<void> => api.call(server);
    const connecting = async (): Promise<void> => {
      const client = await connected(transport());
      await client.callTool(call);
      await client.close();
    };
    for (let n = 0; n < 100; n++) await viaSdk().then(viaApi);
    const a: Sample[] = [];
    const b: Sample[] = [];
    const c: Sample[] = [];
    const many: Sample[][] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      a.push(await sample(calls, 1, viaSdk));
      b.push(await sample(calls, 1, viaApi));
      c.push(await sample(connects, 1, connecting));
      many[0]?.push(await sample(calls * 4, callers, viaSdk));
      many[1]?.push(await sample(calls * 4, callers, viaApi));
      if (connects >= 10) many[2]?.push(await sample(callers, callers, connecting));
      process.stderr.write(`\r${name}: round ${round + 1} of ${rounds} `);
    }
    process.stderr.write('\r');
    await direct.close();
    report(name, a, b, c, many as [Sample[], Sample[], Sample[]]);
  }
} finally {
  await stopAll();
  await rm(dataDir, { recursive: true, force: true });
}

interface Sample {
  p50: number;
  p99: number;
  perSecond: number;
}

function report(
  name: string,
  a: Sample[],
  b: Sample[],
  c: Sample[],
  [a50, b50, c50]: [Sample[], Sample[], Sample[]],
): void {
  const p50 = (samples: Sample[]): number[] => samples.map((one) => one.p50);
  const p99 = (samples: Sample[]): number[] => samples.map((one) => one.p99);
  const rate = (samples: Sample[]): number[] => samples.map((one) => one.perSecond);
  const row = (title: string, samples: Sample[]): string[] => [
    title,
    `${show(figure(p50(samples)))} ms`,
    `${show(figure(p99(samples)))} ms`,
  ];
  const added = figure(p50(b).map((value, round) => value - (p50(a)[round] as number)));
  console.log(`\n${name}: server-everything, echo; median [low–high] of ${rounds} interleaved rounds`);
  console.log(
    table([
      ['', 'p50', 'p99'],
      row('a  SDK, warm', a),
      row('b  our API, warm pool', b),
      row('c  SDK, connect per call', c),
    ]),
  );
  comparisons.push(
    { work: `tools/call over ${name}, p50`, beside: 'the MCP SDK by hand', ratio: ratios(p50(b), p50(a)) },
    {
      work: `tools/call over ${name}, calls a second of ${callers} callers`,
      beside: 'the MCP SDK by hand',
      ratio: ratios(rate(b50), rate(a50)),
    },
  );
  console.log(`b adds to a at p50: ${show(added)} ms`);
  console.log(`b/a ${show(ratios(p50(b), p50(a)))}   c/b ${show(ratios(p50(c), p50(b)), 1)}`);
  console.log(
    `${callers} callers: throughput of b to a ${show(ratios(rate(b50), rate(a50)))}, p99 of b to a ${show(ratios(p99(b50), p99(a50)))}`,
  );
  if (c50.length > 0) console.log(`${callers} callers: c/b at p50 ${show(ratios(p50(c50), p50(b50)), 1)}`);
}

async function sample(times: number, lanes: number, work: () => Promise<void>): Promise<Sample> {
  const took: number[] = [];
  let left = times;
  const began = performance.now();
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const start = performance.now();
      await work();
      took.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const seconds = (performance.now() - began) / 1000;
  took.sort((x, y) => x - y);
  const at = (share: number): number =>
    took[Math.min(took.length - 1, Math.floor(took.length * share))] as number;
  return { p50: at(0.5), p99: at(0.99), perSecond: times / seconds };
}

async function connected(transport: StreamableHTTPClientTransport | StdioClientTransport): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport);
  return client;
}

async function reachable(url: string): Promise<void> {
  for (;;) {
    const answered = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
