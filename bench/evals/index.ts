import { type ChildProcess, execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Client, createClient } from '../../src/surfaces/client/index.ts';
import { figure, ratios, show, table } from '../support/figures.ts';
import { load } from '../support/load.ts';
import { cpuMs, residentMb, start, stop, stopAll } from '../support/processes.ts';
import { runPromptfoo } from './promptfoo.ts';

/**
 * 100 cases of 5 trials, 20 at once; a trial is two calls of a scripted model and one of a tool on a real server.
 * Beside it, a bare script that makes the same calls and records nothing, and promptfoo where it is installed.
 */
const cases = 100;
const repetitions = 5;
const concurrency = 20;
const callsPerTrial = 2;
const trials = cases * repetitions;
const everything = new URL(
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
  import.meta.url,
).pathname;
const here = (file: string): string => new URL(file, import.meta.url).pathname;
const key = `sk_${'bench'.repeat(8)}`;
const execute = promisify(execFile);

const dataDir = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
await chmod(dataDir, 0o711);
const modelsFile = join(dataDir, 'models.json');

try {
  for (const [latency, rounds] of [
    [50, 5],
    [500, 2],
  ] as const)
    await compare(latency, rounds);
  await growth();
} finally {
  await stopAll();
  await rm(dataDir, { recursive: true, force: true });
}

interface Measured {
  wall: number;
  cpu: number;
}

async function compare(latency: number, rounds: number): Promise<void> {
  const ideal = (trials * callsPerTrial * latency) / concurrency;
  const provider = await start(
    ['--import', 'tsx', here('provider.ts'), String(latency)],
    {},
    /Provider (\S+)/,
  );
  const url = provider.match[1] as string;
  const service = await serve(url);
  const suite = await makeSuite(service, cases);
  const ours: (Measured & { database: number })[] = [];
  const bare: Measured[] = [];
  const others: Measured[] = [];
  // Warm: the connection, the libraries and the plans of the database.
  await run(service, suite, 1);
  for (let round = 1; round <= rounds; round++) {
    const before = { own: cpuMs(service.child), all: cpuMs(service.child, /postgres/) };
    const wall = await run(service, suite, repetitions);
    ours.push({
      wall,
      cpu: cpuMs(service.child) - before.own,
      database: cpuMs(service.child, /postgres/) - before.all,
    });
    const { stdout } = await execute(process.execPath, [
      '--import',
      'tsx',
      here('bare.ts'),
      url,
      everything,
      String(trials),
      String(concurrency),
    ]);
    bare.push(JSON.parse(stdout) as Measured);
    const other =
      latency === 50 && (await runPromptfoo(url, everything, { cases, repetitions, concurrency }));
    if (other) others.push(other);
    process.stderr.write(`\r${latency} ms: round ${round} of ${rounds} `);
  }
  process.stderr.write('\r');
  const row = (name: string, all: Measured[]): string[] => [
    name,
    show(figure(all.map(({ wall }) => wall / ideal))),
    show(figure(all.map(({ cpu }) => cpu / trials))),
    show(figure(all.map(({ wall }) => (trials * 1000) / wall)), 0),
  ];
  console.log(
    `\nModel answers after ${latency} ms; ideal ${(ideal / 1000).toFixed(1)} s for ${trials} trials`,
  );
  console.log(
    table([
      ['', 'wall / ideal', 'processor ms / trial', 'trials / s'],
      row('drydock', ours),
      row('bare script', bare),
      ...(others.length > 0 ? [row('promptfoo', others)] : []),
    ]),
  );
  const database = figure(ours.map((one) => one.database / trials));
  console.log(`The database took ${show(database)} ms of processor a trial besides.`);
  if (others.length === 0 && latency === 50)
    console.log('promptfoo was not measured: set PROMPTFOO to its program.');
  await stop(service.child);
  await stop(provider.child);
}

interface Service {
  api: Client;
  baseUrl: string;
  projectId: string;
  serverId: string;
  child: ChildProcess;
}

