import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { type Answer, dispose, type RequestOptions, startTestService, type TestService } from './service.ts';

export const prompt = (text = 'Which ships are in the drydock?', id = '1') => ({
  id,
  kind: 'prompt',
  prompt: text,
});

export const vocabulary2 = { headers: { 'x-mcpjam-eval-vocabulary': '2' } };

/** A project with a running server, for tests that write suites. */
export class EvalsWorld {
  readonly service: TestService;
  readonly projectId: string;
  readonly project: string;
  readonly server: { id: string; name: string };
  /** The key of requests that name no other. */
  readonly key: string;

  private constructor(
    service: TestService,
    key: string,
    projectId: string,
    server: { id: string; name: string },
  ) {
    this.service = service;
    this.key = key;
    this.projectId = projectId;
    this.project = `/projects/${projectId}`;
    this.server = server;
  }

  static async make(service: TestService, key = service.key): Promise<EvalsWorld> {
    const projectId = (await service.post('/projects', { name: 'Evals' }, { key })).body.id as string;
    const fields = { name: 'harbour', url: await service.demoUrl() };
    const { body } = await service.post(`/projects/${projectId}/servers`, fields, { key });
    return new EvalsWorld(service, key, projectId, { id: body.id, name: fields.name });
  }

  private ask = (method: string, path: string, options: RequestOptions = {}): Promise<Answer> =>
    this.service.request(method, path, { key: this.key, ...options });
  private post = (path: string, body?: object, options?: RequestOptions): Promise<Answer> =>
    this.ask('POST', path, { ...options, body });

  suites = (fields: object = {}, options?: RequestOptions): Promise<Answer> =>
    this.post(
      `${this.project}/eval-suites`,
      {
        name: 'Ships',
        serverIds: [this.server.id],
        model: 'drydock/rehearsal',
        tests: [{ title: 'Lists the ships', steps: [prompt()] }],
        ...fields,
      },
      options,
    );

  /** A suite with one case that prompts a model. */
  suite = async (fields: object = {}): Promise<string> => made(await this.suites(fields), 'suiteId');
  at = (suiteId: string, rest = ''): string => `${this.project}/eval-suites/${suiteId}${rest}`;
  read = async (suiteId: string, options?: RequestOptions) =>
    (await this.ask('GET', this.at(suiteId), options)).body;
  patch = (suiteId: string, body: object, options?: RequestOptions): Promise<Answer> =>
    this.ask('PATCH', this.at(suiteId), { ...options, body });
  settings = (suiteId: string, settings: object, options?: RequestOptions): Promise<Answer> =>
    this.patch(suiteId, { settings }, options);
  /** Makes the suite decide case by case. */
  perCase = (suiteId: string): Promise<Answer> =>
    this.settings(suiteId, { repetitions: 2, passThreshold: 0.5 });

  addCase = (suiteId: string, fields: object = {}, options?: RequestOptions): Promise<Answer> =>
    this.post(this.at(suiteId, '/cases'), { title: newId('case'), steps: [prompt()], ...fields }, options);
  cases = async (suiteId: string) => (await this.ask('GET', this.at(suiteId, '/cases'))).body.items;

  client = async (config: object = {}): Promise<string> =>
    made(
      await this.post(`${this.project}/clients`, {
        name: newId('client'),
        config: { modelId: 'drydock/rehearsal', serverIds: [this.server.id], ...config },
      }),
      'id',
    );
  environment = async (fields: object = {}): Promise<string> =>
    made(
      await this.post(`${this.project}/environments`, {
        name: newId('env'),
        hostId: await this.client(),
        ...fields,
      }),
      'id',
    );

  launch = (body: object, options?: RequestOptions): Promise<Answer> =>
    this.post(`${this.project}/eval-runs`, body, options);
  launchGroup = (body: object, options?: RequestOptions): Promise<Answer> =>
    this.post(`${this.project}/eval-run-groups`, body, options);
  run = async (body: object): Promise<string> => made(await this.launch(body), 'runId');
  cancel = (runId: string): Promise<Answer> => this.post(`${this.project}/eval-runs/${runId}/cancel`);
}

function made({ status, body, text }: Answer, id: string): string {
  if (status >= 300) throw new Error(`A fixture was not made: ${status} ${text}`);
  return body[id] as string;
}

/** Models of this deployment at a local address where nothing listens. */
async function modelsFile(): Promise<string> {
  const models = {
    connections: [{ name: 'local', wire: 'openai-chat', baseUrl: 'http://127.0.0.1:1/v1' }],
    models: ['priced', 'other'].map((name) => ({
      id: `local/${name}`,
      connection: 'local',
      prices: { input: 1, output: 1 },
    })),
  };
  const file = join(await mkdtemp(join(tmpdir(), 'drydock-models-')), 'models.json');
  await writeFile(file, JSON.stringify(models));
  return file;
}

interface Authoring {
  service: TestService;
  database: pg.Client;
  /** New for each test. */
  world: EvalsWorld;
  /** The organization of `world`. */
  organizationId: string;
}

interface AuthoringOptions {
  /** With the models of `modelsFile`. */
  models?: true;
  env?: Record<string, string>;
  /** Each test has an organization of its own. */
  strangers?: true;
  /** Runs once, when the service has started. */
  prepare?: (service: TestService) => Promise<void>;
}

/** Sets up a test file: a service without a worker, and a new project for each test. */
export function authoring(
  take: (parts: Authoring) => void | Promise<void>,
  { models, env = {}, strangers, prepare }: AuthoringOptions = {},
): void {
  let service: TestService;
  let database: pg.Client;
  let file: string | undefined;
  beforeAll(async () => {
    file = models && (await modelsFile());
    service = await startTestService({
      worker: false,
      env: { ...env, ...(file !== undefined && { DRYDOCK_MODELS_FILE: file }) },
    });
    database = await service.database.connect();
    await prepare?.(service);
  });
  afterAll(async () => {
    await database?.end();
    await dispose(service);
    if (file !== undefined) await rm(dirname(file), { recursive: true, force: true });
  });
  beforeEach(async () => {
    const stranger = strangers && (await service.stranger());
    const world = await EvalsWorld.make(service, stranger?.key);
    const organizationId =
      stranger?.organizationId ?? ((await service.get('/organizations')).body.items[0].id as string);
    await take({ service, database, world, organizationId });
  });
}
