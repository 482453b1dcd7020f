// @module-tag long
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { serveDemoHttp } from '../src/demo-server/http.ts';
import { type Client, createClient } from '../src/surfaces/client/index.ts';
import { createDatabase } from './support/database.ts';
import { promptCase, providerForTest, scriptedModel, writeModelsFile } from './support/evals.ts';
import { judgedBy, judgeRequest, verdict } from './support/judging.ts';
import { Drydock, place } from './support/process.ts';
import { callThenAnswer } from './support/scripted-provider.ts';

const trials = Number(process.env['DRYDOCK_TEST_CRASH_TRIALS'] ?? 40);
const kills = Number(process.env['DRYDOCK_TEST_CRASH_KILLS'] ?? 2);
const repetitions = 10;
const key = `sk_${'crash'.repeat(8)}`;

interface Installation {
  api: Client;
  projectId: string;
  suiteId: string;
}

/** Half of the cases ask for what the model does not say, so that the verdict has something to lose. */
async function prepare(baseUrl: string, serverUrl: string): Promise<Installation> {
  const api = createClient({ baseUrl, apiKey: key });
  const { items } = await api.listProjects({});
  const projectId = items[0]?.id as string;
  const { id: serverId } = await api.createProjectServer({
    projectId,
    body: { name: 'target', url: serverUrl },
  });
  const { suiteId } = await api.createEvalSuite({
    projectId,
    body: {
      name: 'crash',
      serverIds: [serverId],
      model: scriptedModel,
      repetitions,
      passThreshold: 1,
      tests: Array.from({ length: trials / repetitions }, (_, nth) =>
        promptCase(`Case ${nth}`, `Inspect the Albatross, number ${nth}`, {
          type: 'responseContains',
          needle: nth % 2 === 0 ? 'rusty' : 'shiny',
        }),
      ) as never,
    },
  });
  return { api, projectId, suiteId };
}

/** Every trial, as often as it was recorded, and the verdict without what differs between runs. */
async function outcomeOf({ api, projectId }: Installation, runId: string): Promise<object> {
  const run = await api.getEvalRun({ projectId, runId });
  const results: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await api.listEvalRunIterations({ projectId, runId, limit: 200, ...(cursor && { cursor }) });
    results.push(
      ...page.items.map(
        ({ title, iterationNumber, status, result }) => `${title} ${iterationNumber} ${status} ${result}`,
      ),
    );
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  const { status, result, summary, decision } = run;
  return { status, result, summary, decision, results };
}

async function ended({ api, projectId }: Installation, runId: string, within = 60_000): Promise<void> {
  const until = Date.now() + within;
  for (;;) {
    const { status, progress } = await api.getEvalRun({ projectId, runId });
    if (!/pending|running|grading/.test(status)) return;
    if (Date.now() > until) throw new Error(`still ${status}: ${JSON.stringify(progress)}`);
    await delay(100);
  }
}

const inspects = callThenAnswer(
  { name: 'inspect_hull', input: { ship: 'Albatross' } },
  'Three plates are rusty.',
);

test(`a run of ${trials} trials whose service is killed ${kills} times is recorded once, with the verdict of one that was not`, {
  timeout: 240_000 + kills * 15_000,
}, async () => {
  const here = await place();
  const provider = await providerForTest((request) => ({ ...inspects(request), latencyMs: 40 }));
  const demo = await serveDemoHttp(0, 'test');
  onTestFinished(() => demo.stop());
  const env = {
    DRYDOCK_BOOTSTRAP_KEY: key,
    DRYDOCK_MODELS_FILE: await writeModelsFile(here.dataDir, provider.url),
    SCRIPTED_PROVIDER_KEY: 'k-scripted',
    DRYDOCK_EVAL_LEASE: '2',
    DRYDOCK_EVAL_TRIALS: '5',
    DRYDOCK_MAX_CONCURRENT_EVAL_RUNS: '10',
  };
  let service = await here.serve(env);
  const first = await prepare(service.baseUrl, demo.url);
  const { projectId, suiteId } = first;
  const undisturbed = await first.api.createEvalRun({ projectId, body: { suiteId } });
  await ended(first, undisturbed.runId);

  const { runId } = await first.api.createEvalRun({ projectId, body: { suiteId } });
  for (let kill = 0; kill < kills; kill++) {
    await delay(100 + Math.random() * 500);
    await service.end('SIGKILL');
    service = await here.serve(env);
  }
  const after: Installation = { ...first, api: createClient({ baseUrl: service.baseUrl, apiKey: key }) };
  await ended(after, runId);
  expect(await outcomeOf(after, runId)).toEqual(await outcomeOf(after, undisturbed.runId));
  const { items } = await after.api.listEvalRunIterations({ projectId, runId, limit: 200 });
  expect(items.some(({ attempts }) => attempts > 1)).toBe(true);
  expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
});

