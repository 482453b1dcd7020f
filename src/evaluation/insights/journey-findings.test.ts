import { expect, test } from 'vitest';
import { dispositionOf, dispositions, meanings } from '../swarms/disposition.ts';
import { exampleCriteria, exampleRubric, exampleSession } from '../swarms/example-session.ts';
import type { Criterion, SessionFacts } from '../swarms/facts.ts';
import type { JourneyRunFacts } from '../swarms/run-verdict.ts';
import { journeyFindings } from './journey-findings.ts';

const met = { judge: { status: 'scored', passed: true } } as const;
const missed = { judge: { status: 'scored', passed: false } } as const;
const calls = (count: number, errors: number) => ({
  tools: [{ serverId: 'srv_1', serverName: 'Trains', toolName: 'find', calls: count, errors }],
});
const argumentsFail: SessionFacts['criteria'] = {
  status: 'completed',
  results: [
    {
      criterionId: 'a',
      label: null,
      kind: 'argumentsMatchToolSchema',
      role: 'required',
      status: 'scored',
      passed: false,
    },
  ],
};

const rows: [string, Partial<SessionFacts>][] = [
  ['goalMet', met],
  ['goalMetWithFriction', { ...met, turnCapReached: true }],
  ['goalMetWithFriction', { ...met, criteria: exampleCriteria('pf') }],
  ['goalMissed', missed],
  ['goalMissed', { ...missed, ...calls(2, 1) }],
  ['blockedByResponse', { ...missed, ...calls(2, 2) }],
  ['blockedCallingTool', { ...met, criteria: argumentsFail, ...calls(2, 2) }],
  ['lostFindingTool', { ...missed, tools: [], unknownTools: ['buy'] }],
  ['blockedConnecting', { status: 'failed', errorCode: 'session_failed', turns: 0 }],
  ['notMeasured', { ...missed, status: 'failed', errorCode: 'session_failed' }],
  ['notMeasured', { status: 'running' }],
  ['notMeasured', { judge: { status: 'errored' } }],
  ['notMeasured', {}],
  ['notRun', { status: 'failed', errorCode: 'runner_shutdown', turns: 0 }],
  ['notRun', { status: 'rate_limited' }],
  ['notRun', { status: 'failed', errorCode: 'canceled' }],
];

test.each(rows)('%s: %o', (disposition, facts) => {
  expect(dispositionOf(exampleSession(facts), false)).toBe(disposition);
});

test('every disposition is in the table; calling no tool means something only where others do', () => {
  expect(new Set(rows.map(([disposition]) => disposition))).toEqual(new Set(dispositions));
  const silent = exampleSession({ ...missed, tools: [] });
  expect(dispositionOf(silent, false)).toBe('goalMissed');
  expect(dispositionOf(silent, true)).toBe('lostFindingTool');
  for (const { phrase } of Object.values(meanings)) expect(phrase ?? '').toMatch(/^\D{0,100}$/);
});

function run(
  runId: string,
  sessions: Partial<SessionFacts>[],
  rubric: readonly Criterion[] = [],
): JourneyRunFacts {
  const facts = sessions.map((over, at) => exampleSession({ sessionId: `${runId}_${at}`, runId, ...over }));
  return { runId, rubric, sessions: facts };
}

const elsewhere = { kind: 'host', id: 'cli_1', label: 'Desk', modelId: null } as const;
const hurried = { persona: { id: null, name: 'Hurried' } };

test('each target of each run is one finding: the most frequent failure, with the sessions that show it', () => {
  const erring = { ...missed, ...calls(1, 1) };
  const found = journeyFindings(
    [
      run('run_1', [met, { ...missed, tools: [] }, erring, erring, { ...met, target: elsewhere }]),
      run('run_2', [
        { ...met, ...hurried },
        { ...met, ...hurried, status: 'rate_limited' },
      ]),
    ],
    5,
  );
  expect(found.findings[0]).toEqual({
    id: expect.stringMatching(/^jfd_[0-9a-f]{24}$/),
    basis: 'populationFact',
    scopeLevel: 'target',
    persona: { personaRefId: 'per_1', name: 'Commuter' },
    goal: { runId: 'run_1', journeyRefId: 'jny_1', title: 'Buy a ticket' },
    target: { kind: 'environment', id: 'env_1', label: 'Staging', modelId: 'm' },
    population: { count: 2, total: 4, unit: 'sessions' },
    sessionIds: ['run_1_2', 'run_1_3'],
    citations: [],
    verdictSeen: 'failed',
    chainStage: 'response',
    chainStageState: 'failed',
    chainStageBasis: 'derived',
    disposition: 'blockedByResponse',
    tone: 'fail',
    coverageNotes: [],
    outcomePhrase: 'Goal not met: every tool call returned an error',
    mechanismPhrase: null,
    fixPhrase: null,
    reportExcerpt: null,
    mechanismId: null,
    signal: 'toolErrored',
  });
  const others = found.findings
    .slice(1)
    .map(({ goal, verdictSeen, disposition, coverageNotes }) => [
      goal.runId,
      verdictSeen,
      disposition,
      coverageNotes,
    ]);
  expect(others).toHaveLength(2);
  expect(others).toEqual(
    expect.arrayContaining([
      ['run_1', 'passed', 'goalMet', []],
      ['run_2', 'inconclusive', 'goalMet', ['sessionsRateLimited']],
    ]),
  );
  expect(found).toMatchObject({
    generatedAt: 5,
    extractionModel: 'none',
    summaryKind: 'broken',
    population: { configured: 7, started: 7, read: 6, unread: 0, withdrawn: 0, limited: 1, graded: 6 },
    coverageNotes: ['sessionsRateLimited'],
    disclosure: { evidenceSent: [] },
    personas: [
      {
        persona: { name: 'Commuter' },
        disposition: 'blockedByResponse',
        tone: 'fail',
        goalRunIds: ['run_1'],
      },
      { persona: { name: 'Hurried' }, disposition: 'goalMet', tone: 'ok', goalRunIds: ['run_2'] },
    ],
  });
});

test.each<[string, Partial<SessionFacts>[]]>([
  ['notLaunched', []],
  ['notLaunched', [{ status: 'rate_limited', turns: 0 }]],
  ['broken', [met, missed]],
  ['friction', [met, { ...met, outputTruncated: true }]],
  ['landed', [met, { status: 'running' }]],
  ['ungraded', [{}]],
  ['unread', [{ status: 'running' }]],
])('a wave is summed up as %s', (summaryKind, sessions) => {
  expect(journeyFindings([run('run_1', sessions)], 0).summaryKind).toBe(summaryKind);
});

test('the order of sessions changes no revision, and a new fact does', () => {
  const sessions = run('run_1', [met, missed]).sessions;
  const revision = (facts: readonly SessionFacts[]) =>
    journeyFindings([{ runId: 'run_1', rubric: exampleRubric, sessions: facts }], 0).sourceRevision;
  expect(revision(sessions.toReversed())).toBe(revision(sessions));
  expect(revision(run('run_1', [met, met]).sessions)).not.toBe(revision(sessions));
});
