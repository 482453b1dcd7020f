import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentRunsHandler } from '../src/domain/conformance-runs/silent.ts';
import type { Database } from '../src/platform/database/database.ts';
import { newId } from '../src/platform/ids.ts';
import { saveServer } from './support/live.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { tokenIn, Visitor } from './support/studies.ts';

let service: TestService;
let project: string;

beforeAll(async () => {
  service = await startTestService();
  project = await service.defaultProject();
});
afterAll(() => dispose(service));

const ingest = (path: string, body: object, at = 'default') =>
  service.post(`/projects/${at}/conformance-ingest/${path}`, body);
const read = (runId: string, more = '') =>
  service.get(`/projects/${project}/conformance-runs/${runId}${more}`);

const one = (id: string, status: string, more: object = {}) => ({
  id,
  title: `Check ${id}`,
  status,
  ...more,
});
const reportOf = (outcome: string, cases: object[], more: object = {}) => ({
  schemaVersion: 1,
  kind: 'protocol',
  name: 'Protocol',
  outcome,
  durationMs: 10.4,
  groups: [{ id: 'lifecycle', title: 'Lifecycle', target: 'x', durationMs: 1, cases }],
  ...more,
});
const header = { target: { kind: 'external', serverRef: 'weather' }, source: 'cli' };
const start = async (requestedSuites: string[], more: object = {}): Promise<string> => {
  const { status, text, body } = await ingest('runs/start', { ...header, requestedSuites, ...more });
  if (status !== 200) throw new Error(text);
  return body.runId as string;
};

describe('a whole run', () => {
  test('is stored with its reports, and says what failed, first what counts', async () => {
    const protocol = reportOf(
      'failed',
      [
        one('a', 'passed'),
        one('b', 'skipped', { skipReason: 'not declared' }),
        one('c', 'skipped', { skipReason: 'no time', couldNotRun: true }),
        one('d', 'failed', { pending: true }),
        one('e', 'failed', { category: 'lifecycle', error: { message: 'said 4' } }),
        one('f', 'passed'),
        one('g', 'passed', { somethingNew: [1] }),
      ],
      { profile: { id: '2025-11-25' } },
    );
    const { status, body } = await ingest('report', {
      ...header,
      actorLabel: 'build',
      ci: { branch: 'main' },
      reports: [
        { suiteKind: 'protocol', report: protocol, durationMs: 1_200 },
        {
          suiteKind: 'apps',
          report: reportOf('incomplete', [one('h', 'skipped')], { incompleteReason: 'gone' }),
        },
      ],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: true, projectId: project, outcome: 'failed', score: 75, reused: false });
    expect(body.runUrl).toBe(`${service.origin}/console/projects/${project}/conformance/${body.runId}`);
    const run = (await read(body.runId)).body;
    expect(run).toMatchObject({
      hosted: false,
      source: 'cli',
      status: 'completed',
      outcome: 'failed',
      score: 75,
      passed: 3,
      failed: 1,
      skipped: 3,
      pending: 1,
      ci: { branch: 'main' },
      suites: [
        {
          suiteKind: 'protocol',
          status: 'completed',
          outcome: 'failed',
          score: 75,
          profileId: '2025-11-25',
          totalCases: 7,
          durationMs: 1_200,
        },
        { suiteKind: 'apps', outcome: 'incomplete', score: null, incompleteReason: 'gone', durationMs: 10 },
      ],
    });
    const report = (await read(body.runId, '/report')).body;
    expect(report.checks.map(({ id }: { id: string }) => id)).toEqual(['e', 'd', 'h', 'c']);
    expect(report).toMatchObject({ totalCases: 8, totalFailingCases: 4, truncated: false, pending: 1 });
    expect(report.checks[0]).toMatchObject({
      status: 'failed',
      error: 'said 4',
      groupTitle: 'Lifecycle',
      pending: false,
    });
    expect(report.checks[1]).toMatchObject({ status: 'failed', pending: true });
  });

  test('may hold one report beside the rest', async () => {
    const { body } = await ingest('report', {
      ...header,
      suiteKind: 'tasks',
      report: reportOf('passed', [one('a', 'passed')]),
    });
    expect(body).toMatchObject({ outcome: 'passed', score: 100 });
  });

  test('is the same when it is sent again, and a conflict with another report', async () => {
    const whole = {
      ...header,
      externalRunId: newId('build'),
      reports: [{ suiteKind: 'protocol', report: reportOf('passed', [one('a', 'passed')]) }],
    };
    const answers = await Promise.all(Array.from({ length: 5 }, () => ingest('report', whole)));
    expect(new Set(answers.map(({ body }) => body.runId)).size).toBe(1);
    expect(answers.map(({ body }) => body.reused).filter((reused) => !reused)).toHaveLength(1);
    const other = {
      ...whole,
      reports: [{ suiteKind: 'protocol', report: reportOf('failed', [one('a', 'failed')]) }],
    };
    expect(await ingest('report', other)).toMatchObject({
      status: 409,
      body: { details: { reason: 'EXTERNAL_RUN_CONFLICT' } },
    });
    // The order of keys does not matter.
    const { outcome, ...rest } = whole.reports[0]?.report ?? {};
    const turned = { ...whole, reports: [{ report: { ...rest, outcome }, suiteKind: 'protocol' }] };
    expect((await ingest('report', turned)).body).toMatchObject({ reused: true });
  });

  test('ends a run that was begun under the same name', async () => {
    const externalRunId = newId('build');
    const runId = await start(['protocol'], { externalRunId });
    const { body } = await ingest('report', {
      ...header,
      externalRunId,
      suiteKind: 'protocol',
      report: reportOf('passed', [one('a', 'passed')]),
    });
    expect(body).toMatchObject({ runId, reused: true, outcome: 'passed' });
  });

  test('with a large report reads the same, and shows 50 checks at most', async () => {
    const cases = Array.from({ length: 9_999 }, (_, at) => one(`c${at}`, at % 2 ? 'failed' : 'passed'));
    const { body } = await ingest('report', {
      ...header,
      suiteKind: 'protocol',
      report: reportOf('failed', cases),
    });
    expect(body.score).toBe(50);
    const report = (await read(body.runId, '/report')).body;
    expect(report.checks).toHaveLength(50);
    expect(report).toMatchObject({ totalCases: 9_999, totalFailingCases: 4_999, truncated: true });
  });
});

