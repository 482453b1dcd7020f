import { afterAll, expect, test } from 'vitest';
import { toJunit } from '../src/surfaces/cli/reports/junit.ts';
import { toMarkdown } from '../src/surfaces/cli/reports/markdown.ts';
import { createClient } from '../src/surfaces/client/index.ts';
import { sentence } from '../src/surfaces/findings/run-conclusion.ts';
import { findingsOf } from '../src/surfaces/findings/run-findings.ts';
import { runReport } from '../src/surfaces/findings/run-report.ts';
import { type Evals, executing, promptCase } from './support/evals.ts';
import { inspects } from './support/judging.ts';
import type { Reply, ScriptedProvider } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';
import { type Changing, startChanging } from './targets/changing.ts';

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let server: string;
let bare: string;
let empty: Changing | undefined;
afterAll(() => empty?.stop());

executing(async (parts) => {
  ({ provider, service, evals } = parts);
  server = await evals.server();
  empty = await startChanging({ tools: [] });
  bare = await evals.server({ url: empty.url });
});

interface Row {
  title: string;
  test: Record<string, unknown>;
  without?: true;
  reply?: Reply;
  policy?: object;
  codes: string[];
}

const policy2 = { repetitions: 1, passThreshold: 1 };
const checked = { type: 'responseContains', needle: 'rusty' };
const none = { checks: { mode: 'replace', list: [] } };
const advisory = { checks: { mode: 'replace', list: [{ ...checked, role: 'advisory' }] } };
const silent = { text: '' };
const negative = { isNegativeTest: true };

const rows: Row[] = [
  { title: 'a check', test: promptCase('c', 'x', checked), codes: [] },
  { title: 'a tool that worked and an answer', test: promptCase('c', 'x'), codes: [] },
  {
    title: 'no tool and no check',
    test: { ...promptCase('c', 'x'), ...none },
    reply: { text: 'Yes.' },
    codes: ['nothing_checked'],
  },
  {
    title: 'only advice',
    test: { ...promptCase('c', 'x'), ...advisory },
    reply: { text: 'Yes.' },
    codes: ['nothing_checked'],
  },
  {
    title: 'no check and an empty answer',
    test: promptCase('c', 'x'),
    reply: silent,
    codes: ['nothing_checked'],
  },
  {
    title: 'a negative case',
    test: { ...promptCase('c', 'x'), ...negative },
    reply: { text: 'No.' },
    codes: [],
  },
  {
    title: 'a negative case without tools',
    test: { ...promptCase('c', 'x'), ...negative },
    reply: { text: 'No.' },
    without: true,
    codes: ['no_tools_offered'],
  },
  {
    title: 'a forbidden tool that is not there',
    test: promptCase('c', 'x', { type: 'toolNeverCalled', toolName: 'flood' }),
    reply: { text: 'No.' },
    without: true,
    codes: ['no_tools_offered'],
  },
  {
    title: 'a check of the answer without tools',
    test: promptCase('c', 'x', checked),
    reply: { text: 'rusty' },
    without: true,
    codes: [],
  },
  {
    title: 'a provider that refuses, and 0% is enough',
    test: promptCase('c', 'x', checked),
    reply: { status: 400, text: 'no' },
    policy: { passCriteria: { minimumPassRate: 0 } },
    codes: ['no_trial_passed'],
  },
  {
    title: 'a case that fails, and 0% is enough',
    test: promptCase('c', 'x', checked),
    reply: { text: 'No.' },
    policy: { repetitions: 1, passThreshold: 0 },
    codes: ['no_trial_passed'],
  },
];

test.each(rows)(
  'a run that passed by $title carries $codes',
  async ({ test: one, without, reply, policy = policy2, codes }) => {
    provider.script = reply ? () => reply : inspects;
    const suiteId = await evals.suite({ serverIds: [without ? bare : server], tests: [one], ...policy });
    const runId = await evals.launch({ suiteId });
    const run = await evals.decided(runId);
    expect(run.result).toBe('passed');
    expect((run.warnings ?? []).map(({ code }: { code: string }) => code)).toEqual(codes);
    const [listed] = (await service.get(`${evals.project}/eval-runs?suiteId=${suiteId}`)).body.items;
    expect(listed.warnings).toEqual(run.warnings);
    // Every place that shows the verdict shows the warning.
    const findings = await findingsOf(client(), { projectId: evals.project.split('/')[2] as string, runId });
    const report = runReport(findings);
    const texts = [sentence(findings.run), toMarkdown(report), toJunit(report)];
    for (const text of texts)
      expect(
        /nothing was checked|0% (is enough|required)|required pass rate is 0%|counts as passed|0 of 0 trials/i.test(
          text,
        ),
      ).toBe(codes.length > 0);
    expect(toJunit(report)).toMatch(codes.length > 0 ? /<(skipped|error) message=/ : /<testcase [^>]*\/>/);
    expect(toMarkdown(report).startsWith('## ✅')).toBe(codes.length === 0);
  },
);

test('results that are reported as passed together with a failure are pointed out', async () => {
  const definitions = [{ scorerId: 'exact', role: 'gating' }];
  const scored = (passed: boolean) => ({
    scores: [{ scorerId: 'exact', passed }],
    evaluationConfig: { hash: 'h', definitions },
  });
  const results = [
    { caseTitle: 'fine', passed: true, ...scored(true) },
    { caseTitle: 'failed', passed: false, error: 'boom' },
    { caseTitle: 'an error', passed: true, error: 'boom' },
    { caseTitle: 'a score', passed: true, ...scored(false) },
  ];
  const body = { suiteName: 'reported', passCriteria: { minimumPassRate: 50 }, results };
  const reported = await service.post(`${evals.project}/eval-ingest/report`, body);
  expect(reported).toMatchObject({ status: 200, body: { result: 'passed' } });
  const run = await evals.read(reported.body.runId);
  expect(run.warnings).toEqual([
    {
      code: 'reported_with_failure',
      message: expect.stringMatching(/2 passed trials of "an error", "a score"/),
    },
  ]);
});

function client() {
  return createClient({ baseUrl: service.running.baseUrl, apiKey: service.key });
}
