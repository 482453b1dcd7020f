import { beforeAll, describe, expect, test } from 'vitest';
import { type Evals, executing, promptCase } from './support/evals.ts';
import { within } from './support/path-parameters.ts';
import type { Answer, TestService } from './support/service.ts';

/** Features of runs for CI besides the verdict: gate, waiver, rerun of failed cases. */

let service: TestService;
let evals: Evals;
executing((parts) => {
  ({ service, evals } = parts);
});

const day = 86_400_000;
const at = (runId: string, below: string): string => `${evals.project}/eval-runs/${runId}/${below}`;

let names = 0;
interface Reported {
  suiteId: string;
  runId: string;
}
async function reported(suiteName: string, results: object[], rest: object = {}): Promise<Reported> {
  const body = { suiteName, externalRunId: `run ${++names}`, results, ...rest };
  const answer = await service.post(`${evals.project}/eval-ingest/report`, body);
  expect(answer.status).toBe(200);
  return answer.body;
}
const config = {
  hash: 'c'.repeat(64),
  definitions: [
    { scorerId: 'calls', role: 'gating', deterministic: true },
    { scorerId: 'tone', role: 'advisory', deterministic: false },
  ],
};
const scored = (caseTitle: string, passed: boolean, durationMs: number, status = 'scored') => ({
  caseTitle,
  passed,
  durationMs,
  evaluationConfig: config,
  scores: [{ scorerId: 'calls', definitionHash: 'd', status, value: passed ? 1 : 0, passed }],
});

describe('the quality gate', () => {
  test('is asked besides the verdict, and says what it compared', async () => {
    const suiteName = `gate ${++names}`;
    const commit = (commitSha: string) => ({ ci: { provider: 'github', commitSha } });
    const base = await reported(
      suiteName,
      [scored('One', true, 100), scored('Two', true, 100)],
      commit('aaa'),
    );
    const now = await reported(
      suiteName,
      [scored('One', true, 100), scored('Two', false, 900)],
      commit('bbb'),
    );
    const suite = `${evals.project}/eval-suites/${base.suiteId}`;
    const gate = async (runId: string): Promise<Answer> => service.get(at(runId, 'gate'));
    expect((await gate(now.runId)).body).toEqual({
      schemaVersion: 1,
      evaluatorVersion: 1,
      policy: null,
      policyHash: null,
      outcome: 'not_configured',
      baseline: null,
      conditions: [],
    });

    const owned = await service.patch(suite, { settings: { qualityGate: { noGatingScoreErrors: true } } });
    expect(owned).toMatchObject({ status: 409, body: { details: { reason: 'CI_OWNED_SUITE_READ_ONLY' } } });
    // The suite of a reporter is nobody's to change; one of ours is.
    await within(service, `update eval_suites set managed_by = 'app' where id = $1`, [base.suiteId]);
    const reserved = { baseline: { kind: 'previous_completed' } };
    expect(await service.patch(suite, { settings: { qualityGate: reserved } })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', message: expect.stringContaining('commit_sha') },
    });
    // A run of others is refused like one that never was.
    const { key } = await service.stranger();
    const theirs = await service.post(
      `/projects/${await service.defaultProject(key)}/eval-ingest/report`,
      { suiteName: 'Theirs', results: [{ caseTitle: 'One', passed: true }] },
      { key },
    );
    expect(theirs.body.runId).toMatch(/^run_/);
    for (const runId of [theirs.body.runId as string, 'run_never'])
      expect(
        await service.patch(suite, { settings: { qualityGate: { baseline: { kind: 'run', runId } } } }),
      ).toMatchObject({
        status: 400,
        body: {
          message: `settings.qualityGate.baseline.runId: There is no run "${runId}" in this project. Name one of its eval runs`,
        },
      });
    const own = { baseline: { kind: 'run', runId: base.runId } };
    expect((await service.patch(suite, { settings: { qualityGate: own } })).status).toBe(200);
    const qualityGate = {
      baseline: { kind: 'commit_sha', commitSha: 'aaa' },
      maximumPassRateDrop: 0.5,
      noDeterministicRegressions: true,
      maximumP95LatencyIncreaseMs: 1000,
      noGatingScoreErrors: true,
    };
    const saved = await service.patch(suite, { settings: { qualityGate } });
    expect(saved.body.settings.qualityGate).toEqual(qualityGate);
    expect((await gate(now.runId)).body).toMatchObject({
      policyHash: expect.stringMatching(/^[a-f0-9]{64}$/),
      outcome: 'failed',
      baseline: { policy: 'commit_sha', baseRunId: base.runId, baseCommitSha: 'aaa' },
      conditions: [
        { condition: 'noGatingScoreErrors', status: 'passed' },
        { condition: 'maximumPassRateDrop', status: 'passed', observed: 0.5, threshold: 0.5 },
        {
          condition: 'noDeterministicRegressions',
          status: 'failed',
          observed: 1,
          message: expect.stringContaining('calls of'),
        },
        { condition: 'maximumP95LatencyIncreaseMs', status: 'passed', observed: 800 },
      ],
    });
    // A commit that nobody ran cannot be compared with, which is not passed.
    await service.patch(suite, {
      settings: { qualityGate: { ...qualityGate, baseline: { kind: 'commit_sha', commitSha: 'zzz' } } },
    });
    const lost = (await gate(now.runId)).body;
    expect(lost.outcome).toBe('non_gateable');
    expect(lost.conditions[1]).toMatchObject({ status: 'non_gateable', reason: 'baselineNotFound' });
    const broken = await reported(suiteName, [scored('One', true, 1, 'error')]);
    expect((await gate(broken.runId)).body).toMatchObject({
      outcome: 'failed',
      conditions: [{ status: 'failed', scorerId: 'calls', observed: 1 }, {}, {}, {}],
    });
    const open = await service.post(`${evals.project}/eval-ingest/runs/start`, { suiteName });
    expect((await gate(open.body.runId)).body.conditions[0]).toMatchObject({ reason: 'runNotTerminal' });
    expect((await service.patch(suite, { settings: { qualityGate: null } })).body.settings.qualityGate).toBe(
      null,
    );
  });
});

