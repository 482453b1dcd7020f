// @module-tag long
import { afterAll, expect, test } from 'vitest';
import { orNull, time } from '../src/platform/database/columns.ts';
import { Evals, executing, promptCase } from './support/evals.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import { startForTest, type TestService } from './support/service.ts';
import { statement } from './support/statement.ts';
import { startWidgetServer, type WidgetServer, widgetSample } from './targets/widgets.ts';

/** Cases whose steps and checks are about widgets, in a real browser. */

let service: TestService;
let evals: Evals;
let provider: ScriptedProvider;
let env: Record<string, string>;
let target: WidgetServer;
let serverIds: string[];
executing(async (parts) => {
  ({ service, evals, provider, env } = parts);
  target = await startWidgetServer();
  serverIds = [await evals.server({ url: target.url, name: 'widgets' })];
});
afterAll(() => target?.stop());

const counter = 'counter';
const button = (name: string) => ({ role: { role: 'button', name } });
const count = { testId: 'count' };
const captain = { role: { role: 'textbox', name: 'Captain' } };

/** A case that calls the tool of a widget and continues with these steps, which get IDs in order. */
function widgetCase(title: string, steps: object[], toolName = counter, more: object = {}) {
  const call = {
    kind: 'toolCall',
    serverName: 'widgets',
    toolName,
    arguments: { ship: 'Albatross' },
    ...more,
  };
  return { title, steps: [call, ...steps].map((step, nth) => ({ id: `s${nth}`, ...step })) };
}
const act = (action: object) => ({ kind: 'interact', toolName: counter, action });
const sees = (assertion: object) => ({ kind: 'assert', assertion: { toolName: counter, ...assertion } });
const checks = (assertion: object) => ({ kind: 'assert', assertion });

async function tried(tests: object[], servers = serverIds) {
  const suiteId = await evals.suite({
    serverIds: servers,
    repetitions: 1,
    passThreshold: 1,
    tests: tests as Record<string, unknown>[],
  });
  const runId = await evals.launch({ suiteId });
  const run = await evals.decided(runId);
  const { items } = await evals.read(runId, '/iterations');
  return { runId, run, items };
}

