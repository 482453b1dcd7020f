import { expect } from 'vitest';
import type { Evals } from './evals.ts';

/** Invariants of an ended run: counts match results, events have no gap, and nothing is duplicated. */
export async function expectConsistent(evals: Evals, runId: string): Promise<void> {
  const client = await evals.service.database.connect();
  const count = async (sql: string): Promise<number> =>
    (await client.query<{ n: number }>(`select (${sql})::int as n`, [runId])).rows[0]?.n as number;
  const { progress, summary } = await evals.read(runId);
  const results = await count('select count(*) from eval_results where run_id = $1');
  const passed = await count("select count(*) from eval_results where run_id = $1 and result = 'passed'");
  const left = await count('select count(*) from eval_tally where run_id = $1');
  const open = await count('select count(*) from eval_trials where run_id = $1 and due_at is not null');
  await client.end();
  expect({ finished: progress.finished, left, open }).toEqual({ finished: results, left: 0, open: 0 });
  expect(summary?.passed ?? 0).toBe(passed);
  const events = await evals.follow(runId);
  expect(events.map(({ id }) => id)).toEqual(events.map((_, nth) => nth));
  const ended = events
    .filter(({ data }) => data.type === 'trial.finished')
    .map(({ data }) => data.iterationId);
  expect(ended).toHaveLength(results);
  expect(new Set(ended).size).toBe(results);
  expect(events.filter(({ data }) => data.type === 'run.decided')).toHaveLength(1);
}