describe('a waiver', () => {
  let runId: string;
  beforeAll(async () => {
    ({ runId } = await reported(`waived ${++names}`, [{ caseTitle: 'One', passed: false }], {
      passCriteria: { minimumPassRate: 80 },
    }));
  });
  const waive = (reason: string, expiresAt: number, key?: string): Promise<Answer> =>
    service.request('POST', at(runId, 'gate-waivers'), { body: { reason, expiresAt }, ...(key && { key }) });

  test('is refused without a reason, for too long, into the past, and to whom it is not for', async () => {
    const soon = Date.now() + day;
    for (const [reason, expiresAt, message] of [
      ['  ', soon, 'reason'],
      ['x'.repeat(501), soon, 'reason'],
      ['late', Date.now() - 1, 'future'],
      ['long', Date.now() + 31 * day, '30 days'],
    ] as const)
      expect(await waive(reason, expiresAt)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_ERROR', message: expect.stringContaining(message) },
      });
    const { key } = await service.member('member');
    expect((await waive('mine', soon, key)).status).toBe(403);
    expect((await service.get(at(runId, 'gate-waivers'))).body).toEqual({ waiver: null });
  });

  test('is one at a time, changes no result, and is revoked once', async () => {
    const expiresAt = Date.now() + day;
    const answers = await Promise.all([1, 2, 3, 4].map((n) => waive(`outage ${n}`, expiresAt)));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409]);
    const created = answers.find(({ status }) => status === 201)?.body;
    expect(created).toMatchObject({
      status: 'created',
      republishedChecks: 0,
      waiver: { runId, expiresAt, active: true, revokedAt: null, policySnapshot: { minimumPassRate: 80 } },
    });
    for (const { body } of answers.filter(({ status }) => status === 409))
      expect(body).toEqual({ status: 'conflict', republishedChecks: 0, waiver: created.waiver });
    expect(await evals.read(runId)).toMatchObject({ result: 'failed', gateWaiver: created.waiver });
    const { id } = created.waiver;
    const revoke = (waiver: string) => service.delete(at(runId, `gate-waivers/${waiver}`));
    expect((await revoke('wvr_unknown')).status).toBe(404);
    const revoked = await revoke(id);
    expect(revoked).toMatchObject({
      status: 200,
      body: { status: 'revoked', waiver: { active: false, revokedAt: expect.any(Number) } },
    });
    expect(await revoke(id)).toMatchObject({
      status: 200,
      body: { status: 'already_revoked', waiver: revoked.body.waiver },
    });
    expect((await waive('again', expiresAt)).status).toBe(201);
  });
});

