// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationList } from '../src/contract/index.ts';
import { isSafe, isSecondName } from '../src/contract/operation.ts';
import { settleLost } from '../src/domain/model-calls/ledger.ts';
import type { Script } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';
import { SpendingWorld, send, stepCredits } from './support/spending.ts';
import { ok, Visitor } from './support/studies.ts';
import { latch } from './support/swarms.ts';

/** Two replicas with a priced model, and one service with an unpriced model. */
let priced: SpendingWorld;
let unpriced: SpendingWorld;
beforeAll(async () => {
  [priced, unpriced] = await Promise.all([
    SpendingWorld.start({ priced: true, replicas: 2 }),
    SpendingWorld.start({ priced: false, replicas: 1 }),
  ]);
}, 60_000);
afterAll(async () => {
  await priced?.stop();
  await unpriced?.stop();
});

interface Way {
  /** Sends one request. Resolves with the answer, even if work goes on in the background. */
  use: (
    world: SpendingWorld,
    at: TestService,
    nth: number,
    signal?: AbortSignal,
  ) => Promise<{ status: number; text: string }>;
  /** One request calls the model again and again, as long as it calls tools. */
  loops?: true;
  /** The caller waits for the model and may hang up. */
  waits?: true;
  /** Concurrent requests add up to the cap; any other operation runs once at a time. */
  adds?: true;
}

const inProject =
  (
    path: (made: SpendingWorld['made']) => string,
    body: (made: SpendingWorld['made'], nth: number) => object,
  ) =>
  (...[world, at, nth, signal]: Parameters<Way['use']>) =>
    send(world, at, `${world.made['project']}${path(world.made)}`, body(world.made, nth), signal);

const chat =
  (path: string) =>
  (...[world, at, nth, signal]: Parameters<Way['use']>) =>
    send(
      world,
      at,
      path,
      {
        idempotencyKey: `chat ${path} ${nth} ${Math.random()}`,
        projectId: world.made['project'].slice('/projects/'.length),
        modelId: 'scripted/model',
        message: 'Which ships are there?',
        toolMode: 'auto',
        serverIds: [world.made['serverId']],
        maxSteps: 16,
      },
      signal,
    );

const persona = { name: 'Ada', role: 'harbour master' };

/** Every operation that spends, by its ID. */
const ways: Record<string, Way> = {
  createEvalRun: {
    use: inProject(
      () => '/eval-runs',
      ({ suiteId }) => ({ suiteId }),
    ),
    loops: true,
    adds: true,
  },
  rerunEvalRun: {
    use: inProject(
      ({ runId }) => `/eval-runs/${runId}/rerun`,
      () => ({}),
    ),
    loops: true,
    adds: true,
  },
  createEvalRunGroup: {
    use: inProject(
      () => '/eval-run-groups',
      ({ suiteId, environmentId }) => ({ suiteId, targets: [{ environmentId }], ephemeralEnvironment: true }),
    ),
    loops: true,
    adds: true,
  },
  requestEvalRunJudge: {
    use: inProject(
      ({ runId }) => `/eval-runs/${runId}/judge`,
      () => ({ force: true, enable: true, model: 'scripted/model' }),
    ),
  },
  requestEvalRunInsights: {
    use: inProject(
      ({ runId }) => `/eval-runs/${runId}/insights`,
      () => ({ force: true }),
    ),
  },
  backtestEvalRunJudge: {
    use: inProject(
      ({ runId }) => `/eval-runs/${runId}/judge/backtest`,
      (_, nth) => ({ rubric: { criteria: [{ id: 'fine', label: `Fine ${nth} ${Math.random()}` }] } }),
    ),
    waits: true,
    adds: true,
  },
  generateEvalCases: {
    use: inProject(
      ({ suiteId }) => `/eval-suites/${suiteId}/cases/generate`,
      () => ({}),
    ),
    waits: true,
    adds: true,
  },
  generatePersonas: {
    use: inProject(
      () => '/personas/generate',
      ({ serverGroupId }) => ({ serverAttachmentId: serverGroupId }),
    ),
    waits: true,
    adds: true,
  },
  generateJourneys: {
    use: inProject(
      () => '/journeys/generate',
      ({ serverGroupId }) => ({ serverAttachmentId: serverGroupId, persona }),
    ),
    waits: true,
    adds: true,
  },
  launchJourneyRun: {
    use: inProject(
      ({ journeyId }) => `/journeys/${journeyId}/runs`,
      () => ({}),
    ),
    loops: true,
    adds: true,
  },
  requestWaveInsights: {
    use: inProject(
      ({ waveId }) => `/waves/${waveId}/insights`,
      () => ({ force: true }),
    ),
  },
  requestStudyInsights: {
    use: inProject(
      ({ studyId }) => `/studies/${studyId}/insights`,
      () => ({ force: true }),
    ),
  },
  startClaudeReadinessRun: {
    use: inProject(
      ({ serverId }) => `/servers/${serverId}/readiness-runs/claude`,
      () => ({ includeLlmObservations: true }),
    ),
  },
  startOpenAIReadinessRun: {
    use: inProject(
      ({ serverId }) => `/servers/${serverId}/readiness-runs/openai`,
      () => ({ includeLlmObservations: true, submissionMode: 'mcp-only' }),
    ),
  },
  runAgentTurn: {
    use: inProject(
      () => '/agent',
      () => ({ messages: [{ role: 'user', content: 'Which suites are there?' }] }),
    ),
    loops: true,
    waits: true,
    adds: true,
  },
  sendChatMessage: { use: chat('/chat-sessions/messages'), loops: true, waits: true, adds: true },
  streamChatMessage: { use: chat('/chat-sessions/messages/events'), loops: true, waits: true, adds: true },
};
const all = Object.entries(ways);
const having = (what: 'loops' | 'waits' | 'adds') => all.filter(([, way]) => way[what]);

