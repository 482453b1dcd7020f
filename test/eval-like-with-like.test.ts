import { beforeEach, describe, expect, test } from 'vitest';
import { type Evals, executing, promptCase } from './support/evals.ts';
import { within } from './support/path-parameters.ts';
import { Receiver } from './support/receiver.ts';
import type { Answer, TestService } from './support/service.ts';

/** Selection of the baseline run, and of the representative run of a suite. */

const model = 'drydock/rehearsal';
let service: TestService;
let evals: Evals;
let server: string;
executing(async (parts) => {
  ({ service, evals } = parts);
  server = await evals.server();
  parts.provider.script = () => ({ text: 'Aye.' });
});

let suiteId: string;
let cases: { id: string }[];
const suitePath = (): string => `${evals.project}/eval-suites/${suiteId}`;

beforeEach(async () => {
  const tests = [
    promptCase('Lists', 'List the ships', { type: 'toolCalledAtLeastOnce', toolName: 'list_ships' }),
    promptCase('Launches', 'Launch the ship', { type: 'responseContains', needle: 'never said' }),
  ];
  suiteId = await evals.suite({ serverIds: [server], model, repetitions: 1, passThreshold: 1, tests });
  cases = (await service.get(`${suitePath()}/cases`)).body.items;
});

async function ran(fields: object = {}, ci?: object): Promise<string> {
  const headers = ci ? { 'x-mcpjam-ci': JSON.stringify(ci) } : {};
  const answer = await service.request('POST', `${evals.project}/eval-runs`, {
    body: { suiteId, ...fields },
    headers,
  });
  expect(answer).toMatchObject({ status: 202 });
  await evals.follow(answer.body.runId);
  return answer.body.runId;
}
const compare = (runId: string, query = ''): Promise<Answer> =>
  service.get(`${evals.project}/eval-runs/${runId}/compare${query}`);
const listed = async () =>
  (await service.get(`${evals.project}/eval-suites`)).body.items.find(
    ({ id }: { id: string }) => id === suiteId,
  );

async function client(): Promise<string> {
  const body = { name: `client ${Math.random()}`, config: { modelId: model, serverIds: [server] } };
  return (await service.post(`${evals.project}/clients`, body)).body.id;
}
async function environment(): Promise<string> {
  const body = { name: `env ${Math.random()}`, hostId: await client() };
  return (await service.post(`${evals.project}/environments`, body)).body.id;
}

/** Runs that are no baseline for the whole suite. `partial`: they never represent the suite either. */
const others: [name: string, partial: boolean, run: (first: string) => Promise<string>][] = [
  ['some cases', true, () => ran({ caseIds: [cases[0]?.id] })],
  ['a try from the editor', true, () => ran({ caseIds: [cases[0]?.id], purpose: 'try' })],
  ['a try of every case', true, () => ran({ purpose: 'try' })],
  [
    'the failed cases again',
    true,
    async (first) => {
      const answer = await service.post(`${evals.project}/eval-runs/${first}/rerun`, {
        scope: 'failed_cases',
      });
      await evals.follow(answer.body.runId);
      return answer.body.runId;
    },
  ],
  [
    'cases that came with the request',
    true,
    () =>
      ran({
        tests: [
          promptCase('Lists', 'List the ships', { type: 'toolCalledAtLeastOnce', toolName: 'list_ships' }),
        ],
      }),
  ],
  [
    'a cancelled run',
    true,
    async () => {
      const { body } = await service.post(`${evals.project}/eval-runs`, { suiteId, model: 'scripted/model' });
      await service.post(`${evals.project}/eval-runs/${body.runId}/cancel`);
      return body.runId;
    },
  ],
  ['another model', false, () => ran({ model: 'scripted/model' })],
  [
    'another environment',
    false,
    async () => ran({ environmentId: await environment(), ephemeralEnvironment: true }),
  ],
];