describe('failed cases', () => {
  test('are run again where they ran, and nothing else is', async () => {
    const model = 'drydock/rehearsal';
    const suiteId = await evals.suite({
      serverIds: [await evals.server()],
      model,
      repetitions: 2,
      passThreshold: 0.5,
      tests: [
        promptCase('Lists', 'Which ships are in the drydock?', {
          type: 'toolCalledAtLeastOnce',
          toolName: 'list_ships',
        }),
        promptCase('Never', 'Which ships are in the drydock?', {
          type: 'responseContains',
          needle: 'a word that is not there',
        }),
      ],
    });
    const { id: first, result } = await evals.decided(await evals.launch({ suiteId }));
    expect(result).toBe('failed');
    const preview = (await service.get(at(first, 'rerun-preview'))).body;
    expect(preview).toMatchObject({
      sourceRunId: first,
      canRerun: true,
      cases: [{ title: 'Never' }],
      missingCases: [],
      trials: 2,
    });
    const again = (key: string) =>
      service.request('POST', at(first, 'rerun'), {
        body: { scope: 'failed_cases' },
        headers: { 'idempotency-key': key },
      });
    const started = await again('once');
    expect(started.status).toBe(202);
    expect((await again('once')).body).toMatchObject({ runId: started.body.runId, deduped: true });
    const second = await evals.decided(started.body.runId);
    expect(second).toMatchObject({
      result: 'failed',
      runMetadata: { rerunOf: first, scope: 'failed_cases' },
      summary: { total: 2 },
    });
    const [, never] = (await service.get(`${evals.project}/eval-suites/${suiteId}/cases`)).body.items;
    expect((await service.delete(`${evals.project}/eval-suites/${suiteId}/cases/${never.id}`)).status).toBe(
      200,
    );
    expect((await service.get(at(first, 'rerun-preview'))).body).toMatchObject({
      canRerun: false,
      reason: 'CASES_GONE',
      missingCases: [{ title: 'Never' }],
    });
    expect(await again('later')).toMatchObject({ status: 409, body: { details: { reason: 'CASES_GONE' } } });
  });

  test('of a run that took place elsewhere are not ours to run', async () => {
    const { runId } = await reported(`elsewhere ${++names}`, [{ caseTitle: 'One', passed: false }]);
    expect(await service.post(at(runId, 'rerun'), {})).toMatchObject({
      status: 409,
      body: { details: { reason: 'RAN_ELSEWHERE' } },
    });
  });
});

test('an imported case that is only approximated runs when somebody answers for it', async () => {
  const suiteId = await evals.suite({
    serverIds: [await evals.server()],
    model: 'drydock/rehearsal',
    tests: [promptCase('Exact', 'Which ships are in the drydock?')],
  });
  const cases = `${evals.project}/eval-suites/${suiteId}/cases`;
  const claimed = await service.post(cases, {
    ...promptCase('Nearly', 'Which ships are in the drydock today?'),
    import: { status: 'approximated', sourceCaseKey: 'tests[3]', note: 'similar became contains' },
  });
  expect(claimed.status).toBe(201);
  expect(await service.post(`${evals.project}/eval-runs`, { suiteId })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('importApprovals') },
  });
  const importApprovals = [{ testCaseId: claimed.body.id, reason: 'close enough for us' }];
  const run = await evals.decided(await evals.launch({ suiteId, importApprovals }));
  expect(run.importEligibility).toMatchObject({
    status: 'eligible',
    gateable: true,
    importedCaseCount: 1,
    approvedApproximationReceipts: [
      { testCaseId: claimed.body.id, sourceCaseKey: 'tests[3]', reason: 'close enough for us' },
    ],
    issues: [],
  });
});