test('a widget is used as a person would, and what was seen is kept', { tags: ['chromium'] }, async () => {
  const { runId, run, items } = await tried([
    widgetCase('Uses', [
      sees({ kind: 'textVisible', text: 'Albatross seaworthy' }),
      act({ kind: 'click', target: { ...button('Add'), nth: 1 } }),
      act({ kind: 'click', target: { ...button('Add'), nth: 0 }, clickType: 'double' }),
      sees({ kind: 'elementVisible', target: { ...count, text: '3' } }),
      sees({ kind: 'elementHidden', target: { css: '#greeting' } }),
      act({ kind: 'type', target: captain, text: 'Ada' }),
      act({ kind: 'key', key: 'Enter' }),
      sees({ kind: 'inputValue', target: captain, equals: 'Ada' }),
      sees({ kind: 'textVisible', text: 'Aye, Ada' }),
      act({ kind: 'scroll', direction: 'down', amount: 100 }),
      act({ kind: 'click', target: button('Forbidden') }),
      sees({ kind: 'textVisible', text: 'refused: The tool scuttle is not visible to widgets' }),
      act({ kind: 'click', target: button('Look up') }),
      sees({ kind: 'widgetToolCalled', calledToolName: 'look_up' }),
      checks({ type: 'widgetRendered', toolName: counter }),
      checks({ type: 'widgetRenderLatencyUnder', ms: 60_000 }),
      checks({ type: 'widgetNoConsoleErrors' }),
    ]),
  ]);
  expect(items[0]).toMatchObject({ status: 'completed', result: 'passed', error: null });
  expect(run).toMatchObject({ result: 'passed' });
  expect(target.asked).not.toContain('tools/call scuttle');

  const iteration = `/iterations/${items[0].id}`;
  const trace = await evals.read(runId, `${iteration}/trace`);
  expect(trace.widgetSnapshots).toMatchObject([
    {
      toolName: counter,
      status: 'rendered',
      resourceUri: 'ui://fixture/counter',
      bridgeInitialized: true,
      snapshot: { tree: expect.stringContaining('Albatross') },
      toolCalls: [{ toolName: 'scuttle', error: expect.any(String) }, { toolName: 'look_up' }],
    },
  ]);
  expect(trace.spans).toContainEqual(
    expect.objectContaining({ name: 'look_up', category: 'tool', calledBy: 'widget', status: 'ok' }),
  );
  const { items: steps } = await evals.read(runId, `${iteration}/steps`);
  const offsets = steps.flatMap(({ evidence }: { evidence?: { videoOffsetMs?: number } }) =>
    evidence?.videoOffsetMs === undefined ? [] : [evidence.videoOffsetMs],
  );
  expect(offsets).toHaveLength(14);
  expect(offsets).toEqual([...offsets].sort((a: number, b: number) => a - b));
  const video = await fetch(steps[1].evidence.videoUrl, { headers: { range: 'bytes=0-3' } });
  expect([video.status, (await video.arrayBuffer()).byteLength]).toEqual([206, 4]);
  expect((await fetch(trace.videoUrl)).headers.get('content-type')).toMatch(/^video\/(webm|x-motion-jpeg)$/);

  // Each step has a screenshot except assertions, which change nothing.
  const pictures = steps.map(
    ({ evidence }: { evidence?: { screenshotUrl?: string } }) => evidence?.screenshotUrl,
  );
  expect(pictures.map((url?: string) => url !== undefined)).toEqual(
    steps.map(({ kind }: { kind: string }) => kind !== 'assert'),
  );
  for (const url of [pictures[0], pictures[2], trace.widgetSnapshots[0].screenshotUrl]) {
    const picture = await fetch(url);
    expect(picture.headers.get('content-type')).toBe('image/png');
    expect(
      Buffer.from(await picture.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  }

  await service.db.run(removeRun, { runId });
  const left = await service.db.row(unusedSince, { id: trace.videoBlobId });
  expect(left?.unusedSince).toEqual(expect.any(Number));
});

test('what is not so fails with the reason, and a widget that does not come is told', {
  tags: ['chromium'],
}, async () => {
  const failing = [
    widgetCase('Which', [act({ kind: 'click', target: button('Add') })]),
    widgetCase('Absent', [act({ kind: 'click', target: button('Sink') })]),
    widgetCase('Value', [sees({ kind: 'inputValue', target: captain, equals: 'Ada' })]),
    widgetCase(
      'Complains',
      [
        { kind: 'interact', toolName: 'complains', action: { kind: 'click', target: button('Pump') } },
        checks({ type: 'widgetNoConsoleErrors' }),
      ],
      'complains',
    ),
    widgetCase('Silent', [], 'silent', { renderTimeoutMs: 3_000 }),
    widgetCase('None', [], 'look_up'),
  ];
  const { run, items, runId } = await tried(failing);
  expect(run).toMatchObject({ result: 'failed', summary: { passed: 0, failed: 6 } });
  const reasons: string[] = [];
  for (const { id, predicateResults } of items) {
    const { items: steps } = await evals.read(runId, `/iterations/${id}/steps`);
    const [failed] = [...steps.slice(1), ...predicateResults].filter(
      ({ status, passed }) => status === 'fail' || passed === false,
    );
    reasons.push(failed.reason);
  }
  expect(reasons).toEqual([
    '2 elements match button "Add". Select one with nth, from 0',
    'No visible element matches button "Sink"',
    'textbox "Captain" has the value "", not "Ada"',
    'On the console: "the chart is missing", "2 leaks"',
    expect.stringContaining('bridge_timeout'),
    expect.stringContaining('no_ui_resource'),
  ]);
  expect(items[4]).toMatchObject({ firstFailedStage: 'response' });
});

test('a sample of those who wrote MCP Apps works', { tags: ['chromium'] }, async () => {
  const sample = await evals.server({
    command: process.execPath,
    args: [widgetSample, '--stdio'],
    name: 'sample',
  });
  const ask = { kind: 'click', target: button('Get Server Time') };
  const { items } = await tried(
    [
      {
        title: 'Sample',
        steps: [
          { id: '1', kind: 'toolCall', serverName: 'sample', toolName: 'get-time', arguments: {} },
          { id: '2', kind: 'interact', toolName: 'get-time', action: ask },
          {
            id: '3',
            kind: 'assert',
            assertion: { kind: 'widgetToolCalled', toolName: 'get-time', calledToolName: 'get-time' },
          },
          { id: '4', kind: 'assert', assertion: { type: 'widgetRendered' } },
          { id: '5', kind: 'assert', assertion: { type: 'widgetNoConsoleErrors' } },
        ],
      },
    ],
    [sample],
  );
  expect(items[0]).toMatchObject({ result: 'passed', error: null });
});

test('trials that find no room in the browser wait for each other', { tags: ['chromium'] }, async () => {
  const narrow = await startForTest({ env: { ...env, DRYDOCK_BROWSER_SESSIONS: '1' } });
  const there = await Evals.of(narrow);
  const server = await there.server({ url: await narrow.widgetUrl(), name: 'widgets' });
  const two = { kind: 'toolCall', serverName: 'widgets', toolName: 'complains', arguments: {} };
  const tests = [
    ...['A', 'B', 'C'].map((title) => widgetCase(title, [sees({ kind: 'textVisible', text: 'Albatross' })])),
    // With room for one widget, the second one closes the first.
    widgetCase('D', [two, sees({ kind: 'textVisible', text: 'Albatross' })]),
  ];
  const suiteId = await there.suite({ serverIds: [server], repetitions: 1, passThreshold: 1, tests });
  const runId = await there.launch({ suiteId });
  await there.decided(runId);
  const { items } = await there.read(runId, '/iterations');
  const results = items.map(({ title, result }: { title: string; result: string }) => `${title} ${result}`);
  expect(results.sort()).toEqual(['A passed', 'B passed', 'C passed', 'D failed']);
});

test('the widget of a tool that the model called is looked at', { tags: ['chromium'] }, async () => {
  provider.script = callThenAnswer({ name: counter, input: { ship: 'Gannet' } }, 'Here it is.');
  const { items } = await tried([
    promptCase(
      'Prompted',
      'Show the Gannet',
      { kind: 'textVisible', toolName: counter, text: 'Gannet seaworthy' },
      { type: 'widgetRendered' },
    ),
  ]);
  expect(items[0]).toMatchObject({ result: 'passed' });
});

test('a browser that dies is replaced for the next widget, and blamed on no server', {
  tags: ['chromium'],
}, async () => {
  const { browsers } = service.running.services;
  const waiting = widgetCase('Dies', [
    act({ kind: 'wait', ms: 3_000 }),
    act({ kind: 'click', target: button('Look up') }),
  ]);
  const suiteId = await evals.suite({ serverIds, repetitions: 1, passThreshold: 1, tests: [waiting] });
  const runId = await evals.launch({ suiteId });
  // The widget is present, and the next step waits.
  await expect.poll(() => service.db.rows(called, { runId })).toHaveLength(1);
  for (const pid of browsers.pids) process.kill(pid, 'SIGKILL');
  const run = await evals.decided(runId);
  expect(run).toMatchObject({ result: 'inconclusive' });
  const { items } = await evals.read(runId, '/iterations');
  expect(JSON.stringify(items[0])).toContain('browser_unavailable');
  const again = await tried([widgetCase('Lives', [sees({ kind: 'textVisible', text: 'Albatross' })])]);
  expect(again.items[0]).toMatchObject({ result: 'passed' });
});

const removeRun = statement('test.remove-run', 'delete from eval_runs where id = :runId');
const unusedSince = statement(
  'test.unused-since',
  'select unused_since as "unusedSince" from blobs where id = :id',
  { unusedSince: orNull(time) },
);
const called = statement(
  'test.called',
  `select 1 from eval_run_events where run_id = :runId and data ->> 'kind' = 'toolCall'`,
);
