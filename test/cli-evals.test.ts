// @module-tag long
import { expect, test } from 'vitest';
import { place } from './support/process.ts';

const key = `sk_${'evals'.repeat(8)}`;

test('the demo suite runs next to a service, without one, and over HTTP, and its verdict is the exit code', async () => {
  const here = await place();
  const service = await here.serve({ DRYDOCK_BOOTSTRAP_KEY: key });
  expect(service.stdout).toContain('evals run demo --wait');

  const beside = await here.run(['evals', 'run', 'demo', '--wait']);
  expect(beside.code).toBe(1);
  const rows = beside.stdout.split('\n');
  expect(rows[0]).toMatch(/^Case +Model +Passed +Rate +95% interval +Needs +Verdict/);
  expect(
    rows.filter((row) => /drydock\/rehearsal +5\/5 +100% +56.6% to 100% +80% +passed/.test(row)),
  ).toHaveLength(5);
  expect(beside.stdout).toMatch(/Finds the ship on the second page +drydock\/rehearsal +0\/5 +0% .*failed/);
  expect(beside.stdout).toContain('FAILED (5 of 6 cases passed)');
  expect(beside.stderr).toMatch(/^1\/30 (passed|failed): /m);
  // A link that a person can open: the page of the trial in the console.
  const link = /Trace: (\S+)/.exec(beside.stdout)?.[1] as string;
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/projects\/\w+\/runs\/\w+\/trials\/itr_\w+$/);
  expect((await fetch(link)).status).toBe(200);

  const unknown = await here.run(['evals', 'run', 'nightly']);
  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toMatch(/^drydock: No suite named "nightly". Available: demo \(suite_/);

  const origin = new URL(service.baseUrl).origin;
  const remote = ['evals', 'run', 'demo', '--wait', '--json', '--case', 'adds-numbers', '--service', origin];
  expect((await here.run(remote)).stderr).toContain('drydock: Set DRYDOCK_API_KEY to a key of ');
  const over = await here.run(remote, { DRYDOCK_API_KEY: key });
  expect(over.code).toBe(0);
  expect(JSON.parse(over.stdout)).toMatchObject({ result: 'passed', summary: { total: 5, passed: 5 } });

  // The results of the failed run and of a cancelled one.
  const [, project, runId] = /\/projects\/(\w+)\/runs\/(\w+)/.exec(link) as unknown as string[];
  const api = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${service.baseUrl}/projects/${project}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as Record<string, string>;
  };
  const show = (id = '') => here.run(['evals', 'show', id]);
  const failed = await show(runId);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain('FAILED (5 of 6 cases passed)\n');
  const waiver = { reason: 'known since Monday', expiresAt: Date.now() + 86_400_000 };
  await api('POST', `/eval-runs/${runId}/gate-waivers`, waiver);
  const waived = await show(runId);
  expect(waived.code).toBe(0);
  expect(waived.stdout).toMatch(
    /FAILED \(5 of 6 cases passed\), and waived: known since Monday \(owner@drydock\.local, until \d{4}-/,
  );
  const { suiteId } = await api('GET', `/eval-runs/${runId}`);
  await api('PATCH', `/eval-suites/${suiteId}`, {
    settings: {
      qualityGate: { baseline: { kind: 'commit_sha', commitSha: 'none' }, maximumPassRateDrop: 0.1 },
    },
  });
  const ungated = await show(runId);
  expect(ungated.code).toBe(3);
  expect(ungated.stdout).toContain('Quality gate: undecided.');
  expect(ungated.stdout).toMatch(
    /\nNO VERDICT: the quality gate cannot be decided: maximum pass rate drop \(.*commit none is known\)\. Cases: FAILED .*\n$/,
  );
  await api('PATCH', `/eval-suites/${suiteId}`, { settings: { qualityGate: null } });
  const begun = (await here.run(['evals', 'run', 'demo'])).stdout.trim();
  await api('POST', `/eval-runs/${begun}/cancel`);
  const cancelled = await show(begun);
  expect(cancelled.code).toBe(3);
  expect(cancelled.stdout).toContain('NO VERDICT: the run is cancelled');
  expect((await here.run(['evals', 'show', 'run_unknown'])).code).toBe(2);
  expect((await here.run(['evals', 'rum', 'demo'])).code).toBe(2);
  expect((await here.run(['evals', 'run', 'demo', '--iterations', 'many'])).code).toBe(2);

  await service.end();
  const nobody = await here.run(remote, { DRYDOCK_API_KEY: key });
  expect(nobody.code).toBe(4);
  expect(nobody.stderr).toMatch(/^drydock: No service responds at http:.*ECONNREFUSED/);
  const alone = await here.run(['evals', 'run', 'demo', '--wait', '--iterations', '1', '--json']);
  expect(alone.code).toBe(1);
  expect(JSON.parse(alone.stdout)).toMatchObject({ result: 'failed', summary: { total: 6, passed: 5 } });
  expect((await here.run(['evals', 'list'])).stdout).toMatch(/demo +\d{4}-.* +failed +5\/6/);
});
