// @module-tag long
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as blobRows from '../src/platform/database/queries/blobs.ts';
import { type Ingesting, ingesting, named, result } from './support/ingesting.ts';
import type { TestService } from './support/service.ts';

/** Results of runs that ran elsewhere, as careless and hostile reporters send them. */

let service: TestService;
let ingest: Ingesting['ingest'];
let get: Ingesting['get'];
ingesting((parts) => {
  ({ service, ingest, get } = parts);
});

test('a run that is ended while results come in is decided by all that it has', async () => {
  const { runId, projectId } = (await ingest('runs/start', { suiteName: named('storm') })).body;
  const good = Array.from({ length: 1_000 }, (_, n) => result(`Case ${n % 3}`, true));
  await ingest('runs/iterations', { runId, results: good });
  const late = Array.from({ length: 6 }, () =>
    ingest('runs/iterations', { runId, results: [result('Late', false)] }),
  );
  const ends = [1, 2].map(() => ingest('runs/finalize', { runId }));
  const statuses = (await Promise.all([...late, ...ends])).map(({ status }) => status);
  expect(statuses.slice(-2)).toEqual([200, 200]);
  const added = statuses.slice(0, -2).filter((status) => status === 200).length;
  const run = await get(`/projects/${projectId}/eval-runs/${runId}`);
  expect(run.summary.total).toBe(1_000 + added);
  expect(run.decision.passRate).toBe(run.summary.passRate);
  expect(run.result).toBe(added === 0 ? 'passed' : 'failed');
});

test('a report to a suite that is there waits for nobody who makes another suite', async () => {
  const report = { suiteName: named('known'), results: [result('One', true)] };
  const { projectId } = (await ingest('report', report)).body;
  const database = await service.database.connect();
  onTestFinished(() => database.end());
  await database.query('begin');
  await database.query(
    `select pg_advisory_xact_lock(hashtextextended('eval-suite-names ' || $1::text, 4700))`,
    [projectId],
  );
  expect((await ingest('report', report)).status).toBe(200);
});

describe('what cannot be reckoned with', () => {
  test('is left out of comparisons', async () => {
    const suiteName = named('scores');
    const values = ['abc', true, { a: 1 }, null, 1e308, 1e308, -1e308, 3, 5];
    const scores = values.map((value) => ({ scorerId: 'x', status: 'scored', value, passed: true }));
    const report = { suiteName, results: [result('One', true, { scores })] };
    await ingest('report', report);
    const { projectId, runId } = (await ingest('report', report)).body;
    const { status, body } = await service.get(`/projects/${projectId}/eval-runs/${runId}/compare`);
    expect(status).toBe(200);
    expect(body.scoreContract.scorers).toMatchObject([{ scorerId: 'x', meanValue: { base: 4, compare: 4 } }]);
  });

  test('is refused when sums would be wrong', async () => {
    const suiteName = named('tokens');
    const of = (tokens: number) =>
      Array.from({ length: 1_000 }, () => result('One', true, { tokens: { input: tokens, output: tokens } }));
    const { runId, projectId } = (await ingest('runs/start', { suiteName })).body;
    expect(await ingest('runs/iterations', { runId, results: of(Number.MAX_SAFE_INTEGER) })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('results.0.tokens.input') },
    });
    for (let nth = 0; nth < 3; nth++)
      expect((await ingest('runs/iterations', { runId, results: of(100_000_000_000) })).status).toBe(200);
    expect((await ingest('runs/finalize', { runId })).status).toBe(200);
    const run = await get(`/projects/${projectId}/eval-runs/${runId}`);
    expect(run.usage.totalTokens).toBe(600_000_000_000_000);
  });
});

test.each([
  ['text', 'text', { raw: 'text', messages: [] }],
  ['a list of anything', [1, 'x', null], { raw: [1, 'x', null], messages: [] }],
  ['messages that are none', { messages: 5 }, { raw: { messages: 5 }, messages: [] }],
  ['spans that are none', { spans: [7] }, { raw: { spans: [7] }, messages: [] }],
  ['spans of another kind', { spans: [{ id: 1, startMs: 'x' }] }, { spans: [{ id: 1 }], messages: [] }],
  ['another version', { traceVersion: 7, messages: [{ role: 'user' }] }, { messages: [{ role: 'user' }] }],
])('a trace that is %s can be read and exported', async (_, trace, stored) => {
  const { body } = await ingest('report', {
    suiteName: named('traces'),
    results: [result('One', true, { trace })],
  });
  const run = `/projects/${body.projectId}/eval-runs/${body.runId}`;
  const [iteration] = (await get(`${run}/iterations`)).items;
  const read = await service.get(`${run}/iterations/${iteration.id}/trace`);
  expect(read).toMatchObject({ status: 200, body: { traceVersion: 1, ...stored } });
  const exported = await service.get(`/trace-exports/otlp?projectId=${body.projectId}&includeContent=true`);
  expect(exported.status).toBe(200);
  expect(exported.text).toContain(body.runId);
});