async function serve(providerUrl: string): Promise<Service> {
  const connection = { name: 'scripted', wire: 'openai-chat', baseUrl: providerUrl };
  const models = [{ id: 'scripted/model', connection: 'scripted' }];
  await writeFile(modelsFile, JSON.stringify({ connections: [connection], models }));
  const { child, match } = await start(
    [here('../../dist/program/main.js'), 'serve'],
    {
      DRYDOCK_DATA_DIR: dataDir,
      DRYDOCK_PORT: '0',
      DRYDOCK_RATE_LIMIT: 'off',
      DRYDOCK_BOOTSTRAP_KEY: key,
      DRYDOCK_MODELS_FILE: modelsFile,
      DRYDOCK_EVAL_TRIALS: String(concurrency),
      DRYDOCK_MAX_MODEL_CALLS: '100000',
    },
    /API +(\S+)[\s\S]*Docs/,
  );
  const api = createClient({ baseUrl: match[1] as string, apiKey: key });
  const { items } = await api.listProjects({});
  const projectId = items[0]?.id as string;
  const { id: serverId } = await api.createProjectServer({
    projectId,
    body: { name: `everything ${Date.now()}`, command: process.execPath, args: [everything, 'stdio'] },
  });
  return { api, baseUrl: match[1] as string, projectId, serverId, child };
}

async function makeSuite(
  { api, projectId, serverId }: Service,
  count: number,
  each = repetitions,
): Promise<string> {
  const { suiteId } = await api.createEvalSuite({
    projectId,
    body: {
      name: `bench ${each}`,
      serverIds: [serverId],
      model: 'scripted/model',
      repetitions: each,
      passThreshold: 1,
      tests: Array.from({ length: count }, (_, nth) => ({
        title: `Case ${nth}`,
        steps: [
          { id: '1', kind: 'prompt' as const, prompt: `Say ahoy to the server, number ${nth}.` },
          {
            id: '2',
            kind: 'assert' as const,
            assertion: {
              type: 'toolCalledWith' as const,
              toolName: 'echo',
              args: { args: { message: 'ahoy' } },
            },
          },
          {
            id: '3',
            kind: 'assert' as const,
            assertion: { type: 'responseContains' as const, needle: 'ahoy' },
          },
        ],
      })),
    },
  });
  return suiteId;
}

/** Milliseconds from the request to the verdict. */
async function run(
  { api, projectId }: Service,
  suiteId: string,
  iterations: number | undefined,
): Promise<number> {
  const began = performance.now();
  const override = iterations === undefined ? {} : { iterationOverride: iterations };
  const { runId } = await api.createEvalRun({ projectId, body: { suiteId, ...override } });
  for await (const { type } of api.watchEvalRun({ projectId, runId })) if (type === 'run.decided') break;
  const wall = performance.now() - began;
  const { result, summary } = await api.getEvalRun({ projectId, runId });
  if (result !== 'passed') throw new Error(`the run ended ${result}: ${JSON.stringify(summary)}`);
  return wall;
}

/** Memory of the service, and what reading a run costs, as there are more trials. */
async function growth(): Promise<void> {
  const provider = await start(['--import', 'tsx', here('provider.ts'), '0'], {}, /Provider (\S+)/);
  const service = await serve(provider.match[1] as string);
  const { api, projectId } = service;
  const memory: number[] = [];
  const urls: string[] = [];
  // One trial of each case, then ten, then a hundred: the cases, and so what a run says, stay the same.
  for (const count of [1, 10, 100]) {
    const suiteId = await makeSuite(service, cases, count);
    await run(service, suiteId, undefined);
    memory.push(residentMb(service.child));
    const { items } = await api.listEvalSuiteRuns({ projectId, suiteId });
    urls.push(`${service.baseUrl}/projects/${projectId}/eval-runs/${items[0]?.id}`);
    process.stderr.write(`\rgrowth: ${count * cases} trials `);
  }
  const [few, , many] = urls as [string, string, string];
  const headers = { authorization: `Bearer ${key}` };
  const reads: { few: number[]; many: number[] } = { few: [], many: [] };
  for (let round = 0; round < 7; round++) {
    reads.few.push((await load(few, headers, 2, 4)).p50);
    reads.many.push((await load(many, headers, 2, 4)).p50);
  }
  process.stderr.write('\r');
  const [, thousand, tenThousand] = memory as [number, number, number];
  console.log('\nGrowth');
  console.log(
    table([
      ['', 'ratio'],
      ['resident memory after 10,000 trials to after 1,000', (tenThousand / thousand).toFixed(2)],
      ['reading a run of 10,000 trials to one of 100', show(ratios(reads.many, reads.few))],
    ]),
  );
  await stop(service.child);
  await stop(provider.child);
}
