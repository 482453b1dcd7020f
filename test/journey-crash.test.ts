// @module-tag long
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { serveDemoHttp } from '../src/demo-server/http.ts';
import { type Client, createClient } from '../src/surfaces/client/index.ts';
import { providerForTest, scriptedModel, writeModelsFile } from './support/evals.ts';
import { playing } from './support/journeys.ts';
import { place } from './support/process.ts';

const targets = 4;
/** A journey has at most a hundred. */
const sessionsPerTarget = Math.min(100, Number(process.env['DRYDOCK_TEST_CRASH_SESSIONS'] ?? 6));
const kills = Number(process.env['DRYDOCK_TEST_CRASH_KILLS'] ?? 2);
const turns = 3;
const key = `sk_${'crash'.repeat(8)}`;

async function prepare(api: Client, serverUrl: string): Promise<{ projectId: string; journeyId: string }> {
  const { items } = await api.listProjects({});
  const projectId = items[0]?.id as string;
  const server = await api.createProjectServer({ projectId, body: { name: 'target', url: serverUrl } });
  const hostIds: string[] = [];
  for (let nth = 0; nth < targets; nth++) {
    const config = { modelId: scriptedModel, serverIds: [server.id] };
    hostIds.push((await api.createClient({ projectId, body: { name: `client ${nth}`, config } })).id);
  }
  const persona = await api.createPersona({ projectId, body: { name: 'Ada', role: 'harbour master' } });
  const journey = await api.createJourney({
    projectId,
    body: {
      goal: 'Which ships are here?',
      personaId: persona.id,
      hostIds,
      sessionsPerTarget,
      maxTurns: 10,
      rubric: {
        criteria: [{ id: 'lists', predicate: { type: 'toolCalledAtLeastOnce', toolName: 'list_ships' } }],
      },
    },
  });
  return { projectId, journeyId: journey.id };
}

test(`a run of ${targets} x ${sessionsPerTarget} sessions whose service is killed ${kills} times ends each session once, and adds up`, {
  tags: ['long'],
  timeout: 240_000 + kills * 20_000,
}, async () => {
  const here = await place();
  const provider = await providerForTest(
    playing({
      latencyMs: 10,
      persona: (turn) => (turn < turns ? { message: `Question ${turn}` } : { endSession: true }),
      agent: ({ results }) =>
        results === 0 ? { toolCalls: [{ name: 'list_ships', input: {} }] } : { text: 'Three ships.' },
    }),
  );
  const demo = await serveDemoHttp(0, 'test');
  onTestFinished(() => demo.stop());
  const env = {
    DRYDOCK_BOOTSTRAP_KEY: key,
    DRYDOCK_MODELS_FILE: await writeModelsFile(here.dataDir, provider.url),
    SCRIPTED_PROVIDER_KEY: 'k-scripted',
    DRYDOCK_EVAL_LEASE: '2',
    DRYDOCK_RATE_LIMIT: 'off',
  };
  let service = await here.serve(env);
  let api = createClient({ baseUrl: service.baseUrl, apiKey: key });
  const { projectId, journeyId } = await prepare(api, demo.url);
  const launched = await api.launchJourneyRun({ projectId, journeyId, body: {} });
  const journeyRunId = launched.id;
  for (let kill = 0; kill < kills; kill++) {
    await delay(50 + Math.random() * 800);
    await service.end('SIGKILL');
    service = await here.serve(env);
  }
  api = createClient({ baseUrl: service.baseUrl, apiKey: key });
  for await (const { type } of api.watchJourneyRun({ projectId, journeyRunId }))
    if (type === 'run.ended') break;

  const total = targets * sessionsPerTarget;
  const run = await api.getJourneyRun({ projectId, journeyRunId });
  expect(run).toMatchObject({
    status: 'completed',
    summary: { total, succeeded: total, failed: 0, rateLimited: 0 },
    report: { execution: { configured: total, completed: total } },
  });
  expect(run.attempts?.map(({ status, turns: made }) => [status, made])).toEqual(
    Array.from({ length: total }, () => ['succeeded', turns]),
  );
  expect(await api.getJourneyRunScorecard({ projectId, journeyRunId })).toMatchObject({
    sessionsTotal: total,
    sessionsGraded: total,
    criteria: [{ passCount: total, failCount: 0 }],
  });
  // No turn is in a transcript twice, or missing.
  for (const { chatSessionId } of run.attempts ?? []) {
    const { messages } = await api.getChatSession({ sessionId: chatSessionId as string });
    expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual(
      Array.from({ length: turns }, (_, turn) => `Question ${turn}`),
    );
  }
});
