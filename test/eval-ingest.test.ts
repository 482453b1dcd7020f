import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { housekeeping } from '../src/domain/housekeeping.ts';
import { within } from './support/path-parameters.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';

/** Results of runs that ran elsewhere, as reporters send them. */

let service: TestService;
const ingest = (path: string, body: object, project = 'default'): Promise<Answer> =>
  service.post(`/projects/${project}/eval-ingest/${path}`, body);
const get = async (path: string) => (await service.get(path)).body;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));

let names = 0;
const named = (prefix: string): string => `${prefix} ${++names}`;
const result = (caseTitle: string, passed: boolean, rest: object = {}) => ({ caseTitle, passed, ...rest });

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

const upload = (content: string, type: string): Promise<Answer> =>
  service.request('POST', '/projects/default/eval-ingest/artifacts', {
    body: Buffer.from(content),
    headers: { 'content-type': type },
  });

const junit = `<?xml version="1.0"?>
<testsuites><testsuite name="math" file="math.test.ts">
  <testcase name="adds" time="0.012"/>
  <testcase name="divides" time="0.5"><failure message="expected 2">at line 7</failure></testcase>
  <testcase name="later"><skipped/></testcase>
</testsuite></testsuites>`;
const vitest = JSON.stringify({
  testResults: [
    {
      name: 'math.test.ts',
      status: 'passed',
      assertionResults: [{ ancestorTitles: ['math'], title: 'adds', status: 'passed', duration: 3 }],
    },
  ],
});

describe('a report of a test runner', () => {
  test('becomes a run with its tests as iterations, once', async () => {
    const suiteName = named('junit');
    const report = { suiteName, externalRunId: named('run'), ci: { commitSha: 'abc' } };
    const send = async (content: string, body: object) => {
      const { storageId } = (await upload(content, 'application/xml')).body;
      return { storageId, ...(await ingest(`artifacts/${storageId}/report`, body)) };
    };
    const first = await send(junit, report);
    expect(first).toMatchObject({
      status: 200,
      body: {
        ok: true,
        result: 'failed',
        summary: { total: 2, passed: 1, failed: 1 },
        tests: { reported: 2, skipped: 1 },
      },
    });
    const project = `/projects/${first.body.projectId}`;
    const { items } = await get(`${project}/eval-runs/${first.body.runId}/iterations`);
    expect(items).toMatchObject([
      { title: 'math > adds', result: 'passed', durationMs: 12 },
      { title: 'math > divides', result: 'failed', error: expect.stringContaining('expected 2') },
    ]);
    // A job that is run again uploads the same report again.
    expect((await send(junit, report)).body).toMatchObject({ runId: first.body.runId, reused: true });
    expect(await send(junit.replace('expected 2', 'expected 3'), report)).toMatchObject({
      status: 409,
      body: { details: { reason: 'EXTERNAL_RUN_CONFLICT' } },
    });
    const begun = (await ingest('runs/start', { suiteName })).body;
    expect((await send(vitest, { runId: begun.runId })).body).toMatchObject({
      runId: begun.runId,
      status: 'running',
      tests: { reported: 1, skipped: 0 },
    });
    // The same test is the same case, whoever ran it.
    const cases = (await get(`${project}/eval-suites/${first.body.suiteId}/cases`)).items;
    expect(cases.map(({ title }: { title: string }) => title)).toEqual(['math > adds', 'math > divides']);
  });

  test.each([
    ['no report', 'hello', 'no JSON'],
    ['another document', '<html></html>', 'JUnit'],
    ['nothing that ran', '<testsuite><testcase name="a"><skipped/></testcase></testsuite>', 'no test'],
    ['broken off', junit.slice(0, 200), 'no XML'],
    ['JSON of something else', '{"a":1}', 'Vitest'],
  ])('is refused when it is %s, and makes no run', async (_, content, why) => {
    const { storageId } = (await upload(content, 'text/plain')).body;
    const suiteName = named('unreadable');
    expect(await ingest(`artifacts/${storageId}/report`, { suiteName })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', message: expect.stringContaining(why) },
    });
    const project = await service.defaultProject();
    const { items } = await get(`/projects/${project}/eval-suites?limit=100`);
    expect(items.map(({ name }: { name: string }) => name)).not.toContain(suiteName);
  });

  test('needs to know whether it is a run of its own', async () => {
    const { storageId } = (await upload(junit, 'text/xml')).body;
    for (const body of [{}, { suiteName: 'a', runId: 'run_b' }])
      expect((await ingest(`artifacts/${storageId}/report`, body)).status).toBe(400);
    expect((await ingest('artifacts/blob_unknown/report', { suiteName: 'a' })).status).toBe(404);
  });
});