describe('what ran in between', () => {
  test.each(others)('%s is not what the next run is held against', async (_, partial, run) => {
    const first = await ran();
    const between = await run(first);
    const shown = await evals.read(between);
    expect(shown.coverage === 'suite' && shown.status !== 'cancelled').toBe(!partial);
    expect((await listed()).latestRun.id).toBe(partial ? first : between);
    expect((await listed()).passRateTrend).toHaveLength(partial ? 1 : 2);
    const whole = await service.get(`${suitePath()}/runs?coverage=suite&limit=1`);
    expect(whole.body.items[0].id).toBe(partial ? first : between);
    const last = await ran();
    expect((await compare(last)).body.baseline).toEqual({ policy: 'previous_completed', baseRunId: first });
    expect((await listed()).latestRun.id).toBe(last);
    // A run that the request names is the baseline in any case.
    expect((await compare(last, `?baseRunId=${between}`)).body.baseline).toEqual({
      policy: 'run',
      baseRunId: between,
    });
  });

  test.each(others.filter(([name]) => name !== 'a cancelled run'))(
    '%s says why it is compared with nothing',
    async (name, _, run) => {
      const between = await run(await ran());
      const reason = {
        'some cases': 'this run has only some cases of the suite',
        'a try from the editor': 'this run only tried a case',
        'a try of every case': 'this run only tried a case',
        'the failed cases again': 'this run has only some cases of the suite',
        'cases that came with the request': 'this run has only some cases of the suite',
        'another model': 'run 1, the last complete one, used drydock/rehearsal, and this one scripted/model',
        'another environment': 'run 1, the last complete one, took place in another environment',
      }[name];
      expect(await compare(between)).toMatchObject({
        status: 404,
        body: {
          message: `No earlier run to compare with: ${reason}`,
          details: { reason: 'BASELINE_NOT_FOUND' },
        },
      });
    },
  );
});

test('only a run that stands for its suite tells that the gate changed', async () => {
  const receiver = await Receiver.start();
  const events = ['gate.changed', 'eval_run.decided'];
  await service.post(`${evals.project}/webhooks`, { name: 'gate', url: receiver.url, events });
  const first = await ran();
  const partial: string[] = [];
  for (const [name, isPartial, run] of others)
    if (isPartial && name !== 'a cancelled run') partial.push(await run(first));
  const last = await ran();
  const told = (type: string, runId: string) =>
    receiver.taken.some(({ body }) => body.type === type && body.data.runId === runId);
  await receiver.until(() => [...partial, last].every((runId) => told('eval_run.decided', runId)));
  await receiver.until(() => told('gate.changed', first));
  expect(partial.filter((runId) => told('gate.changed', runId))).toEqual([]);
});

test('the first run says that there is none, and naming every case is the whole suite', async () => {
  const first = await ran();
  expect((await compare(first)).body.message).toBe(
    'No earlier run to compare with: no complete run of this suite came before this one',
  );
  const all = await ran({ caseIds: cases.map(({ id }) => id) });
  expect((await evals.read(all)).coverage).toBe('suite');
  expect((await compare(all)).body.baseline.baseRunId).toBe(first);
});

test('each environment, each client and each model has runs of its own before', async () => {
  const [one, two] = [await environment(), await environment()];
  const inside = (environmentId: string) => ran({ environmentId, ephemeralEnvironment: true });
  const [a, b] = [await inside(one), await inside(two)];
  const [c, d] = [await inside(one), await inside(two)];
  for (const [run, base] of [
    [c, a],
    [d, b],
  ] as const)
    expect((await compare(run)).body.baseline).toEqual({
      policy: 'previous_completed_same_environment',
      baseRunId: base,
    });
  const [host, other] = [await client(), await client()];
  await service.patch(suitePath(), { hosts: [{ host }, { host: other }] });
  const e = await ran({ namedHostId: host });
  await ran({ namedHostId: other });
  expect((await compare(await ran({ namedHostId: host }))).body.baseline.baseRunId).toBe(e);
  expect((await compare(await ran())).body.message).toContain('ran as another client');
});

