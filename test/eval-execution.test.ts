import { beforeEach, expect, test } from 'vitest';
import { Evals, executing, promptCase } from './support/evals.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import { startForTest, type TestService } from './support/service.ts';
import { scaled } from './support/slowdown.ts';

const secretKey = 'provider-key-tell-nobody';
let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let server: string;
let env: Record<string, string>;

executing(
  async (parts) => {
    ({ provider, service, evals, env } = parts);
    server = await evals.server();
  },
  { env: { DRYDOCK_EVAL_LEASE: '5' }, key: secretKey },
);
beforeEach(() => {
  provider.requests.length = 0;
});

const inspects = callThenAnswer(
  { name: 'inspect_hull', input: { ship: 'Albatross' } },
  'Three plates of the Albatross are rusty.',
);
const inspection = promptCase(
  'Inspects',
  'May the Albatross sail?',
  { type: 'toolCalledWith', toolName: 'inspect_hull', args: { args: { ship: 'Albatross' } } },
  { type: 'responseContains', needle: 'rusty' },
);

test('a trial asks the model, calls the server, and everything of it can be read', async () => {
  provider.script = inspects;
  const suiteId = await evals.suite({
    serverIds: [server],
    repetitions: 3,
    passThreshold: 1,
    tests: [inspection],
  });
  const runId = await evals.launch({ suiteId });
  const run = await evals.decided(runId);
  expect(run).toMatchObject({
    status: 'completed',
    result: 'passed',
    source: 'api',
    summary: { total: 3, passed: 3, failed: 0, passRate: 1 },
    decision: { verdict: 'passed', reasons: ['allMeasuredCasesMetThreshold'] },
    decisionSummary: {
      verdict: 'passed',
      verdictSource: 'policyV2',
      counts: { measurementUnit: 'caseVariant', total: 1, passed: 1, failed: 0, inconclusive: 0 },
      diagnostics: { items: [], complete: true, scannedIterations: 3 },
    },
    statistics: { trials: { passed: 3, trials: 3, rate: 1 }, flakyCases: [] },
    usage: { modelCalls: 6 },
  });
  expect(run.statistics.cases[0].interval.lower).toBeCloseTo(0.4385, 3);
  expect(provider.requests).toHaveLength(6);
  expect(provider.requests[0]?.headers.authorization).toBe(`Bearer ${secretKey}`);

  const { items } = await evals.read(runId, '/iterations');
  expect(items.map(({ iterationNumber }: { iterationNumber: number }) => iterationNumber)).toEqual([1, 2, 3]);
  expect(items[0]).toMatchObject({
    status: 'completed',
    result: 'passed',
    model: 'scripted/model',
    attempts: 1,
    actualToolCalls: [{ toolName: 'inspect_hull', arguments: { ship: 'Albatross' } }],
    expectedToolCalls: [{ toolName: 'inspect_hull' }],
    error: null,
  });
  expect(items[0].tokensUsed).toBeGreaterThan(0);
  const trace = await evals.read(runId, `/iterations/${items[0].id}/trace`);
  expect(trace.messages.map(({ role }: { role: string }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
  ]);
  expect(trace.frames).toMatchObject([
    {
      method: 'tools/call',
      params: { name: 'inspect_hull' },
      result: { structuredContent: { ship: 'Albatross' } },
    },
  ]);
  expect(trace.spans.map(({ id }: { id: string }) => id)).toEqual(
    expect.arrayContaining(['prompt-0-step-0', 'prompt-0-step-0-llm', 'prompt-0-step-1']),
  );
  const { items: steps } = await evals.read(runId, `/iterations/${items[0].id}/steps`);
  expect(steps.map(({ status }: { status: string }) => status)).toEqual(['ok', 'ok', 'ok']);
  expect(JSON.stringify([run, items, trace]) + service.logs.join('')).not.toContain(secretKey);
});

test('events come in order, once each, and a reader that comes again goes on where it was', async () => {
  provider.script = inspects;
  const suiteId = await evals.suite({
    serverIds: [server],
    repetitions: 2,
    passThreshold: 1,
    tests: [inspection],
  });
  const runId = await evals.launch({ suiteId });
  const events = await evals.follow(runId);
  expect(events.map(({ id }) => id)).toEqual(events.map((_, nth) => nth));
  expect(events[0]?.data).toMatchObject({ type: 'run.started', trials: 2 });
  expect(events.at(-1)?.data).toMatchObject({ type: 'run.decided', status: 'completed', result: 'passed' });
  const finished = events
    .filter(({ data }) => data.type === 'trial.finished')
    .map(({ data }) => data.finished);
  expect(finished).toEqual([1, 2]);
  const { items } = await evals.read(runId, '/iterations');
  for (const { id } of items) {
    const types = events.filter(({ data }) => data.iterationId === id).map(({ data }) => data.type);
    expect([types[0], types.at(-1)]).toEqual(['trial.started', 'trial.finished']);
    expect(types).toContain('trial.step');
  }
  const again = await evals.follow(runId, { 'last-event-id': '3' });
  expect(again).toEqual(events.slice(4));
});

test('a provider that is busy or failing is asked again, and the trial passes', async () => {
  const replies = [
    { status: 429, retryAfter: '0', text: 'slow down' },
    { status: 500 },
    { cut: true, text: 'half' },
  ];
  let seen = 0;
  provider.script = (request) => replies[seen++] ?? inspects(request);
  const suiteId = await evals.suite({
    serverIds: [server],
    repetitions: 1,
    passThreshold: 1,
    tests: [inspection],
  });
  const run = await evals.decided(await evals.launch({ suiteId }));
  expect(run).toMatchObject({ status: 'completed', result: 'passed' });
  expect(provider.requests.length).toBe(5);
});

test('what a model does wrong fails its trial and not the run', async () => {
  const nonsense: Record<string, () => object> = {
    'calls a tool that is not there': () => ({ toolCalls: [{ name: 'sink_ship', input: {} }] }),
    'writes arguments that are no JSON': () => ({
      toolCalls: [{ name: 'inspect_hull', input: '{"ship": ' }],
    }),
    'says nothing': () => ({ text: '' }),
    'answers with a page': () => ({ raw: '<html>busy</html>' }),
    'is refused': () => ({ status: 401, text: `bad key ${secretKey}` }),
  };
  provider.script = ({ body, results }) => {
    const prompt = JSON.stringify(body.messages);
    const title = Object.keys(nonsense).find((name) => prompt.includes(name));
    if (title === undefined) return inspects({ body, results } as never);
    return results === 0 ? (nonsense[title]?.() ?? {}) : { text: 'Never mind.' };
  };
  const tests = [
    inspection,
    ...Object.keys(nonsense).map((title) =>
      promptCase(title, `The model ${title}`, { type: 'responseContains', needle: 'rusty' }),
    ),
  ];
  const suiteId = await evals.suite({ serverIds: [server], tests });
  const runId = await evals.launch({ suiteId });
  const run = await evals.decided(runId);
  expect(run).toMatchObject({ status: 'completed', result: 'failed', summary: { total: 6, passed: 1 } });
  const { items } = await evals.read(runId, '/iterations');
  const byTitle = Object.fromEntries(items.map((item: { title: string }) => [item.title, item]));
  expect(byTitle['calls a tool that is not there']).toMatchObject({ status: 'completed', result: 'failed' });
  expect(byTitle['says nothing']).toMatchObject({ status: 'completed', result: 'failed' });
  expect(byTitle['answers with a page']).toMatchObject({ status: 'failed', result: 'failed' });
  expect(byTitle['is refused']).toMatchObject({
    status: 'failed',
    result: 'failed',
    failureCategory: 'setup',
  });
  expect(byTitle['is refused'].error).toContain('rejected the key');
  expect(JSON.stringify(items)).not.toContain(secretKey);
});

test('a trial that takes too long is given up, and the run goes on', async () => {
  provider.script = (request) =>
    JSON.stringify(request.body.messages).includes('sleepy') ? { silent: true } : inspects(request);
  const hasty = await startForTest({ env: { ...env, DRYDOCK_EVAL_TRIAL_TIMEOUT: '1' } });
  const there = await Evals.of(hasty);
  const suiteId = await there.suite({
    serverIds: [await there.server()],
    repetitions: 1,
    passThreshold: 1,
    tests: [inspection, promptCase('Sleeps', 'You are sleepy')],
  });
  const runId = await there.launch({ suiteId });
  const run = await there.decided(runId);
  const { items } = await there.read(runId, '/iterations');
  expect(items[1]).toMatchObject({ status: 'timed_out', error: 'The trial took longer than 1 s' });
  expect(items[0]).toMatchObject({ result: 'passed' });
  expect(run.decision.validity).toMatchObject({ completionRate: { numerator: 1, denominator: 2 } });
  expect(run).toMatchObject({ status: 'completed', result: 'inconclusive' });
});

test('cancelling stops trials under way within two seconds, and what had ended stays', async () => {
  let begun = 0;
  // Some trials come to their end, the others get no answer.
  provider.script = (request) =>
    request.results === 0 && ++begun > 5 ? { silent: true } : inspects(request);
  const suiteId = await evals.suite({
    serverIds: [server],
    repetitions: 40,
    passThreshold: 1,
    tests: [inspection],
  });
  const runId = await evals.launch({ suiteId });
  const wait = async (done: (run: { progress: { finished: number } }) => boolean): Promise<void> => {
    for (;;) {
      if (done(await evals.read(runId))) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await wait(({ progress }) => progress.finished >= 1);
  const ended = await service.post(`${evals.project}/eval-runs/${runId}/cancel`);
  const at = Date.now();
  expect(ended).toMatchObject({
    status: 200,
    body: { status: 'cancelled', result: null, stopReason: 'user_cancelled' },
  });
  while (provider.active.now > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(Date.now() - at).toBeLessThan(scaled(2_000));
  const run = await evals.read(runId);
  expect(run.decisionSummary).toMatchObject({ verdict: 'notEstablished' });
  const { items } = await evals.read(runId, '/iterations');
  const statuses = new Set(items.map(({ status }: { status: string }) => status));
  expect(statuses).toEqual(new Set(['completed', 'cancelled']));
  expect(items.filter(({ status }: { status: string }) => status === 'completed')).toHaveLength(
    run.progress.finished,
  );
  expect((await service.post(`${evals.project}/eval-runs/${runId}/cancel`)).body.status).toBe('cancelled');
});

test('what needs a browser that is not there is missing evidence: neither passed nor failed', async () => {
  provider.script = inspects;
  const blind = await startForTest({ env: { ...env, DRYDOCK_BROWSER: 'off' } });
  const evals = await Evals.of(blind);
  const server = await evals.server({ url: await blind.widgetUrl(), name: 'x' });
  const widget = {
    title: 'Shows a widget',
    steps: [
      { id: '1', kind: 'prompt', prompt: 'May the Albatross sail?' },
      {
        id: '2',
        kind: 'assert',
        assertion: { kind: 'textVisible', toolName: 'inspect_hull', text: 'rusty' },
      },
    ],
  };
  const rendered = promptCase('Renders', 'May the Albatross sail?', { type: 'widgetRendered' });
  const suiteId = await evals.suite({
    serverIds: [server],
    repetitions: 1,
    passThreshold: 1,
    tests: [
      widget,
      rendered,
      {
        title: 'Pinned',
        steps: [
          {
            id: '1',
            kind: 'toolCall',
            serverName: 'x',
            serverId: server,
            toolName: 'counter',
            arguments: {},
          },
        ],
      },
    ],
  });
  const runId = await evals.launch({ suiteId });
  const run = await evals.decided(runId);
  expect(run).toMatchObject({ result: 'inconclusive', summary: { passed: 0 } });
  expect(run.decision.validity.evaluatorErrorRate).toMatchObject({ value: 1, numerator: 3, denominator: 3 });
  const { items } = await evals.read(runId, '/iterations');
  for (const item of items) expect(JSON.stringify(item)).toContain('browser_unavailable');
  expect(items[2]).toMatchObject({ model: 'widget-probe', provider: 'none' });
});

test('servers that cannot be reached fail the run before any model is asked', async () => {
  provider.script = inspects;
  const gone = await evals.server({ url: 'http://127.0.0.1:1/mcp' });
  const suite = await service.post(`${evals.project}/eval-suites`, {
    name: 'gone',
    serverIds: [server],
    model: 'scripted/model',
    tests: [inspection],
  });
  const runId = await evals.launch({ suiteId: suite.body.suiteId, serverIds: [gone] });
  const run = await evals.decided(runId);
  expect(run).toMatchObject({ status: 'failed', result: null, stopReason: 'setup_failed', decision: null });
  const { items } = await evals.read(runId, '/iterations');
  expect(items[0]).toMatchObject({ status: 'setup_failed', result: null, firstFailedStage: 'connection' });
  expect(provider.requests).toHaveLength(0);
});
