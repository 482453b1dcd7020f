import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operationList } from '../src/contract/index.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let project: string;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));
beforeEach(async () => {
  const { body } = await service.post('/projects', { name: 'Hosts' });
  project = `/projects/${body.id}`;
});

const asClient = async (id: string) => (await service.get(`${project}/clients/${id}`)).body;

/** The fields of a client that the old `hosts` operations return. */
function detailOf({ id, name, config }: { id: string; name: string; config: object }): object {
  return { id, name, config };
}

describe('each operation under the old name does what its successor does', () => {
  test('create, read, list', async () => {
    const made = await service.post(`${project}/hosts`, { name: 'Claude', template: 'claude' });
    expect(made.status).toBe(201);
    const client = await asClient(made.body.id);
    expect(made.body).toEqual(detailOf(client));
    expect((await service.get(`${project}/hosts/${client.id}`)).body).toEqual(detailOf(client));
    const [host] = (await service.get(`${project}/hosts`)).body.items;
    const [row] = (await service.get(`${project}/clients`)).body.items;
    const { configId, ownerScope: _scope, hasComputer: _computer, ...rest } = row;
    expect(host).toEqual({ ...rest, hostConfigId: configId });
  });

  test('edit: the whole configuration or the name, and nothing is compared', async () => {
    const { id } = (await service.post(`${project}/hosts`, { name: 'Claude', template: 'claude' })).body;
    const edited = await service.patch(`${project}/hosts/${id}`, { name: 'New', config: { modelId: 'm' } });
    expect(edited.body).toEqual(detailOf(await asClient(id)));
    expect(edited.body).toMatchObject({ name: 'New', config: { modelId: 'm', temperature: 0.7 } });
    expect((await service.patch(`${project}/hosts/${id}`, { config: { temperature: 1 } })).status).toBe(400);
    expect((await service.patch(`${project}/hosts/${id}`, {})).status).toBe(400);
  });

  test('servers, duplicate, delete', async () => {
    const { id } = (await service.post(`${project}/hosts`, { name: 'Claude', template: 'claude' })).body;
    const server = (await service.post(`${project}/servers`, { name: 's', url: 'https://s.example.com' }))
      .body.id;
    const served = await service.post(`${project}/hosts/${id}/servers`, { serverIds: [server] });
    expect(served.body.config.serverIds).toEqual([server]);
    const copy = await service.post(`${project}/hosts/${id}/duplicate`);
    expect(copy).toMatchObject({ status: 201, body: { config: served.body.config } });
    expect((await service.delete(`${project}/hosts/${id}`)).body).toEqual({ id, deleted: true });
    expect(
      (await service.request('DELETE', `${project}/hosts/${copy.body.id}`, { body: { force: true } })).status,
    ).toBe(200);
  });
});

test('names are not taken for ids', async () => {
  await service.post(`${project}/hosts`, { name: 'Claude', template: 'claude' });
  for (const path of ['', '/duplicate', '/servers'])
    expect(
      (
        await service.request(path === '' ? 'GET' : 'POST', `${project}/hosts/Claude${path}`, {
          ...(path !== '' && { body: path === '/servers' ? { serverIds: [] } : {} }),
        })
      ).status,
    ).toBe(404);
});

const old = operationList.filter(({ deprecated }) => deprecated !== undefined);
const oldHosts = old.filter(({ area }) => area === 'Clients (deprecated)');

test('there are seven of hosts, and all that are deprecated name their successor', () => {
  expect(oldHosts.map(({ id }) => id).sort()).toEqual([
    'createHost',
    'deleteHost',
    'duplicateHost',
    'getHost',
    'listHosts',
    'setHostServers',
    'updateHost',
  ]);
  const paths = new Set(operationList.map(({ path }) => path));
  expect(old.filter(({ deprecated }) => !paths.has(deprecated ?? ''))).toEqual([]);
});

test.each(old)(
  '$id says that it is deprecated, also when it refuses',
  async ({ method, path, deprecated }) => {
    for (const key of [service.key, null, 'sk_unknown']) {
      const where = path.replaceAll(/\{(\w+)\}/g, 'x_$1');
      const answer = await service.request(method, where, {
        key,
        ...(method !== 'GET' && { body: '{not json' }),
      });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.headers.get('deprecation')).toBe('true');
      const named = { client: 'hostId', studyId: 'scenarioId' } as Record<string, string>;
      const successor = deprecated?.replaceAll(/\{(\w+)\}/g, (_, name: string) => `x_${named[name] ?? name}`);
      expect(answer.headers.get('link')).toBe(`</api/v1${successor}>; rel="successor-version"`);
    }
  },
);
