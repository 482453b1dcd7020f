import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { expect, vi } from 'vitest';
import { jobKinds } from '../../src/domain/base/job-kinds.ts';
import { enqueue } from '../../src/platform/jobs/queue.ts';
import { promptCase, scriptedModel } from './evals.ts';
import { until } from './jobs.ts';
import { Journeys } from './journeys.ts';
import { type Reply, type Script, type ScriptedProvider, startProvider } from './scripted-provider.ts';
import { type Answer, dispose, startTestService, type TestService } from './service.ts';
import { ok, Studies, Visitor } from './studies.ts';

/** The cost of each answer in credits: 1,000 tokens in and 1,000 out at 10 USD a million. */
export const stepCredits = 2;
const usage = { input: 1_000, output: 1_000 };
const model = {
  id: scriptedModel,
  connection: 'scripted',
  model: 'scripted-1',
  maxOutputTokens: 2_000,
};

/** An answer that suits every caller: judge, persona, drafts, observations, insights. */
const says = JSON.stringify({
  score: 1,
  reason: 'Fine.',
  groundedness: { score: 1, unsupportedClaims: [], reason: 'Fine.' },
  message: 'Which ships are there?',
  summary: 'Nothing.',
  ...Object.fromEntries(
    ['cases', 'personas', 'journeys', 'observations', 'findings', 'candidates', 'rubricHits'].map((list) => [
      list,
      [],
    ]),
  ),
});

/** An organization with resources for every operation that calls a model, with its replicas and provider. */
export class SpendingWorld {
  readonly provider: ScriptedProvider;
  readonly replicas: TestService[];
  readonly database: pg.Client;
  readonly organizationId: string;
  /** IDs of the created resources. */
  // Tests read arbitrary answers.
  // oxlint-disable-next-line typescript/no-explicit-any
  made: Record<string, any> = {};
  /** Number of answers that the provider has billed. */
  billed = 0;
  private readonly folder: string;

  private constructor(
    folder: string,
    provider: ScriptedProvider,
    replicas: TestService[],
    database: pg.Client,
    organizationId: string,
  ) {
    this.folder = folder;
    this.provider = provider;
    this.replicas = replicas;
    this.database = database;
    this.organizationId = organizationId;
    this.script(() => ({}));
  }

