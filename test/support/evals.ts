import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type Script, type ScriptedProvider, startProvider } from './scripted-provider.ts';
import { dispose, startTestService, type TestService } from './service.ts';

export const scriptedModel = 'scripted/model';

/** A models file with one model, on a provider of this machine. Prices are USD per million tokens. */
export async function writeModelsFile(
  folder: string,
  providerUrl: string,
  {
    wire = 'openai-chat',
    priced = false,
    concurrency,
  }: { wire?: string; priced?: boolean; concurrency?: number } = {},
): Promise<string> {
  const path = join(folder, 'models.json');
  const connection = {
    name: 'scripted',
    wire,
    baseUrl: providerUrl,
    apiKeyEnv: 'SCRIPTED_PROVIDER_KEY',
    ...(concurrency !== undefined && { concurrency }),
  };
  const model = {
    id: scriptedModel,
    connection: 'scripted',
    model: 'scripted-1',
    ...(priced && { maxOutputTokens: 2_000, prices: { input: 10, output: 50 } }),
  };
  await writeFile(path, JSON.stringify({ connections: [connection], models: [model] }));
  return path;
}

/** A provider for one test. */
export async function providerForTest(script?: Script): Promise<ScriptedProvider> {
  const provider = await startProvider(script);
  onTestFinished(() => provider.close());
  return provider;
}

type Check = Record<string, unknown>;

/** A case with one prompt and the assertions after it. */
export function promptCase(title: string, prompt: string, ...checks: Check[]): Record<string, unknown> {
  return {
    title,
    steps: [
      { id: 'ask', kind: 'prompt', prompt },
      ...checks.map((assertion, nth) => ({ id: `check-${nth}`, kind: 'assert', assertion })),
    ],
  };
}

interface SuiteOptions {
  serverIds: string[];
  model?: string;
  repetitions?: number;
  passThreshold?: number;
  tests: Record<string, unknown>[];
  [field: string]: unknown;
}

/** Evals of one project. */
export class Evals {
  readonly service: TestService;
  readonly project: string;

  private constructor(service: TestService, projectId: string) {
    this.service = service;
    this.project = `/projects/${projectId}`;
  }

  static async of(service: TestService, name = 'Evals'): Promise<Evals> {
    return new Evals(service, (await service.post('/projects', { name })).body.id as string);
  }

  async server(fields: object = {}): Promise<string> {
    const url = await this.service.demoUrl();
    const answer = await this.service.post(`${this.project}/servers`, {
      name: `server ${Math.random()}`,
      ...('command' in fields ? {} : { url }),
      ...fields,
    });
    return idOf(answer, 'id');
  }

  async suite({ model = scriptedModel, ...rest }: SuiteOptions): Promise<string> {
    const body = { name: 'suite', model, ...rest };
    return idOf(await this.service.post(`${this.project}/eval-suites`, body), 'suiteId');
  }

  async launch(body: object): Promise<string> {
    return idOf(await this.service.post(`${this.project}/eval-runs`, body), 'runId');
  }

  // Tests read arbitrary answers.
  // oxlint-disable-next-line typescript/no-explicit-any
  async read(runId: string, below = ''): Promise<any> {
    const answer = await this.service.get(`${this.project}/eval-runs/${runId}${below}`);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** Follows the events of a run to its end. */
  async follow(runId: string, headers: Record<string, string> = {}): Promise<RunEventLine[]> {
    const response = await fetch(`${this.service.running.baseUrl}${this.project}/eval-runs/${runId}/events`, {
      headers: { authorization: `Bearer ${this.service.key}`, ...headers },
    });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return eventsIn(await response.text());
  }

  /** The run, once it was decided. */
  // oxlint-disable-next-line typescript/no-explicit-any
  async decided(runId: string): Promise<any> {
    await this.follow(runId);
    return this.read(runId);
  }
}

export interface RunEventLine {
  id: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
}

function eventsIn(text: string): RunEventLine[] {
  return [...text.matchAll(/^id: (\d+)\ndata: (.*)$/gm)].map(([, id, data]) => ({
    id: Number(id),
    data: JSON.parse(data as string) as unknown,
  }));
}

function idOf(answer: { status: number; text: string; body: Record<string, string> }, field: string): string {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body[field] as string;
}

interface Executing {
  provider: ScriptedProvider;
  service: TestService;
  evals: Evals;
  /** The settings of the service. */
  env: Record<string, string>;
}

interface ExecutingOptions {
  env?: Record<string, string>;
  /** The API key for the provider. */
  key?: string;
  /** Number of requests that the provider remembers. */
  keep?: number;
  unpriced?: true;
}

/** Sets up a test file: a service that runs evals with one model, whose provider each test scripts. */
export function executing(
  take: (parts: Executing) => void | Promise<void>,
  { env = {}, key = 'k-scripted', keep, unpriced }: ExecutingOptions = {},
): void {
  let folder: string;
  let provider: ScriptedProvider;
  let service: TestService;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'drydock-evals-'));
    provider = await startProvider(undefined, keep === undefined ? {} : { keep });
    process.env['SCRIPTED_PROVIDER_KEY'] = key;
    const models = await writeModelsFile(folder, provider.url, { priced: !unpriced });
    const settings = { ...env, DRYDOCK_MODELS_FILE: models };
    service = await startTestService({ env: settings });
    await take({ provider, service, evals: await Evals.of(service), env: settings });
  });
  afterAll(async () => {
    delete process.env['SCRIPTED_PROVIDER_KEY'];
    await dispose(service);
    await provider?.close();
    await rm(folder, { recursive: true, force: true });
  });
}
