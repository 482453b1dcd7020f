import { describe, expect, test } from 'vitest';
import { type Ingesting, ingesting, named, result } from './support/ingesting.ts';
import type { TestService } from './support/service.ts';

/** Results of runs that ran elsewhere, as reporters send them. */

let service: TestService;
let ingest: Ingesting['ingest'];
let get: Ingesting['get'];
ingesting((parts) => {
  ({ service, ingest, get } = parts);
});

describe('a whole run', () => {
  test('is stored with its suite, its cases and its traces, and reads like one of ours', async () => {
    const suiteName = named('reported');
    const { status, body } = await ingest('report', {
      suiteName,
      externalRunId: named('run'),
      framework: 'vitest',
      ci: { provider: 'github', branch: 'main', commitSha: 'abc123' },
      tags: ['nightly'],
      passCriteria: { minimumPassRate: 50 },
      results: [
        result('Adds', true, {
          query: 'Add 1 and 2',
          model: 'gpt-x',
          provider: 'openai',
          durationMs: 12.4,
          tokens: { input: 10, output: 5, total: 15 },
          actualToolCalls: [{ toolName: 'add', arguments: { a: 1 } }],
          trace: [{ role: 'user', content: 'Add 1 and 2' }],
          somethingNew: true,
        }),
        result('Adds', false, { query: 'Add 1 and 2', model: 'gpt-x', provider: 'openai', error: 'said 4' }),
      ],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: true,
      status: 'completed',
      result: 'passed',
      summary: { total: 2, passed: 1, failed: 1, passRate: 0.5 },
    });
    const project = `/projects/${body.projectId}`;
    const run = await get(`${project}/eval-runs/${body.runId}`);
    expect(run).toMatchObject({
      source: 'sdk',
      tags: ['nightly'],
      ciMetadata: { commitSha: 'abc123' },
      decision: { verdict: 'passed', passRate: 0.5 },
      usage: { totalTokens: 15, estimatedCostUsd: null },
      statistics: { cases: [{ title: 'Adds', passed: 1, trials: 2, flaky: true }] },
    });
    const { items } = await get(`${project}/eval-runs/${body.runId}/iterations`);
    expect(items).toMatchObject([
      {
        title: 'Adds',
        iterationNumber: 1,
        result: 'passed',
        model: 'gpt-x',
        durationMs: 12,
        tokensUsed: 15,
        actualToolCalls: [{ toolName: 'add', arguments: { a: 1 } }],
      },
      { iterationNumber: 2, result: 'failed', error: 'said 4' },
    ]);
    const trace = await get(`${project}/eval-runs/${body.runId}/iterations/${items[0].id}/trace`);
    expect(trace).toMatchObject({ traceVersion: 1, messages: [{ role: 'user' }] });
    const suite = await get(`${project}/eval-suites/${body.suiteId}`);
    expect(suite).toMatchObject({ name: suiteName, managedBy: 'ci' });
    const cases = await get(`${project}/eval-suites/${body.suiteId}/cases`);
    expect(cases.items).toMatchObject([{ title: 'Adds', steps: [{ prompt: 'Add 1 and 2' }] }]);
  });

  test('that is sent again is the same run, and another one under its name is refused', async () => {
    const report = {
      suiteName: named('again'),
      externalRunId: named('run'),
      results: [result('One', true), result('Two', false)],
    };
    const first = await ingest('report', report);
    const again = await Promise.all([1, 2, 3].map(() => ingest('report', report)));
    for (const { status, body } of again)
      expect([status, body]).toEqual([200, { ...first.body, reused: true }]);
    expect(await ingest('report', { ...report, results: [result('One', false)] })).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', details: { reason: 'EXTERNAL_RUN_CONFLICT', runId: first.body.runId } },
    });
    const { items } = await get(`/projects/${first.body.projectId}/eval-suites/${first.body.suiteId}/runs`);
    expect(items).toHaveLength(1);
  });

  test('of many at once makes one suite and one run', async () => {
    const report = { suiteName: named('race'), externalRunId: named('run'), results: [result('One', true)] };
    const answers = await Promise.all(Array.from({ length: 8 }, () => ingest('report', report)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(answers.map(({ body }) => `${body.suiteId} ${body.runId}`)).size).toBe(1);
  });
});

