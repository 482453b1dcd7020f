import { beforeEach, describe, expect, test } from 'vitest';
import { type Evals, executing, promptCase } from './support/evals.ts';
import type { ScriptedProvider } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';
import { ok, Studies, tokenIn, Visitor } from './support/studies.ts';

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let runId: string;

executing(async (parts) => {
  ({ provider, service, evals } = parts);
  const serverIds = [await evals.server({ name: 'secret-server' })];
  provider.script = ({ body }) => ({
    text: JSON.stringify(body).includes('good question') ? 'A telling answer.' : 'No.',
  });
  const says = { type: 'responseContains', needle: 'telling' };
  const tests = [
    promptCase('Answers well', 'a good question', says),
    promptCase('Answers badly', 'a bad question', says),
  ];
  const suiteId = await evals.suite({ name: 'Harbour desk', serverIds, tests });
  runId = await evals.launch({ suiteId });
  await evals.decided(runId);
});
let share: string;
beforeEach(() => {
  share = `${evals.project}/shares/evalRun/${runId}`;
});

const shown = (link: string) => new Visitor(service).request('POST', '/shared', { link: tokenIn(link) });

describe('a run', () => {
  test('is shown to whoever has the link, in numbers, until it is not', async () => {
    expect(ok(await service.get(share))).toMatchObject({ shared: false, link: null, policyVersion: 0 });
    const opened = ok(await service.patch(share, { shared: true, expectedPolicyVersion: 0 }));
    expect(opened).toMatchObject({ kind: 'evalRun', targetId: runId, shared: true, policyVersion: 1 });
    const { url } = opened.link;
    const seen = ok(await shown(url));
    expect(seen).toMatchObject({
      kind: 'evalRun',
      title: 'Harbour desk',
      run: {
        status: 'completed',
        summary: { total: 2, passed: 1, failed: 1 },
        cases: [
          { title: 'Answers well', passed: 1, trials: 1, failedAt: [] },
          { title: 'Answers badly', failed: 1, trials: 1 },
        ],
      },
    });
    const text = JSON.stringify(seen);
    for (const secret of ['good question', 'telling answer', 'secret-server', runId, service.key])
      expect(text).not.toContain(secret);
    expect(ok(await service.patch(share, { expiresAt: Date.now() + 3_600_000 })).link.url).toBe(url);
    const rotated = ok(await service.patch(share, { rotate: true }));
    expect((await shown(url)).status).toBe(404);
    expect((await shown(rotated.link.url)).status).toBe(200);
    const closed = ok(await service.patch(share, { shared: false }));
    expect(closed).toMatchObject({ shared: false, link: null, policyVersion: 4, expiresAt: null });
    expect((await shown(rotated.link.url)).body).toMatchObject({ details: { reason: 'DEAD_LINK' } });
    const again = ok(await service.patch(share, { shared: true }));
    expect(again.link.url).not.toBe(rotated.link.url);
  });

  test('is over when its time is, and when the run is deleted', async () => {
    const { link } = ok(await service.patch(share, { shared: true, expiresAt: Date.now() + 60_000 }));
    const database = await service.database.connect();
    await database.query(`update shares set expires_at = now() - interval '1 s' where target_id = $1`, [
      runId,
    ]);
    await database.end();
    expect((await shown(link.url)).status).toBe(404);
    expect(ok(await service.get(share))).toMatchObject({ shared: false, link: null });
  });

  test('is changed by one at a time, and by administrators', async () => {
    const { policyVersion } = ok(await service.get(share));
    const wanted = { shared: true, expectedPolicyVersion: policyVersion };
    const racing = await Promise.all([1, 2, 3, 4].map(() => service.patch(share, wanted)));
    expect(racing.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    expect(racing.find(({ status }) => status === 409)?.body).toMatchObject({
      details: { reason: 'STALE_POLICY', currentPolicyVersion: policyVersion + 1 },
    });
    const { key } = await service.member('member');
    expect((await service.patch(share, { shared: false }, { key })).status).toBe(403);
    expect((await service.get(share, { key })).status).toBe(200);
  });

  test('what cannot be is refused', async () => {
    const other = await service.stranger();
    const statuses = [
      (await service.patch(share, {})).status,
      (await service.patch(share, { shared: true, expiresAt: 1 })).status,
      (await service.patch(share, { mode: 'anyone_with_link' })).status,
      (await service.patch(share, { open: true })).status,
      (await service.get(`${evals.project}/shares/evalRun/run_x`)).status,
      (await service.get(`${evals.project}/shares/conformanceRun/x`)).status,
      (await service.get(`${evals.project}/shares/secret/x`)).status,
      (await service.get(share, { key: other.key })).status,
      (await shown('/shared#never')).status,
    ];
    expect(statuses).toEqual([400, 400, 400, 400, 404, 404, 404, 404, 404]);
  });
});

test('a study is shared by its mode', async () => {
  const studies = await Studies.of(service);
  const environment = await studies.environment([await studies.evals.server()]);
  const { id, link, accessVersion } = await studies.publish(environment);
  const path = `${studies.project}/shares/scenario/${id}`;
  expect(ok(await service.get(path))).toMatchObject({
    kind: 'scenario',
    shared: true,
    mode: 'anyone_with_link',
    policyVersion: accessVersion,
    link: { url: link },
  });
  const narrowed = ok(await service.patch(path, { mode: 'project_members' }));
  expect(narrowed).toMatchObject({ mode: 'project_members', policyVersion: accessVersion + 1 });
  const stale = { mode: 'invited_only', expectedPolicyVersion: accessVersion };
  expect((await service.patch(path, stale)).status).toBe(409);
  expect((await service.patch(path, { shared: false })).status).toBe(400);
});
