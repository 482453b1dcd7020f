// @module-tag long
import { beforeEach, describe, expect, test } from 'vitest';
import { executing } from './support/evals.ts';
import { askedOf, Journeys, playing } from './support/journeys.ts';
import type { Script, ScriptedProvider } from './support/scripted-provider.ts';
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
  { env: { DRYDOCK_EVAL_LEASE: '5', DRYDOCK_JOURNEY_SILENCE: '60' } },
);
beforeEach(() => {
  provider.script = plays(true);
});

const rubric = {
  criteria: [{ id: 'lists', predicate: { type: 'toolCalledAtLeastOnce', toolName: 'list_ships' } }],
};

/** Whether the agent does what the rubric asks for. */
function plays(good: boolean): Script {
  return playing({
    persona: (turn) => (turn < 1 ? { message: 'Which ships are here?' } : { endSession: true }),
    agent: ({ results }) =>
      good && results === 0 ? { toolCalls: [{ name: 'list_ships', input: {} }] } : { text: 'Three ships.' },
    judge: () => ({ score: good ? 1 : 0 }),
  });
}

interface Finding {
  id: string;
  fingerprint: string;
  status: string;
  occurrenceCount: number;
  lastSeenWaveId: string;
  resolvedAt: number | null;
  dismissedAt: number | null;
  waves: { waveId: string; fired: boolean; affected: number; total: number }[];
}

async function findings(detector: string): Promise<Finding[]> {
  const { items } = await journeys.ok(service.get(`${journeys.project}/journey-findings`));
  return items.filter(({ fingerprint }: Finding) => fingerprint.startsWith(detector));
}

describe('findings', () => {
  test('come, go and come back with the waves of a journey; a dismissal stays what it is', async () => {
    const journeyId = await journeys.journey({
      hostIds: [await journeys.client([server])],
      sessionsPerTarget: 2,
      rubric,
    });
    const told: string[] = [];
    for (const [nth, good] of [false, false, true, false, false].entries()) {
      provider.script = plays(good);
      const run = await journeys.over(await journeys.launch(journeyId, { waveId: `wave-${nth}` }));
      expect(run.verdictSummary.decision.verdict).toBe(good ? 'passed' : 'failed');
      await expect.poll(async () => (await findings('criterion_failed'))[0]?.waves.length).toBe(nth + 1);
      const [finding] = await findings('criterion_failed');
      told.push(
        `${finding?.status} ${finding?.occurrenceCount} ${finding?.lastSeenWaveId} ${finding?.resolvedAt !== null}`,
      );
      const path = `${journeys.project}/journey-findings/${finding?.id}/dismiss`;
      expect((await service.post(path)).body).toEqual({
        id: finding?.id,
        projectId: journeys.projectId,
        dismissed: true,
      });
      expect((await service.post(path)).status).toBe(200);
    }
    expect(told).toEqual([
      'new 1 wave-0 false',
      'recurring 2 wave-1 false',
      'resolved 2 wave-1 true',
      'regressed 3 wave-3 false',
      'recurring 4 wave-4 false',
    ]);
    const [finding] = await findings('criterion_failed');
    expect(finding?.dismissedAt).not.toBeNull();
    expect(finding?.waves.map(({ fired, affected, total }) => [fired, affected, total])).toEqual([
      [true, 2, 2],
      [true, 2, 2],
      [false, 0, 2],
      [true, 2, 2],
      [true, 2, 2],
    ]);
    const later = `${journeys.project}/goal-findings/${finding?.id}/undismiss`;
    expect((await service.post(later)).body.dismissed).toBe(false);
    expect((await findings('criterion_failed'))[0]?.dismissedAt).toBeNull();
    expect((await findings('goal_missed'))[0]).toMatchObject({ status: 'recurring', occurrenceCount: 4 });
    const overview = (await service.get(`${journeys.project}/journeys-overview`)).body;
    expect(overview).toMatchObject({
      runsConsidered: 5,
      goalCompletion: { gradedCount: 10, passedCount: 2, passRate: 0.2, runsWithGrades: 5 },
    });
    expect(overview.runs[0]).toMatchObject({
      journeyId,
      goalId: journeyId,
      waveId: 'wave-4',
      swarmRunId: 'wave-4',
      goalCompletion: { gradedCount: 2, passedCount: 0, avgScore: 0 },
      findings: [{ criterionId: 'lists', failCount: 2, sessionsGraded: 2, runStreak: 2 }],
    });
    expect((await service.get(`${journeys.project}/goals-overview`)).body).toEqual(overview);
  });
});