describe('a run whose reports come one by one', () => {
  test('takes the same report again, refuses another one, and is over when it is finalized', async () => {
    const runId = await start(['protocol', 'apps']);
    const report = reportOf('passed', [one('a', 'passed'), one('b', 'passed')]);
    const add = (body: object) => ingest('runs/reports', { runId, suiteKind: 'protocol', report, ...body });
    expect((await add({})).body).toMatchObject({ ok: true, outcome: 'passed', score: 100, reused: false });
    expect((await add({})).body).toMatchObject({ ok: true, reused: true });
    const other = { report: reportOf('failed', [one('a', 'failed')]) };
    expect(await add(other)).toMatchObject({ status: 409, body: { details: { reason: 'REPORT_CONFLICT' } } });
    expect(await add({ suiteKind: 'tasks' })).toMatchObject({ status: 400 });
    expect((await read(runId)).body).toMatchObject({
      status: 'running',
      outcome: null,
      suites: [{ status: 'completed' }, { status: 'running' }],
    });
    expect((await ingest('runs/heartbeat', { runId })).body).toMatchObject({ ok: true, status: 'running' });
    const ended = (await ingest('runs/finalize', { runId })).body;
    expect(ended).toMatchObject({ ok: true, outcome: 'incomplete', score: 100 });
    expect((await ingest('runs/finalize', { runId })).body).toEqual(ended);
    const over = { status: 409, body: { details: { reason: 'RUN_IS_OVER' } } };
    expect(await add({})).toMatchObject(over);
    expect(await ingest('runs/heartbeat', { runId })).toMatchObject(over);
  });

  test.each([
    [['passed', 'passed'], 'passed'],
    [['passed', 'incomplete'], 'incomplete'],
    [['incomplete', 'failed'], 'failed'],
    [['passed', undefined], 'incomplete'],
    [['failed', undefined], 'failed'],
    [[undefined, undefined], 'incomplete'],
  ])('whose suites %j is %s', async (outcomes, outcome) => {
    const runId = await start(['protocol', 'apps']);
    for (const [at, said] of outcomes.entries())
      if (said)
        await ingest('runs/reports', {
          runId,
          suiteKind: ['protocol', 'apps'][at],
          report: reportOf(said, [one('a', said === 'failed' ? 'failed' : 'passed')]),
        });
    expect((await ingest('runs/finalize', { runId })).body.outcome).toBe(outcome);
  });

  test('is known by its name, whoever begins it first', async () => {
    const externalRunId = newId('build');
    const ids = await Promise.all(Array.from({ length: 5 }, () => start(['protocol'], { externalRunId })));
    expect(new Set(ids).size).toBe(1);
    const again = await ingest('runs/start', { ...header, requestedSuites: ['protocol'], externalRunId });
    expect(again.body).toMatchObject({ reused: true, runId: ids[0] });
  });

  test('has no report to read until one came', async () => {
    const runId = await start(['protocol']);
    expect(await read(runId, '/report')).toMatchObject({
      status: 404,
      body: { details: { reason: 'REPORT_NOT_AVAILABLE' } },
    });
  });

  test('that nothing is heard of for ten minutes is ended, and one that is heard of is not', async () => {
    const [silent, alive] = [await start(['protocol']), await start(['protocol'])];
    const age = (minutes: number, id: string) =>
      (service.db as Database).pool.query(
        `update conformance_runs set heard_at = now() - $1 * interval '1 minute' where id = $2`,
        [minutes, id],
      );
    await age(11, silent);
    await age(9, alive);
    await silentRunsHandler(service.running.services).handle({}, new AbortController().signal);
    expect((await read(silent)).body).toMatchObject({
      status: 'failed',
      outcome: 'incomplete',
      reason: 'silent',
      score: null,
    });
    expect((await read(alive)).body).toMatchObject({ status: 'running', outcome: null });
    expect((await ingest('runs/finalize', { runId: silent })).body).toMatchObject({
      outcome: 'incomplete',
      status: 'failed',
    });
  });
});

