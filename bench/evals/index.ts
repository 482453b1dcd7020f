import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { everything, key, serve } from '../sessions/service.ts';
import { figure, ratios, show, table } from '../support/figures.ts';
import { load } from '../support/load.ts';
import { comparisons } from '../support/peers.ts';
import { cpuMs, residentMb, stop, stopAll } from '../support/processes.ts';
import { runPromptfoo } from './promptfoo.ts';
import { makeSuite, run } from './suite.ts';

/**
 * 100 cases of 5 trials, 20 at once; a trial is two calls of a scripted model and one of a tool on a real server.
 * Beside it, a bare script that makes the same calls and records nothing, and promptfoo where it is installed.
 */
const cases = 100;
const repetitions = 5;
const concurrency = 20;
const callsPerTrial = 2;
const trials = cases * repetitions;
const here = (file: string): string => new URL(file, import.meta.url).pathname;
const providerScript = here('provider.ts');
const settings = { DRYDOCK_EVAL_TRIALS: String(concurrency) };
const execute = promisify(execFile);

const dataDir = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
await chmod(dataDir, 0o711);

try {
  for (const [latency, rounds] of [
    [50, 5],
    [500, 2],
  ] as const)
    await compare(latency, rounds);
  if (process.env['BENCH_GROWTH'] !== 'off') await growth();
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
  const service = await serve(dataDir, latency, providerScript, settings);
  const url = service.providerUrl;
  const suite = await makeSuite(service, cases, repetitions);
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
  for (const [beside, measured] of [
    ['a script with the MCP SDK that records nothing', bare],
    ['promptfoo', others],
  ] as const)
    if (measured.length > 0)
      comparisons.push({
        work: `time of ${trials} trials, model at ${latency} ms`,
        beside,
        ratio: ratios(
          ours.map(({ wall }) => wall),
          measured.map(({ wall }) => wall),
        ),
      });
  const database = figure(ours.map((one) => one.database / trials));
  console.log(`The database took ${show(database)} ms of processor a trial besides.`);
  if (others.length === 0 && latency === 50)
    console.log('promptfoo was not measured: set PROMPTFOO to its program.');
  await stop(service.child);
  await stop(service.provider);
}

/** Memory of the service, and what reading a run costs, as there are more trials. */
async function growth(): Promise<void> {
  const service = await serve(dataDir, 0, providerScript, settings);
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
  await stop(service.provider);
}