test('of two workers, one that is frozen past its lease records nothing late', {
  tags: ['long'],
}, async () => {
  const database = await createDatabase();
  const here = await place();
  onTestFinished(() => database.drop());
  const provider = await providerForTest((request) => ({ ...inspects(request), latencyMs: 150 }));
  const demo = await serveDemoHttp(0, 'test');
  onTestFinished(() => demo.stop());
  const env = {
    ...here.env,
    DRYDOCK_DATABASE_URL: database.url,
    DRYDOCK_BOOTSTRAP_KEY: key,
    DRYDOCK_MODELS_FILE: await writeModelsFile(here.dataDir, provider.url),
    SCRIPTED_PROVIDER_KEY: 'k-scripted',
    DRYDOCK_ALLOWED_NETWORKS: '127.0.0.0/8',
    DRYDOCK_EVAL_LEASE: '2',
    DRYDOCK_EVAL_TRIALS: '3',
  };
  const start = (...args: string[]): Drydock => {
    const drydock = new Drydock(args, env);
    onTestFinished(() => void drydock.child.kill('SIGKILL'));
    return drydock;
  };
  const api = await start('serve', '--no-worker').ready();
  const workers = await Promise.all([0, 1].map(() => start('worker').said(/The Drydock worker is running/)));
  const installation = await prepare(api.baseUrl, demo.url);
  const { projectId, suiteId } = installation;
  const { runId } = await installation.api.createEvalRun({
    projectId,
    body: { suiteId, iterationOverride: 3 },
  });
  const asked = provider.requests.length;
  while (provider.requests.length < asked + 4) await delay(10);
  const [frozen] = workers as [Drydock, Drydock];
  frozen.child.kill('SIGSTOP');
  await ended(installation, runId);
  const before = await outcomeOf(installation, runId);
  frozen.child.kill('SIGCONT');
  // Awake, it finds its leases gone; what it had in hand is refused, and it can work again.
  const { runId: next } = await installation.api.createEvalRun({
    projectId,
    body: { suiteId, iterationOverride: 1 },
  });
  await ended(installation, next);
  expect(await outcomeOf(installation, runId)).toEqual(before);
  const { items } = await installation.api.listEvalRunIterations({ projectId, runId, limit: 200 });
  expect(items.every(({ status }) => status === 'completed')).toBe(true);
  expect(items.some(({ attempts }) => attempts > 1)).toBe(true);
  const log = frozen.stdout + frozen.stderr;
  expect(log).toContain('Lease lost');
});

test('a service that is killed while a judge is heard goes on where it was, and the verdict is the same', {
  tags: ['long'],
}, async () => {
  const database = await createDatabase();
  const here = await place();
  onTestFinished(() => database.drop());
  let heard = 0;
  let silent = true;
  const provider = await providerForTest(
    // The fourth question is not answered before the kill.
    judgedBy(inspects, () => (++heard > 3 && silent ? { silent: true } : verdict(0.1))),
  );
  const demo = await serveDemoHttp(0, 'test');
  onTestFinished(() => demo.stop());
  const env = {
    DRYDOCK_DATABASE_URL: database.url,
    DRYDOCK_BOOTSTRAP_KEY: key,
    DRYDOCK_MODELS_FILE: await writeModelsFile(here.dataDir, provider.url),
    SCRIPTED_PROVIDER_KEY: 'k-scripted',
    DRYDOCK_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  const service = await here.serve(env);
  const first = await prepare(service.baseUrl, demo.url);
  const { projectId, suiteId } = first;
  await first.api.updateEvalSuite({ projectId, suiteId, body: { settings: { judge: { autoRun: true } } } });
  const { runId } = await first.api.createEvalRun({ projectId, body: { suiteId, iterationOverride: 1 } });
  const client = await database.connect();
  onTestFinished(() => client.end());
  const written = async (): Promise<number> =>
    (await client.query('select count(*)::int as n from eval_judged_trials')).rows[0].n as number;
  while (provider.requests.filter(judgeRequest).length < 4 || (await written()) < 3) await delay(10);
  await service.end('SIGKILL');
  expect((await client.query('select status from eval_runs where id = $1', [runId])).rows).toEqual([
    { status: 'grading' },
  ]);
  silent = false;
  // As if the lease of the dead process were over.
  await client.query("update jobs set due_at = now() where kind = 'judge-eval-run' and state = 'running'");
  const again = await here.serve(env);
  const after: Installation = { ...first, api: createClient({ baseUrl: again.baseUrl, apiKey: key }) };
  await ended(after, runId);
  const run = await after.api.getEvalRun({ projectId, runId });
  const cases = trials / repetitions;
  expect(run).toMatchObject({
    status: 'completed',
    result: 'failed',
    summary: { total: cases, passed: 0 },
    judges: { goalCompletion: { status: 'completed', progress: { total: cases, completed: cases } } },
  });
  // Three were written, and only what was under way was asked again: as many as are asked at once.
  expect(await written()).toBe(cases);
  expect(heard).toBeLessThanOrEqual(cases + 4);
});