  static async start({ priced, replicas }: { priced: boolean; replicas: number }): Promise<SpendingWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'drydock-spending-'));
    const provider = await startProvider();
    process.env['SCRIPTED_PROVIDER_KEY'] = 'k-scripted';
    const models = join(folder, 'models.json');
    const connection = {
      name: 'scripted',
      wire: 'openai-chat',
      baseUrl: provider.url,
      apiKeyEnv: 'SCRIPTED_PROVIDER_KEY',
    };
    const listed = { ...model, ...(priced && { prices: { input: 10, output: 10 } }) };
    await writeFile(models, JSON.stringify({ connections: [connection], models: [listed] }));
    const env = {
      DRYDOCK_MODELS_FILE: models,
      DRYDOCK_AGENT_MODEL: scriptedModel,
      DRYDOCK_MAX_CONCURRENT_CHAT_TURNS: '1000',
    };
    const first = await startTestService({ env });
    const all = [first];
    while (all.length < replicas)
      all.push(
        await startTestService({
          env,
          database: first.database,
          dataDir: first.running.services.config.dataDir,
        }),
      );
    const database = await first.database.connect();
    const organizationId = (await first.get('/organizations')).body.items[0].id as string;
    const world = new SpendingWorld(folder, provider, all, database, organizationId);
    await world.arrange();
    return world;
  }

  async stop(): Promise<void> {
    const [first, ...others] = this.replicas as [TestService, ...TestService[]];
    await this.database.end();
    for (const other of others) await other.stop();
    await dispose(first);
    await this.provider.close();
    delete process.env['SCRIPTED_PROVIDER_KEY'];
    await rm(this.folder, { recursive: true, force: true });
  }

  get service(): TestService {
    return this.replicas[0] as TestService;
  }

  replica(nth: number): TestService {
    return this.replicas[nth % this.replicas.length] as TestService;
  }

  /** Sets the provider's script. Every successful answer is billed. */
  script(reply: (request: Parameters<Script>[0]) => Reply): void {
    this.provider.script = (request) => {
      const given = reply(request);
      if ((given.status ?? 200) === 200) this.billed++;
      return { usage, text: says, ...given };
    };
  }

  async spent(): Promise<{ spentUsd: number; reservedUsd: number }> {
    return (await this.service.get(`/organizations/${this.organizationId}/spend-budget`)).body;
  }

  async spentCredits(): Promise<number> {
    return Math.round((await this.spent()).spentUsd * 100);
  }

  async cap(credits: number | null): Promise<void> {
    const path = `/organizations/${this.organizationId}/spend-budget`;
    const capUsd = credits === null ? null : credits / 100;
    ok(
      capUsd === null
        ? await this.service.delete(path)
        : await this.service.request('PUT', path, { body: { capUsd } }),
    );
  }

  /** Resets the budgets of requests, so that they limit no test. */
  async forgetCounts(): Promise<void> {
    await this.database.query(`delete from ledger_entries where budget <> 'credits'`);
  }

  /** Resolves when no work that calls a model is in progress, and everything is booked. */
  async quiet(): Promise<void> {
    const busy = `
      select (select count(*) from spend_reservations)
        + (select count(*) from eval_runs where status in ('pending', 'running', 'grading'))
        + (select count(*) from eval_run_judgements where status = 'pending')
        + (select count(*) from eval_run_insights where status = 'pending')
        + (select count(*) from wave_insights where status = 'pending')
        + (select count(*) from study_insights where status = 'pending')
        + (select count(*) from readiness_runs where status in ('pending', 'running'))
        + (select count(*) from journey_runs where status = 'running' or graded < to_grade)
        + (select count(*) from chat_turns where state = 'running') as count`;
    await until(async () => {
      const { rows } = await this.database.query<{ count: string }>(busy);
      return Number(rows[0]?.count) + this.provider.active.now === 0;
    });
  }

  /** Creates all resources before a cap is set. */
  private async arrange(): Promise<void> {
    const { service } = this;
    const studies = await Studies.of(service);
    const { evals, project } = studies;
    const journeys = Journeys.besides(evals);
    const serverId = await evals.server({ name: 'harbour' });
    const client = await journeys.client([serverId]);
    const suiteOf = (titles: string[], needle: string) =>
      evals.suite({
        serverIds: [serverId],
        tests: titles.map((title) =>
          promptCase(title, 'Which ships are there?', { type: 'responseContains', needle }),
        ),
      });
    const suiteId = await suiteOf(['One', 'Two', 'Three'], 'Fine.');
    const failing = await suiteOf(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], 'what nobody says');
    const runId = await evals.launch({ suiteId: failing });
    const group = { name: 'group', serverIds: [serverId] };
    const { id: serverGroupId } = ok(await service.post(`${project}/server-groups`, group));
    const environmentId = await studies.environment([serverId]);
    const { id: studyId, link } = await studies.publish(environmentId);
    const journeyId = await journeys.journey({ hostIds: [client], maxTurns: 2 });
    const waveId = 'wave-to-explain';
    const journeyRun = await journeys.launch(journeyId, { waveId });
    const visitor = new Visitor(service);
    ok(await visitor.enter(link));
    await visitor.say('Which ships are there?');
    await evals.decided(runId);
    await journeys.over(journeyRun);
    await enqueue(service.db, jobKinds.analyseStudy, { studyId, at: Date.now() });
    const windows = () => this.database.query('select from study_windows');
    // oxlint-disable-next-line vitest/no-standalone-expect -- called by tests
    await vi.waitFor(async () => expect((await windows()).rowCount).toBe(1), 10_000);
    this.made = {
      project,
      suiteId,
      runId,
      serverId,
      serverGroupId,
      environmentId,
      studyId,
      link,
      journeyId,
      waveId,
    };
  }
}

/** Sends a request that the caller may abort. The text of an event stream is read to its end. */
export async function send(
  { service }: SpendingWorld,
  at: TestService,
  path: string,
  body: object = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Pick<Answer, 'status' | 'text'>> {
  const response = await fetch(`${at.running.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  const text = await response.text();
  if (![200, 202, 429].includes(response.status)) throw new Error(`${path}: ${response.status} ${text}`);
  return { status: response.status, text };
}
