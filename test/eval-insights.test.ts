// @module-tag long
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { Evals, executing, promptCase } from './support/evals.ts';
import type { Reply, Script, ScriptedProvider } from './support/scripted-provider.ts';
import { startForTest, type TestService } from './support/service.ts';

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;

executing(async (parts) => {
  ({ provider, service, evals } = parts);
});
beforeEach(() => {
  provider.requests.length = 0;
});

/** One case that passes, one whose tool fails, one whose tool is never called, and one with a wrong answer. */
const tests = [
  promptCase('Passes', 'Say something.', { type: 'responseContains', needle: 'Done' }),
  promptCase('Fails in the tool', 'Inspect the Flying Dutchman.'),
  promptCase('Calls nothing', 'List the ships.', {
    type: 'toolCalledAtLeastOnce',
    toolName: 'list_ships',
  }),
  promptCase('Says the wrong thing', 'Say ahoy.', { type: 'responseContains', needle: 'ahoy' }),
];

const tries: Script = ({ body, results }) => {
  const text = JSON.stringify(body.messages);
  const failing = text.includes('Flying Dutchman') && results === 0;
  return failing
    ? {
        toolCalls: [
          { name: 'inspect_hull', input: { ship: 'Flying Dutchman, api_key=sk_very_secret_value' } },
        ],
      }
    : { text: 'Done.' };
};

/** Trials are answered by one script, and whoever explains by another. */
function explainedBy(explain: (findings: string) => Reply): Script {
  return (request) => {
    const text = JSON.stringify(request.body.messages);
    return text.includes('You explain why') ? explain(text) : tries(request);
  };
}

async function runOf(mine: Evals, model?: string): Promise<string> {
  const suite = { serverIds: [await mine.server()], repetitions: 2, passThreshold: 1, tests };
  const suiteId = await mine.suite({ ...suite, ...(model !== undefined && { model }) });
  const runId = await mine.launch({ suiteId });
  await mine.decided(runId);
  return runId;
}

const ask = (mine: Evals, runId: string, body?: object) =>
  mine.service.post(`${mine.project}/eval-runs/${runId}/insights`, body);

async function insightsOf(mine: Evals, runId: string) {
  for (const until = Date.now() + 20_000; Date.now() < until; await delay(25)) {
    const { insights } = await mine.read(runId);
    if (insights.status !== 'pending') return insights;
  }
  throw new Error('still pending');
}

test('what failed is gathered by stage, tool and reason, and a model explains it without adding to it', async () => {
  provider.script = explainedBy((text) => {
    const [first] = text.match(/fnd_[a-f0-9]{24}/g) ?? [];
    const findings = [
      { id: first, rootCause: 'No such ship.', recommendation: 'Say which ships there are.' },
      { id: 'fnd_invented', rootCause: 'The moon.', recommendation: 'Wait.' },
    ];
    return { text: JSON.stringify({ summary: 'Three things fail.', findings }) };
  });
  const runId = await runOf(evals);
  expect((await evals.read(runId)).insights).toMatchObject({ status: 'not_requested', findings: [] });
  expect(await ask(evals, runId)).toMatchObject({ status: 202, body: { runId, status: 'pending' } });
  const insights = await insightsOf(evals, runId);
  expect(insights).toMatchObject({
    schemaVersion: 1,
    scope: { kind: 'eval_run', id: runId },
    status: 'completed',
    reasonCode: null,
    error: null,
    summary: 'Three things fail.',
    coverage: { unit: 'iterations', analyzed: 8, total: 8, gradedCount: 8, truncated: false },
    truncation: { truncated: false, omittedFindings: 0, omittedEvidence: 0 },
  });
  expect(insights.findings).toHaveLength(3);
  const by = (stage: string) =>
    insights.findings.find(({ patternSlug }: { patternSlug: string }) => patternSlug.startsWith(stage));
  expect(by('response.toolError')).toMatchObject({
    category: 'tool_runtime',
    attribution: 'server_runtime',
    actionTarget: 'mcp_server',
    confidence: 'medium',
    severity: 'medium',
    affected: { count: 2, total: 8, unit: 'iterations' },
  });
  expect(by('response.toolError').title).toContain('inspect_hull');
  expect(by('response.toolError').evidence[0]).toMatchObject({
    kind: 'tool_error',
    toolName: 'inspect_hull',
  });
  expect(by('selection.missingToolCall')).toMatchObject({ category: 'tool_contract' });
  expect(by('userValue.predicateFailed')).toMatchObject({
    category: 'agent_behavior',
    title: 'A check is not met: responseContains',
  });
  expect(insights.findings[0]).toMatchObject({ rootCause: 'No such ship.' });
  expect(insights.findings[1].rootCause).toBeUndefined();
  expect(JSON.stringify(insights)).not.toMatch(/moon|very_secret/);
  const { items } = await evals.read(runId, '/iterations');
  const known = new Set(items.map(({ id }: { id: string }) => id));
  for (const { evidence } of insights.findings)
    for (const { iterationId } of evidence) expect(known).toContain(iterationId);

  // Equal failures have equal fingerprints across runs.
  const again = await runOf(evals);
  await ask(evals, again);
  const fingerprints = ({ findings }: { findings: { signalFingerprint: string }[] }) =>
    findings.map(({ signalFingerprint }) => signalFingerprint);
  expect(fingerprints(await insightsOf(evals, again))).toEqual(fingerprints(insights));
});