describe('a body of the largest size', () => {
  test.each([
    ['numbers', `[${'1,'.repeat(2_900_000)}1]`, 'more than 250,000 JSON elements'],
    ['objects', `[${'{},'.repeat(1_900_000)}{}]`, 'more than 250,000 JSON elements'],
    [
      'keys',
      `{${Array.from({ length: 200_000 }, (_, n) => `"k${n}":1`).join(',')}}`,
      'a JSON object of more than 10,000 keys',
    ],
  ])('of nothing but %s is refused', async (_, trace, problem) => {
    const { runId } = (await ingest('runs/start', { suiteName: named('many') })).body;
    const body = `{"runId":"${runId}","results":[{"caseTitle":"One","passed":true,"trace":${trace}}]}`;
    expect(await ingest('runs/iterations', body)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(problem) },
    });
  });

  test('may come again and again: what is kept of a run for each part stays small', async () => {
    const { runId } = (await ingest('runs/start', { suiteName: named('growth') })).body;
    const send = (nth: number) =>
      ingest('runs/iterations', {
        runId,
        results: Array.from({ length: 28 }, (_, n) =>
          result(`Case ${nth} ${n}`, true, {
            query: 'q'.repeat(99_000),
            expectedOutput: 'o'.repeat(99_000),
          }),
        ),
      });
    for (let nth = 0; nth < 4; nth++) expect((await send(nth)).status).toBe(200);
    const database = await service.database.connect();
    const { rows } = await database.query<{ length: number }>(
      `select length(snapshot::text) from eval_run_snapshots where run_id = $1`,
      [runId],
    );
    await database.end();
    expect(rows[0]?.length).toBeLessThan(4 * 28 * 3_000);
  });

  test('holds no more scores than can be compared', async () => {
    const scores = Array.from({ length: 1_000 }, (_, n) => ({ scorerId: `s${n}` }));
    const { runId } = (await ingest('runs/start', { suiteName: named('many scores') })).body;
    const send = () =>
      ingest('runs/iterations', {
        runId,
        results: Array.from({ length: 60 }, () => result('One', true, { scores })),
      });
    expect((await send()).status).toBe(200);
    expect(await send()).toMatchObject({
      status: 409,
      body: { details: { reason: 'LIMIT_REACHED', limit: 100_000 } },
    });
    expect((await ingest('runs/finalize', { runId })).body.summary.total).toBe(60);
  });
});

describe('what lists of runs and trials show of each', () => {
  const large = 'x'.repeat(140_000);

  test.each([
    ['metadata', { runMetadata: { large } }, 'runMetadata'],
    ['CI metadata', { ci: { large } }, 'ci'],
    ['scores', { results: [result('One', true, { scores: [{ large }] })] }, 'The result One'],
    [
      'tool calls',
      {
        results: [
          result('One', true, {
            externalIterationId: 'i-1',
            actualToolCalls: [{ toolName: 'a', arguments: { large } }],
          }),
        ],
      },
      'The result i-1',
    ],
  ])('is small: %s', async (_, over, why) => {
    const suiteName = named('large');
    const report = { suiteName, results: [result('One', true)], ...over };
    expect(await ingest('report', report)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', message: expect.stringContaining(why) },
    });
    const suites = await get(`/projects/${await service.defaultProject()}/eval-suites?limit=100`);
    expect(suites.items.map(({ name }: { name: string }) => name)).not.toContain(suiteName);
  });

  test('is small: all evaluations of a run', async () => {
    const { runId } = (
      await ingest('report', { suiteName: named('evaluated'), results: [result('One', true)] })
    ).body;
    const send = (nth: number) =>
      ingest('runs/evaluations', {
        runId,
        evaluations: [0, 1, 2].map((n) => ({ caseTitle: `Case ${nth} ${n}`, large: 'x'.repeat(65_000) })),
      });
    const statuses: number[] = [];
    for (let nth = 0; nth < 22; nth++) statuses.push((await send(nth)).status);
    expect(statuses).toEqual([...Array<number>(21).fill(200), 409]);
    expect((await send(20)).body).toMatchObject({ persistedCases: 0 });
  });
});

describe('what a run refers to', () => {
  const upload = () =>
    service.request('POST', '/projects/default/eval-ingest/artifacts', {
      body: Buffer.from('<b>widget</b>'),
      headers: { 'content-type': 'text/html' },
    });
  const reportOf = (suiteName: string, rest: object) =>
    ingest('report', { suiteName, results: [result('One', true, rest)] });

  test('is not removed, even if it is found unused at that moment', async () => {
    const { storageId } = (await upload()).body;
    const { body } = await reportOf(named('refers'), {});
    const database = await service.database.connect();
    await database.query(`update blobs set unused_since = now() - interval '2 days' where id = $1`, [
      storageId,
    ]);
    await database.query('begin');
    await database.query('update blobs set unused_since = null where id = $1', [storageId]);
    await database.query('insert into eval_artifact_refs (run_id, blob_id) values ($1, $2)', [
      body.runId,
      storageId,
    ]);
    const removing = service.db.rows(blobRows.removeUnused);
    await vi.waitFor(async () => {
      const { rows } = await database.query('select 1 from pg_locks where not granted');
      expect(rows).not.toHaveLength(0);
    });
    await database.query('commit');
    expect(await removing).toEqual([]);
    await database.end();
    expect((await service.get(`/projects/default/eval-ingest/artifacts/${storageId}`)).status).toBe(200);
  });

  test('is no trace of another run', async () => {
    const traced = await reportOf(named('traced'), { trace: 't'.repeat(100_000) });
    const database = await service.database.connect();
    const { rows } = await database.query<{ id: string }>(
      'select blob_id as id from eval_traces where run_id = $1',
      [traced.body.runId],
    );
    const id = rows[0]?.id as string;
    expect((await reportOf(named('thief'), { trace: { blob: id } })).status).toBe(200);
    const refs = await database.query('select 1 from eval_artifact_refs where blob_id = $1', [id]);
    expect(refs.rowCount).toBe(0);
    await database.end();
  });
});