test('a published reporter reaches it under the path it knows, and is told why not', async () => {
  const { origin } = new URL(service.running.baseUrl);
  const send = (path: string, body: object) =>
    fetch(`${origin}/sdk/v1/evals/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const report = { suiteName: named('sdk'), externalRunId: named('run'), results: [result('One', true)] };
  const answer = await send('report', report);
  expect([answer.status, await answer.json()]).toEqual([
    200,
    expect.objectContaining({ ok: true, result: 'passed' }),
  ]);
  const refused = await send('report', { ...report, results: [result('Two', true)] });
  const { error, message } = (await refused.json()) as Record<string, string>;
  expect([refused.status, error]).toEqual([409, message]);
  expect((await (await send('artifacts/upload-url', {})).json()) as object).toHaveProperty('uploadUrl');
});

describe('a run in parts', () => {
  test('of 205 results arrives whole, each once', async () => {
    const header = { suiteName: named('parts'), externalRunId: named('run'), expectedIterations: 205 };
    const { body: started } = await ingest('runs/start', header);
    expect(started).toMatchObject({ ok: true, runId: expect.any(String) });
    expect((await ingest('runs/start', header)).body).toMatchObject({
      runId: started.runId,
      reused: true,
      status: 'pending',
    });
    const all = Array.from({ length: 205 }, (_, n) =>
      result(`Case ${n % 41}`, n % 5 !== 0, { externalIterationId: `i-${n}`, durationMs: n }),
    );
    const send = (from: number, to: number) =>
      ingest('runs/iterations', { runId: started.runId, results: all.slice(from, to) });
    expect((await send(0, 200)).body).toEqual({ ok: true, inserted: 200, skipped: 0, total: 200 });
    expect((await send(190, 205)).body).toEqual({ ok: true, inserted: 5, skipped: 10, total: 205 });
    expect(
      await ingest('runs/iterations', {
        runId: started.runId,
        results: [result('New', true), { ...all[3], passed: false }],
      }),
    ).toMatchObject({ status: 409, body: { details: { externalIterationId: 'i-3' } } });
    const ends = await Promise.all(
      [1, 2].map(() =>
        ingest('runs/finalize', { runId: started.runId, externalRunId: header.externalRunId }),
      ),
    );
    for (const { status, body } of ends)
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({
          result: 'failed',
          summary: { total: 205, passed: 164, failed: 41, passRate: 0.8 },
        }),
      ]);
    expect(await send(0, 1)).toMatchObject({ status: 409, body: { details: { reason: 'RUN_IS_OVER' } } });
    expect((await ingest('runs/start', header)).body).toMatchObject({
      status: 'completed',
      result: 'failed',
    });
    const { items } = await get(
      `/projects/${started.projectId}/eval-runs/${started.runId}/iterations?limit=200`,
    );
    expect(items).toHaveLength(200);
    const { cases } = (await get(`/projects/${started.projectId}/eval-runs/${started.runId}`)).statistics;
    expect(cases).toHaveLength(41);
    expect(cases.every(({ trials }: { trials: number }) => trials === 5)).toBe(true);
  });
});

describe('two reported runs', () => {
  test('are compared case by case', async () => {
    const suiteName = named('compared');
    const reported = async (commitSha: string, passes: Record<string, number>) => {
      const results = Object.entries(passes).flatMap(([title, passed]) =>
        Array.from({ length: 5 }, (_, n) =>
          result(title, n < passed, { durationMs: 100 + n, error: n < passed ? null : `${title} broke` }),
        ),
      );
      return (await ingest('report', { suiteName, ci: { commitSha }, results })).body;
    };
    const first = await reported('aaaaaaa1', { Kept: 5, Broken: 5, Mended: 1, Gone: 5 });
    const second = await reported('bbbbbbb2', { Kept: 5, Broken: 1, Mended: 5, New: 5 });
    const compare = (runId: string, query = '') =>
      service.get(`/projects/${first.projectId}/eval-runs/${runId}/compare${query}`);
    const { status, body } = await compare(second.runId);
    expect(status).toBe(200);
    expect(body.baseline).toEqual({ policy: 'previous_completed', baseRunId: first.runId });
    expect(
      Object.fromEntries(body.cases.map((one: { title: string; status: string }) => [one.title, one.status])),
    ).toEqual({
      Kept: 'unchanged_passed',
      Broken: 'regressed',
      Mended: 'fixed',
      New: 'new_case',
      Gone: 'removed_case',
    });
    const broken = body.cases.find(({ title }: { title: string }) => title === 'Broken');
    expect(broken).toMatchObject({
      compare: { outcome: 'failed', passed: 1, trials: 5, error: 'Broken broke' },
      difference: { p: expect.closeTo(0.047619, 5), significant: false },
      metrics: { durationMs: { base: 102, compare: 102, delta: 0, percentDelta: 0 } },
    });
    expect(body.passSummary.passRatePercent).toMatchObject({ base: 80, compare: 80, delta: 0 });
    for (const query of [`?baseRunId=${first.runId}`, '?baseCommitSha=aaaaaaa'])
      expect((await compare(second.runId, query)).body.cases).toEqual(body.cases);
    expect(await compare(first.runId)).toMatchObject({
      status: 404,
      body: { details: { reason: 'BASELINE_NOT_FOUND' } },
    });
    expect((await compare(second.runId, '?baseRunId=x&baseCommitSha=y')).status).toBe(400);
  });
});
