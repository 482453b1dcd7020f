import { afterAll, beforeAll, expect, test } from 'vitest';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let project: string;

beforeAll(async () => {
  service = await startTestService();
  project = `/projects/${await service.defaultProject()}`;
});
afterAll(() => dispose(service));

const ingest = (path: string, body: unknown) => service.post(`${project}/conformance-ingest/${path}`, body);
const report = { outcome: 'passed', groups: [{ id: 'g', cases: [{ id: 'c', status: 'passed' }] }] };
const header = { target: { kind: 'external', serverRef: 'weather' } };
const started = async (): Promise<string> =>
  (await ingest('runs/start', { ...header, requestedSuites: ['protocol', 'apps'] })).body.runId;

test('a name that runs of this place have is not given to one from elsewhere', async () => {
  const url = await service.demoUrl();
  const { id } = (await service.post(`${project}/servers`, { name: 'squatted', url })).body;
  const externalRunId = `api:${project.split('/').at(-1)}:${id}:build-1`;
  const taken = await ingest('report', {
    ...header,
    externalRunId,
    reports: [{ suiteKind: 'protocol', report }],
  });
  const run = await service.post(`${project}/servers/${id}/conformance-runs`, {
    idempotencyKey: 'build-1',
    suites: ['tasks'],
  });
  expect(run).toMatchObject({ body: { deduped: false, serverId: id } });
  expect(taken).toMatchObject({ status: 409, body: { details: { code: 'NOT_AN_INGESTED_RUN' } } });
});

test('a report that is added while its run is finalized counts, or is refused', async () => {
  for (let nth = 0; nth < 8; nth++) {
    const runId = await started();
    const add = (suiteKind: string) => ingest('runs/reports', { runId, suiteKind, report });
    await add('protocol');
    const [added, ended] = await Promise.all([add('apps'), ingest('runs/finalize', { runId }), add('apps')]);
    expect([200, 409]).toContain(added?.status);
    const { body } = await service.get(`${project}/conformance-runs/${runId}`);
    const both = body.suites.every(({ status }: { status: string }) => status === 'completed');
    expect(body).toMatchObject({ status: 'completed', outcome: both ? 'passed' : 'incomplete' });
    expect(ended?.body.outcome).toBe(body.outcome);
  }
});

test('the same report with its keys in another order is the same', async () => {
  const runId = await started();
  const turned = { groups: [{ cases: [{ status: 'passed', id: 'c' }], id: 'g' }], outcome: 'passed' };
  await ingest('runs/reports', { runId, suiteKind: 'protocol', report });
  expect(await ingest('runs/reports', { runId, suiteKind: 'protocol', report: turned })).toMatchObject({
    status: 200,
    body: { reused: true },
  });
});

test.each([
  ['a NUL character', { ...report, name: 'a\0b' }, 400],
  [
    '10,001 cases',
    {
      outcome: 'passed',
      groups: [{ id: 'g', cases: Array.from({ length: 10_001 }, () => ({ id: 'c', status: 'passed' })) }],
    },
    400,
  ],
  [
    '10,000 cases',
    {
      outcome: 'failed',
      groups: [{ id: 'g', cases: Array.from({ length: 10_000 }, () => ({ id: 'c', status: 'failed' })) }],
    },
    200,
  ],
  ['many levels', { ...report, x: JSON.parse('['.repeat(80) + ']'.repeat(80)) as unknown }, 400],
])('a report with %s is taken or refused as a whole', async (_, one, status) => {
  const runId = await started();
  const answer = await ingest('runs/reports', { runId, suiteKind: 'protocol', report: one });
  expect(answer.status).toBe(status);
  const shown = await service.get(`${project}/conformance-runs/${runId}/report`);
  expect(shown.status === 200 ? shown.body.checks.length : shown.status).toBe(status === 200 ? 50 : 404);
});

test('a server that is deleted meanwhile', async () => {
  for (let nth = 0; nth < 4; nth++) {
    const { id } = (
      await service.post(`${project}/servers`, { name: `gone ${nth}`, url: await service.demoUrl() })
    ).body;
    const target = { kind: 'server', serverId: id };
    const go = () => ingest('runs/start', { target, requestedSuites: ['protocol'] });
    const all = await Promise.all([
      go(),
      go(),
      service.delete(`${project}/servers/${id}`, { body: {} }),
      go(),
      go(),
    ]);
    for (const { status } of all) expect([200, 400, 404]).toContain(status);
  }
});
