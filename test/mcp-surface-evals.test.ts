// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exampleSuite } from '../src/surfaces/mcp/tasks/save.ts';
import { connectAgent, eras } from './support/agents.ts';
import { Evals, promptCase } from './support/evals.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

/** The offline model on the demo server: one case passes, one fails as it does for people who try Drydock. */
let service: TestService;
let evals: Evals;
let project: string;

beforeAll(async () => {
  service = await startTestService();
  evals = await Evals.of(service, 'Fleet');
  project = evals.project.slice('/projects/'.length);
  const serverId = await evals.server({ name: 'harbour' });
  await evals.suite({
    name: 'Ships',
    serverIds: [serverId],
    model: 'drydock/rehearsal',
    repetitions: 2,
    passThreshold: 0.8,
    tests: [
      promptCase('Adds numbers', 'Add the numbers 12, 30 and 8.', { type: 'responseContains', needle: '50' }),
      promptCase('Knows the last ship', 'List the ships of the harbour.', {
        type: 'responseContains',
        needle: 'Zanzibar',
      }),
    ],
  });
  await evals.suite({
    name: 'Slow',
    serverIds: [serverId],
    model: 'drydock/rehearsal',
    tests: [
      {
        title: 'Floods the dock',
        steps: [
          {
            id: '1',
            kind: 'toolCall',
            serverName: 'harbour',
            toolName: 'flood_dock',
            arguments: { seconds: 50 },
          },
        ],
      },
    ],
  });
});
afterAll(() => dispose(service));

const inFleet = { project: 'fleet' };