describe('insights into a wave', () => {
  test('are asked for, read, asked for again and no longer wanted', async () => {
    provider.script = (request) => {
      const words = JSON.stringify(request.body.messages);
      if (words.includes('<CANDIDATES')) {
        const [fingerprint] = /criterion_failed:[^"\\]+/.exec(words) ?? [];
        const about = {
          fingerprint,
          rootCause: 'It is not told to.',
          recommendation: 'Tell it.',
          confidence: 'high',
        };
        return { text: JSON.stringify({ summary: 'Nobody lists ships.', candidates: [about] }) };
      }
      if (words.includes('<SESSIONS')) return { text: '{"findings": []}' };
      return plays(false)(request);
    };
    const hostIds = [await journeys.client([server])];
    const journeyId = await journeys.journey({ hostIds, sessionsPerTarget: 2, rubric });
    const runId = await journeys.launch(journeyId);
    const { waveId, insights: before } = await journeys.over(runId);
    expect(before.status).toBe('not_requested');
    const path = `${journeys.project}/waves/${waveId}/insights`;
    expect((await service.get(path)).status).toBe(404);
    expect((await service.delete(path)).status).toBe(409);
    expect(await service.post(path)).toMatchObject({ status: 202, body: { waveId, status: 'pending' } });
    await expect.poll(async () => (await service.get(path)).body.status).toBe('completed');
    const { insights } = (await service.get(path)).body;
    expect(insights).toMatchObject({
      summary: 'Nobody lists ships.',
      sessionCount: 2,
      judgeCoverage: { graded: 2, total: 2 },
      candidates: [{ detector: 'criterion_failed', affectedSessions: 2, rootCause: 'It is not told to.' }],
      modelUsed: 'scripted/model',
      journeyFindings: { contractVersion: 1, summaryKind: 'broken' },
    });
    expect((await journeys.read(runId)).insights).toMatchObject({
      status: 'completed',
      scope: { kind: 'swarm_wave', id: waveId, runId },
      findings: expect.arrayContaining([expect.objectContaining({ rootCause: 'It is not told to.' })]),
    });
    expect((await service.get(`${journeys.project}/swarm-runs/${waveId}/insights`)).body).toMatchObject({
      swarmRunId: waveId,
      status: 'completed',
    });
    expect((await service.post(path)).status).toBe(409);
    const spent = await spentToday();
    expect((await service.post(path, { force: true })).status).toBe(202);
    expect(await spentToday()).toBe(spent + 1);
    await expect.poll(async () => (await service.get(path)).body.status).toBe('completed');
    expect((await service.post(`${journeys.project}/waves/unknown/insights`)).status).toBe(404);
  });

  test('that are no longer wanted are not written', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    provider.script = (request) =>
      JSON.stringify(request.body.messages).includes('<SESSIONS')
        ? { text: '{"findings": []}', pace: () => held, latencyMs: 300 }
        : plays(true)(request);
    const runId = await journeys.launch(
      await journeys.journey({ hostIds: [await journeys.client([server])] }),
    );
    const { waveId } = await journeys.over(runId);
    const path = `${journeys.project}/waves/${waveId}/insights`;
    await service.post(path);
    await expect
      .poll(() => provider.requests.some(({ body }) => JSON.stringify(body).includes('<SESSIONS')))
      .toBe(true);
    expect((await service.delete(path)).body).toEqual({
      waveId,
      projectId: journeys.projectId,
      canceled: true,
    });
    release();
    expect((await service.get(path)).status).toBe(404);
    expect((await service.delete(path)).status).toBe(409);
  });
});

test('a run that nobody works on any more is ended as stale', async () => {
  provider.script = (request) => (askedOf(request) === 'agent' ? { silent: true } : plays(true)(request));
  const hostIds = [await journeys.client([server])];
  const runId = await journeys.launch(await journeys.journey({ hostIds, sessionsPerTarget: 2 }));
  await expect.poll(async () => (await journeys.read(runId)).attempts[0].status).toBe('running');
  // As if its process had been gone for an hour, and nobody had come instead.
  const database = await service.database.connect();
  await database.query(`update journey_runs set created_at = now() - interval '1 hour' where id = $1`, [
    runId,
  ]);
  await database.query(
    `update journey_sessions set touched_at = now() - interval '1 hour', state = 'waiting', lease_token = null,
       due_at = now() + interval '1 hour' where run_id = $1 and state = 'running'`,
    [runId],
  );
  await database.query(
    `update jobs set due_at = now() where kind = 'watch-journey-runs' and state = 'waiting'`,
  );
  await database.query(`select pg_notify('drydock_jobs', 'watch-journey-runs')`);
  await database.end();
  await expect.poll(async () => (await journeys.read(runId)).status).toBe('failed');
  expect(await journeys.read(runId)).toMatchObject({
    stale: true,
    canceled: false,
    error: 'stale_runner',
    summary: { total: 2, succeeded: 0, failed: 2, rateLimited: 0 },
    attempts: [{ errorCode: 'stale_runner' }, { errorCode: 'stale_runner' }],
  });
});

async function spentToday(): Promise<number> {
  const database = await service.database.connect();
  const { rows } = await database.query(
    `select count(*)::int as count from ledger_entries where budget = 'insightsPerDay'`,
  );
  await database.end();
  return rows[0].count as number;
}
