import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { operationList } from '../src/contract/index.ts';
import { installPlugin } from '../src/domain/operator/plugins.ts';
import { addSkill } from '../src/domain/operator/skills.ts';
import { byCodeUnit } from '../src/platform/canonical.ts';
import { filesOf, folderOf, skillMd } from './support/folder.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let project: string;
let projectId: string;

beforeAll(async () => {
  service = await startTestService();
  projectId = (await service.post('/projects', { name: 'Lists' })).body.id;
  project = `/projects/${projectId}`;
});
afterAll(() => dispose(service));

const lists = operationList.filter(
  ({ method, response }) => method === 'GET' && 'items' in ((response as z.ZodObject).shape ?? {}),
);

test.each(lists)('$id takes a limit and a cursor, and tells of a next page', ({ query, response }) => {
  const asked = Object.keys(query?.shape ?? {});
  expect(asked).toContain('limit');
  expect(asked.some((name) => name === 'cursor' || name === 'before')).toBe(true);
  expect(Object.keys((response as z.ZodObject).shape)).toContain('nextCursor');
});

/** How to put one more thing on each list. */
const makers: Record<string, (n: number) => Promise<unknown>> = {
  clients: (n) => service.post(`${project}/clients`, { name: `c${n}`, template: 'claude' }),
  hosts: (n) => service.post(`${project}/hosts`, { name: `h${n}`, template: 'claude' }),
  servers: (n) => service.post(`${project}/servers`, { name: `s${n}`, url: 'https://e.example.com' }),
  'server-groups': async (n) => {
    const { items } = (await service.get(`${project}/servers?limit=1`)).body;
    return service.post(`${project}/server-groups`, { name: `g${n}`, serverIds: [items[0].id] });
  },
  secrets: (n) => service.post(`${project}/secrets`, { name: `S${n}`, value: 'v', delivery: 'materialized' }),
  skills: (n) => addSkill(service.db, filesOf({ 'SKILL.md': skillMd(`skill-${n}`) }), { project: projectId }),
  plugins: (n) =>
    installPlugin(service.running.services, filesOf({ 'plugin.json': `{"name":"p${n}"}` }), {
      project: projectId,
    }),
  environments: async (n) => {
    const { items } = (await service.get(`${project}/clients?limit=1`)).body;
    const body = { name: `e${n}`, hostId: items[0].id };
    const { id } = (await service.post(`${project}/environments`, body)).body;
    // Neither of these is on the plain list.
    if (n % 2 === 0) return undefined;
    await service.post(`${project}/environments/${id}/archive`, { expectedRevision: 1 });
    return service.post(`${project}/environments/ensure-adhoc`, { hostId: items[0].id, modelId: `m${n}` });
  },
};

async function pages(
  path: string,
  limit: number,
  from = service,
): Promise<{ ids: string[]; sizes: number[] }> {
  const ids: string[] = [];
  const sizes: number[] = [];
  let cursor = '';
  do {
    const { body } = await from.get(`${path}limit=${limit}${cursor && `&cursor=${cursor}`}`);
    ids.push(...body.items.map(({ id }: { id: string }) => id));
    sizes.push(body.items.length);
    cursor = body.nextCursor ?? '';
  } while (cursor !== '');
  return { ids, sizes };
}

describe('page by page, every list is what it is in one page', () => {
  beforeAll(async () => {
    for (const make of Object.values(makers)) for (let n = 0; n < 7; n++) await make(n);
  });

  test.each([
    ['clients?', 14],
    ['clients?includePrivateBacking=true&', 14],
    ['hosts?', 14],
    ['servers?', 7],
    ['server-groups?', 7],
    ['secrets?', 7],
    ['skills?', 7],
    ['plugins?', 7],
    ['environments?', 4],
    ['environments?includeArchived=true&', 7],
  ])('%s', async (query, count) => {
    const path = `${project}/${query}`;
    const whole = (await service.get(path)).body;
    expect(whole).not.toHaveProperty('nextCursor');
    const ids = whole.items.map(({ id }: { id: string }) => id);
    expect(ids).toHaveLength(count);
    expect(ids).toEqual([...ids].sort(byCodeUnit));
    for (const limit of [1, 3, count])
      expect(await pages(path, limit)).toEqual({
        ids,
        sizes: [
          ...Array.from({ length: Math.ceil(count / limit) - 1 }, () => limit),
          ((count - 1) % limit) + 1,
        ],
      });
    expect((await service.get(`${path}limit=0`)).status).toBe(400);
    expect((await service.get(`${path}limit=1001`)).status).toBe(400);
  });

  test('and a cursor belongs to its filters', async () => {
    const { nextCursor } = (await service.get(`${project}/environments?limit=1`)).body;
    const other = await service.get(`${project}/environments?includeArchived=true&cursor=${nextCursor}`);
    expect(other).toMatchObject({ status: 400, body: { message: expect.stringContaining('cursor: ') } });
    const { nextCursor: ofClients } = (await service.get(`${project}/clients?limit=1`)).body;
    expect((await service.get(`${project}/hosts?cursor=${ofClients}`)).status).toBe(400);
  });
});

test('archived environments are listed however many there are', async () => {
  const { id } = (await service.post('/projects', { name: 'Many' })).body;
  const database = await service.database.connect();
  await database.query(
    `insert into environments (id, project_id, name, name_key, host_id, composition, archived_at)
     select 'env_' || lpad(n::text, 8, '0'), $1, 'e', 'e', 'cli_x', 'x', now() from generate_series(1, 2500) n`,
    [id],
  );
  await database.end();
  expect((await service.get(`/projects/${id}/environments`)).body).toEqual({ items: [] });
  const { ids, sizes } = await pages(`/projects/${id}/environments?includeArchived=true&`, 1000);
  expect(sizes).toEqual([1000, 1000, 500]);
  expect(new Set(ids).size).toBe(2500);
});

test('the organization and the models are lists like any other', async () => {
  const ids = ['b/one', 'c/two', 'a/three'];
  const models = { builtInModels: false, models: ids.map((id) => ({ id })) };
  const folder = await folderOf({ 'models.json': JSON.stringify(models) });
  const other = await startForTest({ env: { DRYDOCK_MODELS_FILE: join(folder, 'models.json') } });
  for (const path of ['/organizations', '/models']) {
    const whole = (await other.get(path)).body;
    expect((await other.get(`${path}?limit=1000`)).body).toEqual(whole);
    expect((await other.get(`${path}?cursor=x`)).status).toBe(400);
  }
  expect(await pages('/models?', 2, other)).toEqual({ ids: ['drydock/rehearsal', ...ids], sizes: [2, 2] });
});
