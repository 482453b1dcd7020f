import { newId } from '../../src/platform/ids.ts';
import type { Answer, RequestOptions, TestService } from './service.ts';

export const prompt = (text = 'Which ships are in the drydock?', id = '1') => ({
  id,
  kind: 'prompt',
  prompt: text,
});

export const vocabulary2 = { headers: { 'x-mcpjam-eval-vocabulary': '2' } };

/** A project with a server that is really there, to write suites for. */
export class EvalsWorld {
  readonly service: TestService;
  readonly projectId: string;
  readonly project: string;
  readonly server: { id: string; name: string };

  private constructor(service: TestService, projectId: string, server: { id: string; name: string }) {
    this.service = service;
    this.projectId = projectId;
    this.project = `/projects/${projectId}`;
    this.server = server;
  }

  static async make(service: TestService, key = service.key): Promise<EvalsWorld> {
    const projectId = (await service.post('/projects', { name: 'Evals' }, { key })).body.id as string;
    const fields = { name: 'harbour', url: await service.demoUrl() };
    const { body } = await service.post(`/projects/${projectId}/servers`, fields, { key });
    return new EvalsWorld(service, projectId, { id: body.id, name: fields.name });
  }

  suites = (fields: object = {}, options?: RequestOptions): Promise<Answer> =>
    this.service.post(
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
    (await this.service.get(this.at(suiteId), options)).body;
  patch = (suiteId: string, body: object, options?: RequestOptions): Promise<Answer> =>
    this.service.patch(this.at(suiteId), body, options);
  settings = (suiteId: string, settings: object, options?: RequestOptions): Promise<Answer> =>
    this.patch(suiteId, { settings }, options);
  /** One that judges each case by itself. */
  perCase = (suiteId: string): Promise<Answer> =>
    this.settings(suiteId, { repetitions: 2, passThreshold: 0.5 });

  addCase = (suiteId: string, fields: object = {}, options?: RequestOptions): Promise<Answer> =>
    this.service.post(
      this.at(suiteId, '/cases'),
      { title: newId('case'), steps: [prompt()], ...fields },
      options,
    );
  cases = async (suiteId: string) => (await this.service.get(this.at(suiteId, '/cases'))).body.items;

  client = async (config: object = {}): Promise<string> =>
    made(
      await this.service.post(`${this.project}/clients`, {
        name: newId('client'),
        config: { modelId: 'drydock/rehearsal', serverIds: [this.server.id], ...config },
      }),
      'id',
    );
  environment = async (fields: object = {}): Promise<string> =>
    made(
      await this.service.post(`${this.project}/environments`, {
        name: newId('env'),
        hostId: await this.client(),
        ...fields,
      }),
      'id',
    );

  launch = (body: object, options?: RequestOptions): Promise<Answer> =>
    this.service.post(`${this.project}/eval-runs`, body, options);
  launchGroup = (body: object, options?: RequestOptions): Promise<Answer> =>
    this.service.post(`${this.project}/eval-run-groups`, body, options);
  run = async (body: object): Promise<string> => made(await this.launch(body), 'runId');
  cancel = (runId: string): Promise<Answer> => this.service.post(`${this.project}/eval-runs/${runId}/cancel`);
}

function made({ status, body, text }: Answer, id: string): string {
  if (status >= 300) throw new Error(`A fixture was not made: ${status} ${text}`);
  return body[id] as string;
}
