import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSuite, run } from '../evals/suite.ts';
import { key, type Service, serve } from '../sessions/service.ts';
import { figure, ratios, show, table } from '../support/figures.ts';
import { load } from '../support/load.ts';
import { residentMb, stop, stopAll } from '../support/processes.ts';

/**
 * One installation served by one process and by two (`DRYDOCK_PROCESSES`), in turns on the same machine: reads, calls of a
 * tool, and trials whose model answers after 50 ms.
 */
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const seconds = 3;
const callers = 50;
const cases = 100;
const repetitions = 5;
const provider = new URL('../evals/provider.ts', import.meta.url).pathname;

const folder = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
await chmod(folder, 0o711);
try {
  const sides = [await side(1), await side(2)] as const;
  const works: [name: string, unit: string, work: (side: Side) => Promise<number>][] = [
    ['GET /me, 32 connections', 'a second', reads],
    [`tools/call over stdio, ${callers} callers`, 'a second', calls],
    ['trials, model at 50 ms', 'a second', trials],
  ];
  const rows = [['', 'one process', 'two processes', 'two to one']];
  for (const [name, unit, work] of works) {
    const [one, two] = await inTurns(sides.map((each) => () => work(each)));
    rows.push([`${name}, ${unit}`, show(figure(one), 0), show(figure(two), 0), show(ratios(two, one))]);
    process.stderr.write('.');
  }
  process.stderr.write('\n');
  console.log(`\nmedian [low–high] of ${rounds} rounds in turns`);
  console.log(table(rows));
  const memory = sides.map(({ service }) => residentMb(service.child).toFixed(0));
  console.log(`Resident memory of the process that was started: ${memory[0]} and ${memory[1]} MB`);
  for (const { service } of sides) await stop(service.child);
} finally {
  await stopAll();
  await rm(folder, { recursive: true, force: true });
}

/** The figures of each work, after a round that does not count. */
async function inTurns(works: (() => Promise<number>)[]): Promise<[number[], number[]]> {
  const figures: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++)
    for (const [at, work] of works.entries()) {
      const figure = await work();
      if (round > 0) figures[at as 0 | 1].push(figure);
    }
  return figures;
}

interface Side {
  service: Service;
  suiteId: string;
}

async function side(processes: number): Promise<Side> {
  const dataDir = join(folder, String(processes));
  await mkdir(dataDir, { mode: 0o711 });
  const service = await serve(dataDir, 50, provider, { DRYDOCK_PROCESSES: String(processes) });
  return { service, suiteId: await makeSuite(service, cases, repetitions) };
}

async function reads({ service }: Side): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await load(`${service.baseUrl}/me`, headers, seconds)).perSecond;
}

async function calls({ service: { api, projectId, serverId } }: Side): Promise<number> {
  const ends = performance.now() + seconds * 1000;
  let done = 0;
  const call = async (): Promise<void> => {
    for (; performance.now() < ends; done++)
      await api.callTool({
        projectId,
        serverId,
        body: { toolName: 'echo', parameters: { message: 'ahoy' } },
      });
  };
  await Promise.all(Array.from({ length: callers }, call));
  return done / seconds;
}

async function trials({ service, suiteId }: Side): Promise<number> {
  return (cases * repetitions * 1000) / (await run(service, suiteId, repetitions));
}
