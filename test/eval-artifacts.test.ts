import { describe, expect, test, vi } from 'vitest';
import { housekeeping } from '../src/domain/retention/housekeeping.ts';
import { type Ingesting, ingesting, named, result } from './support/ingesting.ts';
import { within } from './support/path-parameters.ts';
import type { Answer, TestService } from './support/service.ts';

/** Reports of test runners, artifacts and what else belongs to runs that ran elsewhere. */

let service: TestService;
let ingest: Ingesting['ingest'];
let get: Ingesting['get'];
ingesting((parts) => {
  ({ service, ingest, get } = parts);
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
    // A test maps to the same case regardless of the runner.
    const cases = (await get(`${project}/eval-suites/${first.body.suiteId}/cases`)).items;
    expect(cases.map(({ title }: { title: string }) => title)).toEqual(['math > adds', 'math > divides']);
  });

  test.each([
    ['no report', 'hello', 'Not valid JSON'],
    ['another document', '<html></html>', 'JUnit'],
    [
      'nothing that ran',
      '<testsuite><testcase name="a"><skipped/></testcase></testsuite>',
      'no executed tests',
    ],
    ['broken off', junit.slice(0, 200), 'Not valid XML'],
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

test('an empty artifact is refused', async () => {
  const answer = await upload('', 'text/html');
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  expect(answer.body.message).toContain('is empty');
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
  // An artifact with equal content is deduplicated under another ID.
  const externalRunId = named('run');
  const widget = (content: string) =>
    upload(content, 'text/html').then(({ body }) =>
      ingest('report', {
        suiteName: 'widgets again',
        externalRunId,
        results: [result('Renders', true, { widgetSnapshots: [{ widgetHtmlBlobId: body.storageId }] })],
      }),
    );
  const once = await widget('<i>same</i>');
  expect((await widget('<i>same</i>')).body).toMatchObject({ runId: once.body.runId, reused: true });
  expect((await widget('<i>other</i>')).status).toBe(409);
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
  });
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

test('a reported trace leads to a recording that its project keeps, and to no other', async () => {
  const elsewhere = (await service.post('/projects', { name: named('elsewhere') })).body.id as string;
  const film = { body: Buffer.from('film'), headers: { 'content-type': 'video/webm' } };
  const [own, others] = await Promise.all(
    ['default', elsewhere].map(
      async (project) =>
        (await service.request('POST', `/projects/${project}/eval-ingest/artifacts`, film)).body.storageId,
    ),
  );
  const widgetSnapshots = [own, others].map((videoBlobId) => ({ videoBlobId, videoKind: 'webm' }));
  const trace = { messages: [], videoBlobId: others };
  const { body } = await ingest('report', {
    suiteName: named('films'),
    results: [result('Filmed', true, { trace, widgetSnapshots })],
  });
  const run = `/projects/${body.projectId}/eval-runs/${body.runId}/iterations`;
  const [iteration] = (await get(run)).items;
  const told = await get(`${run}/${iteration.id}/trace`);
  expect(told.widgetSnapshots).toEqual([
    { ...widgetSnapshots[0], videoUrl: expect.any(String) },
    widgetSnapshots[1],
  ]);
  expect(told).not.toHaveProperty('videoUrl');
  expect(await (await fetch(told.widgetSnapshots[0].videoUrl)).text()).toBe('film');
});