test('a case that was added is new, and the runs are still compared', async () => {
  const first = await ran();
  await service.post(`${suitePath()}/cases`, promptCase('Counts', 'List 2 ships'));
  const last = await ran();
  const { body } = await compare(last);
  expect(body.baseline.baseRunId).toBe(first);
  expect(body.cases.map(({ status }: { status: string }) => status).sort()).toEqual([
    'new_case',
    'unchanged_failed',
    'unchanged_passed',
  ]);
  expect(body.scoreContract.base).toMatchObject({ scoreIntegrity: 'valid', quarantinedIterations: 0 });
  expect((await evals.read(last)).scoreIntegrity).toBe('valid');
});

describe('a gate', () => {
  const policy = { maximumPassRateDrop: 0, noDeterministicRegressions: true };
  const gateOf = async (runId: string, baseline: object) => {
    const saved = await service.patch(suitePath(), { settings: { qualityGate: { ...policy, baseline } } });
    expect(saved).toMatchObject({ status: 200 });
    return (await evals.read(runId, '/gate')) as {
      outcome: string;
      baseline: object | null;
      conditions: { status: string; message: string }[];
    };
  };

  test('may name the run before, which no partial run hides', async () => {
    const first = await ran();
    const partial = await ran({ caseIds: [cases[0]?.id] });
    const last = await ran();
    expect(await gateOf(last, { kind: 'previous' })).toMatchObject({
      outcome: 'passed',
      baseline: { policy: 'previous_completed', baseRunId: first },
    });
    const unanswered = await gateOf(partial, { kind: 'previous' });
    expect(unanswered).toMatchObject({ outcome: 'non_gateable', baseline: null });
    expect(unanswered.conditions[0]?.message).toContain('No earlier run to compare with');
  });

  test('may name a branch', async () => {
    const onMain = await ran({}, { branch: 'main', commitSha: 'a1' });
    await ran({}, { branch: 'feature', commitSha: 'b1' });
    await ran({ caseIds: [cases[0]?.id] }, { branch: 'main', commitSha: 'a1' });
    const last = await ran({}, { branch: 'feature', commitSha: 'b2' });
    expect(await gateOf(last, { kind: 'branch', branch: 'main' })).toMatchObject({
      outcome: 'passed',
      baseline: { policy: 'branch', baseRunId: onMain, baseBranch: 'main' },
    });
    expect((await compare(last, '?baseBranch=main')).body.baseline).toEqual({
      policy: 'branch',
      baseRunId: onMain,
      baseBranch: 'main',
    });
    expect((await compare(last, '?baseCommitSha=a1')).body.baseline).toEqual({
      policy: 'commit_sha',
      baseRunId: onMain,
      baseCommitSha: 'a1',
    });
    const lost = await gateOf(last, { kind: 'branch', branch: 'release' });
    expect(lost.conditions[0]?.message).toContain('no complete run of this suite on the branch release');
  });

  test('does not take a case that was added for a drop', async () => {
    await ran();
    await service.post(
      `${suitePath()}/cases`,
      promptCase('Counts', 'List 2 ships', { type: 'responseContains', needle: 'never said' }),
    );
    expect(await gateOf(await ran(), { kind: 'previous' })).toMatchObject({ outcome: 'passed' });
  });
});

test('runs of an earlier version, which did not note what they cover, are known by what they were', async () => {
  const first = await ran();
  const again = await service.post(`${evals.project}/eval-runs/${first}/rerun`, { scope: 'failed_cases' });
  await evals.follow(again.body.runId);
  await within(service, 'update eval_runs set coverage = null, target = null where suite_id = $1', [suiteId]);
  expect((await listed()).latestRun.id).toBe(first);
  expect((await compare(await ran())).body.baseline.baseRunId).toBe(first);
});
