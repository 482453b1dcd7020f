import { installPlugin } from '../../src/domain/operator/plugins.ts';
import { addSkill } from '../../src/domain/operator/skills.ts';
import type { Answer, TestService } from './service.ts';

export const skillFiles = (frontmatter: string, files: [string, Buffer][] = []): Map<string, Buffer> =>
  new Map([['SKILL.md', Buffer.from(`---\n${frontmatter}\n---\nDo it well.\n`)], ...files]);

const pluginFiles = (
  version: string,
  extra: object = {},
  files: [string, Buffer][] = [],
): Map<string, Buffer> =>
  new Map([['plugin.json', Buffer.from(JSON.stringify({ name: 'harbour', version, ...extra }))], ...files]);

/** A project with a server and a client that uses it. */
export class EnvironmentsWorld {
  readonly service: TestService;
  readonly projectId: string;
  readonly project: string;
  readonly server: string;
  readonly client: string;

  private constructor(service: TestService, projectId: string, server: string, client: string) {
    this.service = service;
    this.projectId = projectId;
    this.project = `/projects/${projectId}`;
    this.server = server;
    this.client = client;
  }

  static async make(service: TestService): Promise<EnvironmentsWorld> {
    const projectId = (await service.post('/projects', { name: 'Environments' })).body.id;
    const project = `/projects/${projectId}`;
    const server = await service.post(`${project}/servers`, {
      name: 'weather',
      url: 'https://w.example.com/mcp',
    });
    const config = { modelId: 'anthropic/claude-haiku-4.5', serverIds: [server.body.id] };
    const client = await service.post(`${project}/clients`, { name: 'Claude', config });
    return new EnvironmentsWorld(service, projectId, server.body.id, client.body.id);
  }

  create = (fields: object = {}): Promise<Answer> =>
    this.service.post(`${this.project}/environments`, { name: 'Staging', hostId: this.client, ...fields });
  made = async (fields: object = {}) => (await this.create(fields)).body;
  patch = (id: string, body: object): Promise<Answer> =>
    this.service.patch(`${this.project}/environments/${id}`, body);
  act = (id: string, action: string, body: object): Promise<Answer> =>
    this.service.post(`${this.project}/environments/${id}/${action}`, body);
  ensure = (fields: object = {}, key = this.service.key): Promise<Answer> =>
    this.service.post(
      `${this.project}/environments/ensure-adhoc`,
      { hostId: this.client, ...fields },
      { key },
    );
  read = async (id: string) => (await this.service.get(`${this.project}/environments/${id}`)).body;
  resolve = (id: string, key = this.service.key): Promise<Answer> =>
    this.service.get(`${this.project}/environments/${id}/resolve`, { key });
  names = async (query = ''): Promise<string[]> =>
    (await this.service.get(`${this.project}/environments${query}`)).body.items.map(
      ({ name }: { name: string }) => name,
    );

  addSkill = async (frontmatter = 'name: inspect\ndescription: How', files?: [string, Buffer][]) =>
    (await addSkill(this.service.db, skillFiles(frontmatter, files), { project: this.projectId })).id;

  install = async (...of: Parameters<typeof pluginFiles>): Promise<string> =>
    (await installPlugin(this.service.running.services, pluginFiles(...of), { project: this.projectId }))
      .versionId;

  saveSecret = async (fields: object = {}, key = this.service.key): Promise<string> =>
    (
      await this.service.post(
        `${this.project}/secrets`,
        { name: 'TOKEN', value: 'v', delivery: 'materialized', ...fields },
        { key },
      )
    ).body.id;
}