/** Calls a read-only tool, as long as one is offered. */
const callsAlways: Script = ({ body }) => {
  const names = ((body.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);
  const name = names.find((each) => /^list/.test(each));
  return name === undefined ? {} : { toolCalls: [{ name, input: {} }] };
};

/** The recorded spending during an action, and the amount that the provider billed. */
async function spentOn(world: SpendingWorld, work: () => Promise<unknown>): Promise<{ spent: number }> {
  await world.forgetCounts();
  const [before, billed] = [await world.spentCredits(), world.billed];
  await work();
  await world.quiet();
  const spent = (await world.spentCredits()) - before;
  expect(spent).toBe((world.billed - billed) * stepCredits);
  return { spent };
}

test('every operation that spends is in the table, and none of them is read-only', () => {
  const spending = operationList.filter((operation) => operation.spends);
  expect(
    spending
      .filter((one) => !isSecondName(one))
      .map(({ id }) => id)
      .sort(),
  ).toEqual(Object.keys(ways).sort());
  expect(spending.filter(isSafe)).toEqual([]);
});

const left = 10;
const atOnce = 20;

describe.each(having('adds'))('%s, asked for by many at once on two replicas', (_, { use, loops }) => {
  test('comes to the cap and at most a step beyond it', async () => {
    priced.script(loops ? callsAlways : () => ({}));
    await priced.cap((await priced.spentCredits()) + left);
    const { spent } = await spentOn(priced, () =>
      Promise.all(Array.from({ length: atOnce }, (_each, nth) => use(priced, priced.replica(nth), nth))),
    );
    expect(spent).toBeGreaterThanOrEqual(left);
    expect(spent).toBeLessThanOrEqual(left + stepCredits);
  });
});

describe.each(having('loops'))('%s, with a model that never stops', (id, { use }) => {
  test('ends at the cap and at most a step beyond it', async () => {
    priced.script(callsAlways);
    await priced.cap((await priced.spentCredits()) + left);
    const { spent } = await spentOn(priced, async () => {
      const { text } = await use(priced, priced.service, 0);
      expect(ways[id]?.waits ? text : 'SPEND_BUDGET_REACHED').toContain('SPEND_BUDGET_REACHED');
    });
    expect(spent).toBeGreaterThanOrEqual(left);
    expect(spent).toBeLessThanOrEqual(left + stepCredits);
  });
});

describe.each(having('waits'))('%s, when its caller hangs up in the middle of an answer', (_, { use }) => {
  test('is booked in full', async () => {
    await priced.cap(null);
    const { opened: released, open: release } = latch();
    const { opened: asked, open: ask } = latch();
    // Operations with several steps get an answer to the first.
    priced.script((request) => {
      if (request.results === 0 && callsAlways(request).toolCalls) return callsAlways(request);
      ask();
      return { after: released };
    });
    const { spent } = await spentOn(priced, async () => {
      const gone = new AbortController();
      const answer = use(priced, priced.service, 0, gone.signal);
      await Promise.race([asked, answer]);
      gone.abort();
      await expect(answer).rejects.toThrow(/abort/);
      release();
    });
    expect(spent).toBeGreaterThanOrEqual(stepCredits);
  });
});

describe.each(all)('%s', (_, { use }) => {
  test('asks no provider once everything is spent, nor a model without a price where there is a cap', async () => {
    for (const [world, credits] of [
      [priced, await priced.spentCredits()],
      [unpriced, 1_000_000],
    ] as const) {
      world.script(() => ({}));
      await world.cap(credits);
      await world.forgetCounts();
      const { billed } = world;
      const { status, text } = await use(world, world.service, 0);
      await world.quiet();
      expect(world.billed).toBe(billed);
      if (status !== 429) continue;
      expect(text).toMatch(world === priced ? /"SPEND_BUDGET_REACHED"/ : /"MODEL_PRICE_UNKNOWN".*/);
    }
  });

  test('is booked without a cap', async () => {
    priced.script(() => ({}));
    await priced.cap(null);
    const { spent } = await spentOn(priced, () => use(priced, priced.service, 0));
    expect(spent).toBeGreaterThan(0);
  });
});

describe('guests of a study', () => {
  const guestCap = async (world: SpendingWorld, dailyCreditCap: number): Promise<void> => {
    const path = `${world.made['project']}/studies/${world.made['studyId']}`;
    const { guestExecution } = ok(await world.service.get(path));
    const body = { ...guestExecution, dailyCreditCap };
    ok(await world.service.request('PUT', `${path}/guest-execution`, { body }));
  };
  const ofToday = async (): Promise<number> => {
    const { rows } = await priced.database.query<{ credits: number }>(
      'select coalesce(sum(micros), 0)::float8 / 10000 as credits from study_spending',
    );
    return rows[0]?.credits ?? 0;
  };
  const guestsOf = (world: SpendingWorld, count: number): Promise<Visitor[]> =>
    Promise.all(
      Array.from({ length: count }, async (_, nth) => {
        const guest = new Visitor(world.replica(nth));
        ok(await guest.enter(world.made['link']));
        return guest;
      }),
    );

  test('spend the cap of the day and at most a step more, however many come and however long they talk', async () => {
    await priced.cap(null);
    priced.script(callsAlways);
    const before = await ofToday();
    await guestCap(priced, before + left);
    const guests = await guestsOf(priced, 16);
    const { spent } = await spentOn(priced, async () => {
      const ends = await Promise.all(guests.map((guest) => guest.say('Which ships are there?')));
      expect(ends.map(({ last }) => last.details?.reason ?? last.type)).toContain('GUEST_CREDIT_CAP');
    });
    expect((await ofToday()) - before).toBeCloseTo(spent, 3);
    expect(spent).toBeGreaterThanOrEqual(left);
    expect(spent).toBeLessThanOrEqual(left + stepCredits);
  });

  test('are held against the cap of the organization too', async () => {
    priced.script(() => ({}));
    await guestCap(priced, 1_000_000);
    await priced.cap(await priced.spentCredits());
    const [guest] = (await guestsOf(priced, 1)) as [Visitor];
    const { spent } = await spentOn(priced, async () => {
      expect((await guest.say('Hello')).last).toMatchObject({ details: { reason: 'STUDY_UNAVAILABLE' } });
    });
    expect(spent).toBe(0);
  });

  test('use no model without a price', async () => {
    await unpriced.cap(null);
    const [guest] = (await guestsOf(unpriced, 1)) as [Visitor];
    const { billed } = unpriced;
    expect((await guest.say('Hello')).last).toMatchObject({ details: { reason: 'STUDY_UNAVAILABLE' } });
    expect(unpriced.billed).toBe(billed);
  });
});

test('answers that break off are booked, so that asking again and again comes to the cap', async () => {
  priced.script(() => ({ cut: true }));
  const before = await priced.spentCredits();
  const { billed } = priced;
  await priced.cap(before + left);
  const send = ways['sendChatMessage']?.use as Way['use'];
  await Promise.all(Array.from({ length: 8 }, (_, nth) => send(priced, priced.replica(nth), nth)));
  await priced.quiet();
  const answers = priced.billed - billed;
  expect((await priced.spentCredits()) - before).toBeGreaterThanOrEqual(answers * stepCredits);
  expect(answers).toBeLessThanOrEqual(left / stepCredits + 1);
});

test('a trial that a cap ends has failed and says why', async () => {
  priced.script(callsAlways);
  await priced.cap((await priced.spentCredits()) + 1);
  const { project, suiteId } = priced.made;
  const { runId } = ok(await priced.service.post(`${project}/eval-runs`, { suiteId }));
  await priced.quiet();
  const run = ok(await priced.service.get(`${project}/eval-runs/${runId}`));
  expect(run.result).not.toBe('passed');
  const { items } = ok(await priced.service.get(`${project}/eval-runs/${runId}/iterations`));
  for (const { status, result, error } of items)
    expect({ status, result, error }).toEqual({
      status: 'failed',
      result: 'failed',
      error: expect.stringMatching(/has spent \d+ of \d+ credits this month/),
    });
});

test('what a process that is gone had reserved is released, and its input booked', async () => {
  await priced.cap(null);
  const before = await priced.spentCredits();
  const { database, organizationId } = priced;
  await database.query(
    `insert into model_calls (id, organization_id, model, billed) values ('call_0000lost', $1, 'scripted/model', 'operator')`,
    [organizationId],
  );
  await database.query(
    `insert into spend_reservations (organization_id, id, period, micros, input_micros, reason, actor, expires_at)
     values ($1, 'call_0000lost', to_char(now() at time zone 'UTC', 'YYYY-MM'), 500000, 30000, 'a test', 'a test', now() - interval '1 s')`,
    [organizationId],
  );
  expect((await priced.spent()).reservedUsd).toBe(0.5);
  await Promise.all(priced.replicas.map(({ db }) => settleLost(db)));
  expect((await priced.spent()).reservedUsd).toBe(0);
  expect((await priced.spentCredits()) - before).toBeCloseTo(3, 3);
});
