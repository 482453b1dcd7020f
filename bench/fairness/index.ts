import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Client, createClient } from '../../src/surfaces/client/index.ts';
import { freePort } from '../../test/support/free-port.ts';
import { figure, ratios, show, table } from '../support/figures.ts';
import { cpuMs, type Started, start, stop, stopAll } from '../support/processes.ts';
import { type Call, callFor, quantile, type Times } from './caller.ts';

/**
 * Measures the effect of one organization's run of 10,000 trials on another organization: p50 and p99 of the
 * other's sequential calls, with and without the run, in turns. The ratio of two measurements without the run
 * shows the noise of a shared machine.
 */
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 6);
const only = process.env['BENCH_ONLY'];
const cases = 100;
const repetitions = 100;
const here = (file: string): string => new URL(file, import.meta.url).pathname;
const main = here('../../dist/program/main.js');
const everything = here('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const execute = promisify(execFile);
const key = `sk_${'bench'.repeat(8)}`;

/** Model latencies in milliseconds: an instant stub, and a typical hosted model. */
const latencies = [0, 500];
const arrangements = ['one process', 'API and a worker apart'] as const;

for (const arrangement of arrangements)
  for (const latency of latencies)
    if (only === undefined || only === `${arrangement} ${latency}`) await compare(arrangement, latency);

interface Place {
  api: Client;
  base: string;
  key: string;
  projectId: string;
}

async function compare(arrangement: (typeof arrangements)[number], latency: number): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
  await chmod(dataDir, 0o711);
  try {
    const provider = await start(
      ['--import', 'tsx', here('../evals/provider.ts'), String(latency)],
      {},
      /Provider (\S+)/,
    );
    const modelsFile = join(dataDir, 'models.json');
    const connection = { name: 'scripted', wire: 'openai-chat', baseUrl: provider.match[1] };
    const models = [{ id: 'scripted/model', connection: 'scripted' }];
    await writeFile(modelsFile, JSON.stringify({ connections: [connection], models }));
    const settings = {
      DRYDOCK_DATA_DIR: join(dataDir, 'data'),
      DRYDOCK_PORT: '0',
      DRYDOCK_RATE_LIMIT: 'off',
      DRYDOCK_BOOTSTRAP_KEY: key,
      DRYDOCK_MODELS_FILE: modelsFile,
      DRYDOCK_MAX_MODEL_CALLS: '100000',
      DRYDOCK_LOG_LEVEL: 'error',
      DRYDOCK_ALLOW_STDIO: 'true',
      DRYDOCK_ALLOWED_NETWORKS: '127.0.0.0/8',
    };
    const apart = arrangement !== 'one process';
    const args = apart ? ['serve', '--no-worker'] : ['serve'];
    const service = await start([main, ...args], settings, /API +(\S+)[\s\S]*Docs/);
    const worker = apart
      ? await start([main, 'worker'], { ...settings, DRYDOCK_WORKER_PORT: '0' }, /\n/)
      : undefined;
    const base = service.match[1] as string;
    const busy = await place(base, key);
    const calm = await place(base, await secondKey(settings));
    const suiteId = await makeSuite(busy);
    const calls = await callsOf(calm, await targetServer());
    await measure({ arrangement, latency, service, worker, busy, calm, suiteId, calls });
    for (const { child } of [worker, service, provider].filter((one) => one !== undefined)) await stop(child);
  } finally {
    await stopAll();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function place(base: string, apiKey: string): Promise<Place> {
  const api = createClient({ baseUrl: base, apiKey });
  const { items } = await api.listProjects({});
  return { api, base, key: apiKey, projectId: items[0]?.id as string };
}

/** Creates a second organization and an API key for it. */
async function secondKey(settings: Record<string, string>): Promise<string> {
  const env = { ...process.env, ...settings };
  await execute(process.execPath, [main, 'users', 'create', 'calm@example.com'], { env });
  const organization = ['orgs', 'create', 'Calm', '--owner', 'calm@example.com'];
  await execute(process.execPath, [main, ...organization], { env });
  const made = ['keys', 'create', '--org', 'Calm', '--user', 'calm@example.com', '--json'];
  const { stdout } = await execute(process.execPath, [main, ...made], { env });
  return (JSON.parse(stdout) as { key: string }).key;
}

async function targetServer(): Promise<string> {
  const port = await freePort();
  // Polled until it answers, because the server prints its greeting to stderr only.
  void start([everything, 'streamableHttp'], { PORT: String(port) }, /never/).catch(() => undefined);
  const url = `http://127.0.0.1:${port}/mcp`;
  for (;;) {
    if (await fetch(url).catch(() => undefined)) return url;
    await delay(50);
  }
}

async function makeSuite({ api, projectId }: Place): Promise<string> {
  const { id: serverId } = await api.createProjectServer({
    projectId,
    body: { name: 'everything', command: process.execPath, args: [everything, 'stdio'] },
  });
  const { suiteId } = await api.createEvalSuite({
    projectId,
    body: {
      name: 'fairness',
      serverIds: [serverId],
      model: 'scripted/model',
      repetitions,
      passThreshold: 1,
      tests: Array.from({ length: cases }, (_, nth) => ({
        title: `Case ${nth}`,
        steps: [
          { id: '1', kind: 'prompt' as const, prompt: `Say ahoy to the server, number ${nth}.` },
          {
            id: '2',
            kind: 'assert' as const,
            assertion: { type: 'responseContains' as const, needle: 'ahoy' },
          },
        ],
      })),
    },
  });
  return suiteId;
}

async function callsOf({ api, projectId }: Place, url: string): Promise<Call[]> {
  const { id } = await api.createProjectServer({ projectId, body: { name: 'target', url } });
  // A second server takes the writes: changing the called one would reopen its connection each time.
  const { id: other } = await api.createProjectServer({ projectId, body: { name: 'changed', url } });
  const project = `/projects/${projectId}`;
  let nth = 0;
  return [
    { name: 'read: a server', method: 'GET', path: `${project}/servers/${id}` },
    {
      name: 'write: a server',
      method: 'PATCH',
      path: `${project}/servers/${other}`,
      body: () => ({ timeout: 10_000 + (nth++ % 100) }),
    },
    {
      name: 'live: tools/call',
      method: 'POST',
      path: `${project}/servers/${id}/tools/call`,
      body: () => ({ toolName: 'echo', parameters: { message: 'ahoy' } }),
    },
  ];
}

interface Arranged {
  arrangement: string;
  latency: number;
  service: Started;
  worker: Started | undefined;
  busy: Place;
  calm: Place;
  suiteId: string;
  calls: Call[];
}

interface Round {
  alone: Times;
  beside: Times;
  /** The measurement without the run, repeated: shows the noise of the machine. */
  again: Times;
  /** Trials that ended during the measurement, per second. */
  pace: number;
  /** Share of one processor that the API process used, without and with the run. */
  used: [number, number];
}

async function measure(arranged: Arranged): Promise<void> {
  const { arrangement, latency, calls } = arranged;
  await round(arranged, 5);
  const measured: Round[] = [];
  for (let nth = 1; nth <= rounds; nth++) {
    measured.push(await round(arranged, seconds));
    process.stderr.write(`\r${arrangement}, ${latency} ms: round ${nth} of ${rounds} `);
  }
  process.stderr.write('\r');
  const pace = figure(measured.map((one) => one.pace));
  const used = [0, 1].map((side) => show(figure(measured.map((one) => one.used[side] as number))));
  console.log(`\n${arrangement}, model answers after ${latency} ms; ${show(pace, 0)} trials a second`);
  console.log(`processor of the process with the API: ${used[0]} of a core alone, ${used[1]} beside the run`);
  const rows = calls.map(({ name }) => {
    const at = (side: 'alone' | 'beside' | 'again', share: number): number[] =>
      measured.map((one) => quantile(one[side].get(name) ?? [], share));
    return [
      name,
      show(figure(at('alone', 0.5))),
      show(ratios(at('beside', 0.5), at('alone', 0.5))),
      show(figure(at('alone', 0.99))),
      show(figure(at('beside', 0.99))),
      show(ratios(at('beside', 0.99), at('alone', 0.99))),
      show(ratios(at('again', 0.99), at('alone', 0.99))),
    ];
  });
  const head = [
    '',
    'p50 alone, ms',
    'p50 ratio',
    'p99 alone, ms',
    'p99 beside, ms',
    'p99 ratio (goal 1.5)',
    'of two without it',
  ];
  console.log(table([head, ...rows]));
}

async function round(arranged: Arranged, length: number): Promise<Round> {
  const { busy, calm, calls, suiteId, service } = arranged;
  const call = async (): Promise<{ times: Times; used: number }> => {
    const before = cpuMs(service.child);
    const began = performance.now();
    const times = await callFor(length * 1000, calm.base, calm.key, calls);
    return { times, used: (cpuMs(service.child) - before) / (performance.now() - began) };
  };
  const alone = await call();
  const { projectId } = busy;
  const { runId } = await busy.api.createEvalRun({ projectId, body: { suiteId } });
  const before = await firstEnded(busy, runId);
  const began = performance.now();
  const beside = await call();
  const ended = (await endedTrials(busy, runId)) - before;
  const pace = (ended * 1000) / (performance.now() - began);
  const { status } = await busy.api.getEvalRun({ projectId, runId });
  if (ended === 0 || status !== 'running')
    throw new Error(`the run was ${status}, ${ended} trials ended meanwhile`);
  await busy.api.cancelEvalRun({ projectId, runId });
  // Trials that were under way end first.
  await delay(1_000);
  const again = await call();
  return {
    again: again.times,
    alone: alone.times,
    beside: beside.times,
    pace,
    used: [alone.used, beside.used],
  };
}

/** Waits until connections are open and the first trials have ended. */
async function firstEnded(busy: Place, runId: string): Promise<number> {
  for (;;) {
    const ended = await endedTrials(busy, runId);
    if (ended > 0) return ended;
    await delay(100);
  }
}

async function endedTrials({ api, projectId }: Place, runId: string): Promise<number> {
  const run = await api.getEvalRun({ projectId, runId });
  return run.progress.finished;
}