test('insights are asked for again only by who says so, and of a run that is over', async () => {
  provider.script = () => ({ silent: true });
  const suiteId = await evals.suite({ serverIds: [await evals.server()], tests: tests.slice(0, 1) });
  const open = await evals.launch({ suiteId });
  expect((await evals.read(open)).insights).toMatchObject({
    status: 'not_available',
    reasonCode: 'run_not_over',
  });
  expect(await ask(evals, open)).toMatchObject({
    status: 409,
    body: { details: { reason: 'RUN_NOT_OVER' } },
  });
  await service.post(`${evals.project}/eval-runs/${open}/cancel`);
  provider.script = explainedBy(() => ({ text: '{"summary": "ok", "findings": []}' }));
  const runId = await runOf(evals);
  await ask(evals, runId);
  await insightsOf(evals, runId);
  expect(await ask(evals, runId)).toMatchObject({
    status: 409,
    body: { details: { reason: 'INSIGHTS_COMPLETED' } },
  });
  expect((await ask(evals, runId, { force: 'yes' })).status).toBe(400);
  expect((await ask(evals, runId, { force: true })).status).toBe(202);
  expect((await insightsOf(evals, runId)).status).toBe('completed');
});

test.each([
  ['fails', () => ({ status: 400, text: 'no' }), 'model_failed'],
  ['answers with something else', () => ({ text: 'Let me think.' }), 'model_answer_invalid'],
  [
    'answers with too much',
    () => ({ text: `{"summary": "${'x'.repeat(100_000)}", "findings": []}` }),
    'model_answer_invalid',
  ],
])('a model that %s leaves what was counted', async (_, explain, reasonCode) => {
  provider.script = explainedBy(explain);
  const runId = await runOf(evals);
  await ask(evals, runId);
  const insights = await insightsOf(evals, runId);
  expect(insights).toMatchObject({
    status: 'completed',
    reasonCode,
    summary: '6 of 8 trials did not pass: 3 kinds of failure.',
  });
  expect(insights.findings).toHaveLength(3);
});

test('without a language model what failed is counted, and the day has so many requests', async () => {
  const offline = await startForTest();
  const mine = await Evals.of(offline);
  const runId = await runOf(mine, 'drydock/rehearsal');
  await ask(mine, runId);
  const insights = await insightsOf(mine, runId);
  expect(insights).toMatchObject({ status: 'completed', reasonCode: 'no_model', coverage: { analyzed: 8 } });
  expect(insights.findings.length).toBeGreaterThan(0);
  for (const { rootCause } of insights.findings) expect(rootCause).toBeUndefined();
  const database = await offline.database.connect();
  try {
    await database.query(
      `with made as (insert into plans (name, limits, features) values ('small', '{"insightsPerDay": 2}', '{}'))
       update organizations set plan = 'small'`,
    );
  } finally {
    await database.end();
  }
  // The judge draws on the same days.
  expect((await offline.post(`${mine.project}/eval-runs/${runId}/judge`)).status).toBe(202);
  const refused = await ask(mine, runId, { force: true });
  expect(refused).toMatchObject({ status: 429, body: { details: { limit: 'insightsPerDay' } } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await mine.read(runId)).insights.status).toBe('completed');
});
