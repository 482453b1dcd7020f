import { beforeEach, describe, expect, test } from 'vitest';
import { executing, scriptedModel } from './support/evals.ts';
import { askedOf, Journeys, playing } from './support/journeys.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';

let provider: ScriptedProvider;
let service: TestService;
let journeys: Journeys;
let server: string;

executing(
  async (parts) => {
    ({ provider, service } = parts);
    journeys = await Journeys.of(service);
    server = await journeys.server();
  },
  { key: 'journey-provider-key-0123456789', env: { DRYDOCK_EVAL_LEASE: '5' } },
);
beforeEach(() => {
  provider.requests.length = 0;
  provider.script = playing({
    persona: (turn) => (turn < 2 ? { message: `Question ${turn}` } : { endSession: true }),
  });
});

const lists = callThenAnswer({ name: 'list_ships', input: {} }, 'Albatross, Bittern and Cormorant.');
const rubric = {
  criteria: [
    {
      id: 'lists',
      label: 'Lists the ships',
      predicate: { type: 'toolCalledAtLeastOnce', toolName: 'list_ships' },
    },
    { id: 'short', predicate: { type: 'turnCountUnder', turns: 2, role: 'advisory' } },
  ],
};

describe('a run', () => {
  test('has the persona speak and the agent answer, and can be read in every way', async () => {
    provider.script = playing({
      persona: (turn) => (turn < 2 ? { message: `Question ${turn}` } : { endSession: true, reason: 'done' }),
      agent: lists,
      judge: () => ({ score: 0.9 }),
    });
    const hostIds = [await journeys.client([server]), await journeys.client([server])];
    const journeyId = await journeys.journey({ hostIds, sessionsPerTarget: 2, maxTurns: 5, rubric });
    const runId = await journeys.launch(journeyId, { waveId: 'wave-1' }, 'first');
    const events = await journeys.follow(runId);
    const run = await journeys.read(runId);
    expect(run).toMatchObject({
      id: runId,
      journeyId,
      waveId: 'wave-1',
      status: 'completed',
      canceled: false,
      stale: false,
      summary: { total: 4, succeeded: 4, failed: 0, rateLimited: 0 },
      targetSummaries: [
        { total: 2, succeeded: 2 },
        { total: 2, succeeded: 2 },
      ],
      verdictSummary: { status: 'decided', decision: { verdict: 'passed' } },
      report: { verdict: 'passed', execution: { configured: 4, completed: 4 }, goalGrading: { passed: 4 } },
      insights: { status: 'not_requested' },
    });
    expect(
      run.attempts.map((attempt: { status: string; turns: number }) => [attempt.status, attempt.turns]),
    ).toEqual(Array.from({ length: 4 }, () => ['succeeded', 2]));
    expect(events.at(-1)).toMatchObject({ type: 'run.ended', status: 'completed' });
    const { items } = await journeys.read(runId, '/sessions');
    expect(items).toHaveLength(4);
    expect(items[0]).toMatchObject({
      id: `synth_${runId}_${hostIds[0]}_0`,
      outcome: 'succeeded',
      status: 'active',
      verdict: { verdict: 'passed', reason: 'allGradersPassed', verdictSource: 'combined' },
      goalScore: { status: 'scored', score: 0.9, passed: true },
      criteria: {
        status: 'completed',
        results: [
          { criterionId: 'lists', passed: true },
          { criterionId: 'short', passed: false },
        ],
      },
      messageCount: 6,
      preview: 'Question 0',
      modelId: scriptedModel,
    });
    const chat = (await service.get(`/chat-sessions/${items[0].id}`)).body;
    expect(chat.messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ]);
    const trace = (await service.get(`/chat-sessions/${items[0].id}/trace?includeSpans=true&limit=20`)).body;
    expect(trace.turns).toHaveLength(2);
    expect(await journeys.read(runId, '/scorecard')).toMatchObject({
      sessionsTotal: 4,
      sessionsGraded: 4,
      criteria: [
        { id: 'lists', passCount: 4, failCount: 0 },
        { id: 'short', passCount: 0, failCount: 4 },
      ],
    });
  });
});