describe.each(eras)('an agent of %s', (era) => {
  test('runs a suite, hears of each trial, and is told what failed and why', async () => {
    const agent = await connectAgent(service, { era });
    const heard: { progress: number; total?: number; message?: string }[] = [];
    const options = { onprogress: (one: (typeof heard)[number]) => void heard.push(one), timeout: 50_000 };
    const explained = await agent.call('run_suite', { suite: 'ships', ...inFleet }, options);

    expect(heard.filter(({ total }) => total === 4).length).toBeGreaterThanOrEqual(4);
    expect(heard.map(({ message }) => message).join('\n')).toMatch(/4 of 4 trials done; (passed|failed): "/);
    expect(heard.map(({ progress }) => progress)).toEqual(
      heard.map(({ progress }) => progress).toSorted((a, b) => a - b),
    );
    expect(explained.ours).toMatch(/^Run \d+ \(run_\w+\) of suite "Ships": failed\.$/m);
    expect(explained.ours).toMatch(/^2 of 4 trials passed: 50%, 95% interval 15% to 85%\./m);
    expect(explained.data.notPassed).toEqual([
      expect.objectContaining({
        name: 'Knows the last ship',
        outcome: 'failed',
        why: expect.stringContaining('Zanzibar'),
      }),
    ]);
    expect(explained.data.figures).toEqual([
      expect.objectContaining({ case: 'Knows the last ship', passed: '0/2' }),
    ]);
    expect(explained.ours).toContain('1 passed case is omitted.');
    expect(explained.text).not.toContain('Adds numbers');

    // The links lead to the run and to the trace of the failing trial.
    const [run, trace] = explained.links;
    expect(JSON.parse((await agent.read(run?.uri as string)).contents[1].text)).toMatchObject({
      result: 'failed',
    });
    expect(JSON.parse((await agent.read(trace?.uri as string)).contents[1].text)).toMatchObject({
      traceVersion: 1,
    });

    const trial = await agent.call('read_trial', { suite: 'Ships', ...inFleet });
    expect(trace?.uri).toContain(/^Trial (\w+)/.exec(trial.ours)?.[1]);
    expect(trial.data.steps).toContainEqual(expect.objectContaining({ kind: 'assert', status: 'fail' }));
    expect(JSON.stringify(trial.data.messages)).toContain('list_ships');
    expect(trial.data.failedChecks).toEqual([
      {
        expected: expect.objectContaining({ type: 'responseContains', needle: 'Zanzibar' }),
        actual: expect.stringMatching(/^The answer does not contain "Zanzibar": ".+"$/),
        turn: 0,
      },
    ]);
    expect(trial.ours).toContain('1 checks and 1 of 2 steps failed');
  });
});

test('a run is explained later, compared and listed', async () => {
  const agent = await connectAgent(service);
  const run = () => agent.call('run_suite', { suite: 'Ships', ...inFleet, repetitions: 1 });
  await run();
  await run();
  const listed = await agent.call('list_runs', { suite: 'Ships', ...inFleet });
  expect(listed.data[0]).toMatchObject({ result: 'failed', passed: '1/2' });
  const compared = await agent.call('compare_run', { run: listed.data[0].run, ...inFleet });
  expect(compared.ours).toMatch(
    /2 of 2 cases unchanged\.\nSince run \d+: 0 regressed, 0 fixed, pass rate 50% to 50%\./,
  );
  expect(compared.ours).toContain(listed.data[1].run);
  const explained = await agent.call('explain_run', { run: listed.data[0].run, ...inFleet });
  expect(explained.ours).toContain('of suite "Ships": failed.');
  expect((await agent.call('explain_run', { ...inFleet })).ours).toContain('Give either run or suite');
});

test('a run that takes longer than the wait goes on, and says how to find it', async () => {
  const agent = await connectAgent(service);
  const started = await agent.call('run_suite', { suite: 'Slow', ...inFleet, waitSeconds: 1 });
  const runId = /as run (run_\w+)/.exec(started.ours)?.[1] as string;
  expect(started.ours).toContain(`Call explain_run with run ${runId}`);
  expect((await agent.call('explain_run', { run: runId, ...inFleet })).ours).toMatch(
    /is (running|pending): 0 of 1 trials/,
  );
  await service.post(`/projects/${project}/eval-runs/${runId}/cancel`);
});

test.each([true, false])(
  'an agent that gives up leaves a run; told to cancel: %s',
  async (cancelIfAbandoned) => {
    const agent = await connectAgent(service);
    const giveUp = new AbortController();
    const running = agent.call(
      'run_suite',
      { suite: 'Slow', ...inFleet, cancelIfAbandoned },
      { signal: giveUp.signal, onprogress: () => giveUp.abort() },
    );
    await expect(running).rejects.toThrow();
    const { id } = (await agent.call('find', { query: 'slow', kinds: ['suite'], ...inFleet })).data[0];
    const last = async () =>
      (await service.get(`/projects/${project}/eval-suites/${id}/runs?limit=1`)).body.items[0];
    const { id: runId, status } = await last();
    expect(['pending', 'running', ...(cancelIfAbandoned ? ['cancelled'] : [])]).toContain(status);
    if (!cancelIfAbandoned) await service.post(`/projects/${project}/eval-runs/${runId}/cancel`);
    await expect.poll(async () => (await last()).status).toBe('cancelled');
    expect((await last()).id).toBe(runId);
  },
);

test('the failed cases of a run are run again, as a run of their own', async () => {
  const agent = await connectAgent(service);
  const again = await agent.call('rerun_failed', { suite: 'Ships', ...inFleet, repetitions: 1 });
  expect(again.ours).toMatch(/of suite "Ships": failed\.\n0 of 1 trials passed/);
  expect(again.data.notPassed).toEqual([expect.objectContaining({ name: 'Knows the last ship' })]);
});

test('a server and a suite are saved by name, changed by saving again, and run', async () => {
  const agent = await connectAgent(service);
  const save = (url: string) => agent.call('save_server', { name: 'demo', url, ...inFleet });
  const first = await save('http://127.0.0.1:9/mcp');
  const serverId = /srv_\w+/.exec(first.ours)?.[0];
  const changed = await save(await service.demoUrl());
  expect(first.ours).toContain('Server "demo" was saved');
  expect(changed.ours).toContain(`Server "demo" was updated: ${serverId}.`);
  const saved = { ...exampleSuite, suite: { id: 'saved', name: 'Saved' } };
  const suite = () => agent.call('save_suite', { file: saved, ...inFleet });
  expect((await suite()).ours).toMatch(/Suite "Saved" was created: suite_/);
  expect((await suite()).ours).toMatch(/Suite "Saved" was unchanged: suite_/);
  const run = await agent.call('run_suite', { suite: 'Saved', ...inFleet });
  expect(run.ours).toContain('of suite "Saved": passed.');
  const wrong = await agent.call('save_suite', {
    file: { ...saved, cases: [{ ...exampleSuite.cases[0], steps: [] }] },
    ...inFleet,
  });
  expect(wrong).toMatchObject({ isError: true, ours: expect.stringContaining('cases.0.steps') });
  const neither = await agent.call('save_server', { name: 'demo', ...inFleet });
  expect(neither.ours).toContain('VALIDATION_ERROR: Give url or command');
});

test('a stream is followed for as long as was asked', async () => {
  const agent = await connectAgent(service, { path: '/mcp/x/eval-runs' });
  const tasks = await connectAgent(service);
  const run = await tasks.call('run_suite', { suite: 'Ships', ...inFleet });
  const runId = /\((run_\w+)\)/.exec(run.ours)?.[1];
  const over = await agent.call('watchEvalRun', { projectId: project, runId });
  expect(over.ours).toContain('The stream ended after');
  expect(over.data[0]).toMatchObject({ type: 'run.decided' });
  const slow = await tasks.call('run_suite', { suite: 'Slow', ...inFleet, waitSeconds: 0 });
  const slowId = /as run (run_\w+)/.exec(slow.ours)?.[1] as string;
  const part = await agent.call('watchEvalRun', { projectId: project, runId: slowId, maxSeconds: 1 });
  expect(part.ours).toContain('the stream continues');
  await service.post(`/projects/${project}/eval-runs/${slowId}/cancel`);
});

test('what was not measured or not checked is said, and not counted as passed', async () => {
  const serverId = (await service.get(`${evals.project}/servers`)).body.items[0].id as string;
  await evals.suite({
    name: 'Unchecked',
    serverIds: [serverId],
    model: 'drydock/rehearsal',
    repetitions: 1,
    passThreshold: 1,
    tests: [promptCase('Polite', 'Thank you, and good night.')],
  });
  const agent = await connectAgent(service);
  const run = await agent.call('run_suite', { suite: 'Unchecked', ...inFleet });
  expect(run.ours).toContain('passed, with warnings.');
  expect(run.ours).toContain('Warnings: nothing_checked.');
  expect(run.ours).not.toContain('omitted');
  expect(run.data.notPassed).toMatchObject([{ name: 'Polite', outcome: 'skipped' }]);
  const trial = await agent.call('read_trial', { suite: 'Unchecked', ...inFleet });
  expect(trial.ours).toContain('Warning: nothing_checked.');
  const found = await agent.call('find', { query: 'Unchecked', ...inFleet });
  expect(found.data[0].latestRun).toMatchObject({ result: 'passed', warnings: ['nothing_checked'] });
  const rerun = await agent.call('rerun_failed', { suite: 'Unchecked', ...inFleet });
  expect(rerun.text).toContain('CONFLICT: No cases to rerun: every case passed');
  expect(rerun.text).not.toContain('Said by a server');
});

test('a server that is saved again is named as it is stored, and dropped secrets are told', async () => {
  const agent = await connectAgent(service);
  const save = (args: object) => agent.call('save_server', { ...args, ...inFleet });
  const url = 'http://127.0.0.1:9/mcp';
  const first = await save({ name: 'Dock', url, headers: { 'x-token': 'token-of-the-dock' } });
  expect(first.ours).toContain('Server "Dock" was saved');
  const moved = await save({ name: 'dock', url: 'http://127.0.0.2:9/mcp' });
  expect(moved.ours).toContain('Server "Dock" was updated');
  expect(moved.ours).toMatch(/Stored secrets were removed because the URL or command changed: headers/);
  const [, id = ''] = /was updated: (\S+)\./.exec(moved.ours) ?? [];
  expect((await save({ name: id, url })).text).toContain('name: Looks like an ID');
});