describe('what is refused, with nothing written', () => {
  const report = reportOf('passed', [one('a', 'passed')]);
  const fine = { ...header, suiteKind: 'protocol', report };
  test.each<[string, object]>([
    ['no target', { suiteKind: 'protocol', report }],
    ['an unknown target', { ...fine, target: { kind: 'planet' } }],
    ['a server that is not there', { ...fine, target: { kind: 'server', serverId: 'srv_nowhere' } }],
    ['an unknown source', { ...fine, source: 'fax' }],
    ['an unknown suite', { ...fine, suiteKind: 'speed' }],
    ['no report', header],
    ['both forms', { ...fine, reports: [{ suiteKind: 'apps', report }] }],
    [
      'a suite twice',
      {
        ...header,
        reports: [
          { suiteKind: 'apps', report },
          { suiteKind: 'apps', report },
        ],
      },
    ],
    ['no outcome', { ...fine, report: { groups: [] } }],
    ['another version', { ...fine, report: { ...report, schemaVersion: 2 } }],
    ['an unknown status', { ...fine, report: reportOf('passed', [one('a', 'fine')]) }],
    ['a suite that was not requested', { ...fine, requestedSuites: ['apps'] }],
    [
      '501 groups',
      {
        ...fine,
        report: { outcome: 'passed', groups: Array.from({ length: 501 }, () => ({ id: 'g', cases: [] })) },
      },
    ],
    [
      '10,001 cases',
      {
        ...fine,
        report: {
          outcome: 'passed',
          groups: [5_000, 5_001].map((length) => ({
            id: 'g',
            cases: Array.from({ length }, () => one('a', 'passed')),
          })),
        },
      },
    ],
    ['a long id', { ...fine, report: reportOf('passed', [one('x'.repeat(501), 'passed')]) }],
    ['much about the build', { ...fine, ci: { text: 'x'.repeat(20_000) } }],
  ])('%s', async (_, body) => {
    const count = async (): Promise<number> =>
      (await (service.db as Database).pool.query('select count(*)::int as count from conformance_runs'))
        .rows[0].count;
    const before = await count();
    expect(await ingest('report', body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(await count()).toBe(before);
  });

  test('a body of more than 6 MiB', async () => {
    const cases = [one('a', 'passed', { note: 'x'.repeat(7 * 1024 * 1024) })];
    expect((await ingest('report', { ...fine, report: reportOf('passed', cases) })).status).toBe(400);
  });
});

test('a saved server is named, and its address is kept without what may be secret', async () => {
  const saved = await saveServer(service, { url: await service.demoUrl() });
  const target = {
    kind: 'server',
    serverId: saved.id,
    serverUrl: 'https://me:secret1@host.example/mcp?k=secret2',
  };
  const { body } = await ingest('report', {
    ...header,
    target,
    suiteKind: 'protocol',
    report: reportOf('passed', []),
  });
  const run = (await read(body.runId)).body;
  expect(run).toMatchObject({
    serverId: saved.id,
    score: null,
    target: { serverUrl: 'https://host.example/mcp' },
  });
  const listed = (query: string) => service.get(`/projects/${project}/conformance-runs?${query}`);
  expect((await listed(`serverId=${saved.id}`)).body.items).toEqual([run]);
  const [first, second] = [(await listed('limit=1')).body, (await listed('limit=2')).body];
  expect(first.items[0].id).toBe(body.runId);
  const next = (await listed(`limit=1&cursor=${first.nextCursor}`)).body;
  expect([...first.items, ...next.items]).toEqual(second.items);
  expect((await listed('limit=101')).status).toBe(400);
  await service.delete(saved.path);
  expect((await read(body.runId)).body).toMatchObject({ serverId: null, target: { serverId: saved.id } });
});

test('others see nothing of it', async () => {
  const runId = await start(['protocol']);
  const { key } = await service.stranger();
  const theirs = await service.defaultProject(key);
  for (const at of [project, theirs]) {
    const path = `/projects/${at}/conformance-runs/${runId}`;
    expect((await service.get(path, { key })).status).toBe(404);
    expect((await service.get(`${path}/report`, { key })).status).toBe(404);
    expect((await service.post(`${path}/cancel`, undefined, { key })).status).toBe(404);
  }
  const path = `/projects/${theirs}/conformance-ingest/runs/finalize`;
  expect((await service.post(path, { runId }, { key })).status).toBe(404);
  expect(await service.post(`/projects/${project}/conformance-runs/${runId}/cancel`)).toMatchObject({
    status: 409,
    body: { details: { reason: 'NOT_A_HOSTED_RUN' } },
  });
});

test('a shared run shows its score, its suites and titles of checks, and nothing that the server said', async () => {
  const report = reportOf('failed', [
    one('a', 'passed'),
    one('b', 'failed', { error: 'at https://inside.example/mcp' }),
    one('c', 'skipped', { couldNotRun: true }),
  ]);
  const target = { kind: 'external', serverRef: 'weather', serverUrl: 'https://inside.example/mcp' };
  const { body } = await ingest('report', { ...header, target, suiteKind: 'protocol', report });
  const share = `/projects/${project}/shares/conformanceRun/${body.runId}`;
  expect((await service.get(share)).body).toMatchObject({ kind: 'conformanceRun', shared: false });
  const { link } = (await service.patch(share, { shared: true })).body;
  const shown = () => new Visitor(service).request('POST', '/shared', { link: tokenIn(link.url) });
  const seen = await shown();
  expect(seen.body).toMatchObject({
    kind: 'conformanceRun',
    title: 'weather',
    run: {
      status: 'completed',
      outcome: 'failed',
      score: 50,
      suites: [{ suiteKind: 'protocol', outcome: 'failed', score: 50, passed: 1, failed: 1, skipped: 1 }],
      checks: [
        { title: 'Check b', group: 'Lifecycle', status: 'failed' },
        { title: 'Check c', status: 'skipped' },
      ],
      truncated: false,
    },
  });
  for (const secret of ['inside.example', body.runId, project]) expect(seen.text).not.toContain(secret);
  await service.patch(share, { shared: false });
  expect((await shown()).status).toBe(404);
  expect((await service.get(`/projects/${project}/shares/conformanceRun/none`)).status).toBe(404);
});
