import { setTimeout as delay } from 'node:timers/promises';
import { figure, show, table } from '../support/figures.ts';
import type { Grown } from './fill.ts';

/** How long others wait for one short answer while a large project is listed, compared and deleted. */

const between = 5;
/** And those who work with it: several times a second, not as fast as one machine can. */
const betweenWork = 100;
const watched = 20_000;

export async function pauses(
  { base, projectId, runId, previousRunId, database }: Grown,
  key: string,
): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const made = await fetch(`${base}/projects`, { method: 'POST', headers, body: '{"name":"Bystander"}' });
  const { id: other } = (await made.json()) as { id: string };
  const ask = async (path: string, method = 'GET'): Promise<void> => {
    const answer = await fetch(`${base}${path}`, { method, headers });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
  };
  /** Waits for one answer after the other until `over`. */
  const waits = async (over: () => boolean): Promise<number[]> => {
    const found: number[] = [];
    while (!over()) {
      const began = performance.now();
      await ask(`/projects/${other}/servers`);
      found.push(performance.now() - began);
      await delay(between);
    }
    return found;
  };
  const during = async (work: (until: () => boolean) => Promise<void>): Promise<number[]> => {
    const began = performance.now();
    let over = false;
    const looking = waits(() => over);
    await work(() => performance.now() - began > watched);
    over = true;
    return looking;
  };
  const repeated = (path: string) => (until: () => boolean) =>
    (async () => {
      while (!until()) {
        await ask(path);
        await delay(betweenWork);
      }
    })();
  const run = `/projects/${projectId}/eval-runs`;
  const client = await database.connect();
  const gone = async (): Promise<boolean> => {
    const { rows } = await client.query('select exists (select from projects where id = $1) as there', [
      projectId,
    ]);
    return rows[0]?.there === false;
  };
  const shown: [string, number[]][] = [
    ['nothing else', await during(async (until) => void (await waits(until)))],
    ['its runs are listed', await during(repeated(`${run}?limit=50`))],
    ['its iterations are listed', await during(repeated(`${run}/${runId}/iterations?limit=50`))],
    ['two runs are compared', await during(repeated(`${run}/${runId}/compare?baseRunId=${previousRunId}`))],
  ];
  const began = performance.now();
  const deleting = await during(async () => {
    await ask(`/projects/${projectId}`, 'DELETE');
    while (!(await gone())) await delay(500);
  });
  shown.push([`it is deleted (${((performance.now() - began) / 1000).toFixed(0)} s)`, deleting]);
  await client.end();
  const calm = percentile(shown[0]?.[1] as number[], 0.99);
  const rows = shown.map(([what, found]) => [
    what,
    show(figure(found), 1),
    percentile(found, 0.99).toFixed(1),
    (percentile(found, 0.99) / calm).toFixed(2),
    `${found.filter((ms) => ms > 50).length} of ${found.length}`,
  ]);
  return `\nWhat another project's short read takes meanwhile, in ms\n${table([
    ['while', 'median [least–most]', 'p99', 'p99 to nothing else', 'over 50 ms'],
    ...rows,
  ])}`;
}

function percentile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number;
}