describe('an address for an artifact', () => {
  test('takes one upload without a key, and shows it for a while', async () => {
    const minted = await ingest('artifacts/upload-url', {});
    expect(minted).toMatchObject({ status: 200, body: { ok: true, expiresAt: expect.any(Number) } });
    const { uploadUrl } = minted.body;
    const post = () =>
      fetch(uploadUrl, { method: 'POST', body: '<b>widget</b>', headers: { 'content-type': 'text/html' } });
    const answers = await Promise.all([post(), post(), post()]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 404, 404]);
    const stored = answers.find(({ ok }) => ok) as Response;
    const { storageId } = (await stored.json()) as { storageId: string };
    expect((await post()).status).toBe(404);

    const { body } = await service.post(`/projects/default/eval-ingest/artifacts/${storageId}/link`);
    const shown = await fetch(body.url);
    expect([shown.status, shown.headers.get('content-type'), await shown.text()]).toEqual([
      200,
      'text/html',
      '<b>widget</b>',
    ]);
    expect(shown.headers.get('content-security-policy')).toContain('sandbox');
    const token = body.url.split('/').at(-1) as string;
    expect(service.logs.join('')).not.toContain(token);
    expect(service.logs.join('')).not.toContain(uploadUrl.split('/').at(-1));
    await within(service, `update artifact_links set expires_at = now()`, []);
    expect((await fetch(body.url)).status).toBe(404);
    // One kind does not do for the other.
    const other = (await ingest('artifacts/upload-url', {})).body.uploadUrl as string;
    expect((await fetch(other.replace('artifact-uploads', 'artifact-links'))).status).toBe(404);
  });

  test('ends with the access of whoever made it', async () => {
    const { key, userId } = await service.member('admin');
    const minted = await service.request('POST', '/projects/default/eval-ingest/artifacts/upload-url', {
      key,
      body: {},
    });
    expect(minted.status).toBe(200);
    await within(service, `delete from organization_members where user_id = $1`, [userId]);
    const answer = await fetch(minted.body.uploadUrl, { method: 'POST', body: 'late' });
    expect([401, 403, 404]).toContain(answer.status);
  });
});

test('an artifact that no run refers to is removed after a day, and one that a run refers to is not', async () => {
  const [used, unused] = await Promise.all([upload('a', 'text/html'), upload('b', 'text/html')]);
  const report = await ingest('report', {
    suiteName: named('widgets'),
    results: [
      result('Renders', true, {
        widgetSnapshots: [{ toolName: 'show', widgetHtmlBlobId: used.body.storageId }],
      }),
    ],
  });
  expect(report.status).toBe(200);
  const { items } = await get(`/projects/${report.body.projectId}/eval-runs/${report.body.runId}/iterations`);
  const trace = await get(
    `/projects/${report.body.projectId}/eval-runs/${report.body.runId}/iterations/${items[0].id}/trace`,
  );
  expect(trace.widgetSnapshots[0].widgetHtmlBlobId).toBe(used.body.storageId);
  const sweep = async () => {
    await within(service, `update blobs set unused_since = unused_since - interval '2 days'`, []);
    const sweeping = housekeeping(service.running.services);
    const job = sweeping.find(({ kind }) => kind === 'remove-unused-artifacts');
    await job?.handle({}, AbortSignal.timeout(10_000), undefined);
  };
  const there = async ({ body }: Answer) =>
    (await service.get(`/projects/default/eval-ingest/artifacts/${body.storageId}`)).status;
  await sweep();
  expect([await there(used), await there(unused)]).toEqual([200, 404]);
  // With its last run it is nobody's again.
  await service.delete(`/projects/${report.body.projectId}/eval-suites/${report.body.suiteId}`);
  await vi.waitFor(async () => {
    await sweep();
    expect(await there(used)).toBe(404);
  }, 20_000);
});

test('evaluations of whole cases stand beside the verdict', async () => {
  const externalRunId = named('run');
  const { runId, projectId } = (
    await ingest('report', { suiteName: named('cases'), externalRunId, results: [result('One', true)] })
  ).body;
  const evaluate = (evaluations: object[], external = externalRunId) =>
    ingest('runs/evaluations', { runId, externalRunId: external, evaluations });
  const one = { caseTitle: 'One', scores: [], note: 'stable over ten runs' };
  expect((await evaluate([one])).body).toEqual({ ok: true, runId, persistedCases: 1 });
  expect((await evaluate([one])).body.persistedCases).toBe(0);
  expect(await evaluate([{ ...one, note: 'other' }])).toMatchObject({
    status: 409,
    body: { details: { reason: 'EVALUATION_CONFLICT' } },
  });
  expect((await evaluate([one], 'somebody else')).status).toBe(409);
  for (const [bad, why] of [
    [{ scores: [] }, 'caseId'],
    [{ caseTitle: 'big', text: 'x'.repeat(70_000) }, '65,536'],
    [
      {
        caseTitle: 'a',
        evaluationConfig: { hash: 'h', definitions: [{ scorerId: 's', role: 'gating' }] },
      },
      'advisory',
    ],
    [
      {
        caseTitle: 'a',
        evaluationConfig: { hash: 'h', definitions: [{ scorerId: 's', role: 'advisory' }] },
      },
      'hashes',
    ],
  ] as const)
    expect(await evaluate([bad])).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(why) },
    });
  const run = await get(`/projects/${projectId}/eval-runs/${runId}`);
  expect(run).toMatchObject({ result: 'passed', runEvaluationsByCase: [one] });
});
