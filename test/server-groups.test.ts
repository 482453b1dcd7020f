import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as serverGroups from '../src/platform/database/queries/server-groups.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';
import { withoutTrace } from './support/snapshot.ts';

let service: TestService;
let database: pg.Client;
let project: string;
let path: string;
let servers: string[];

beforeAll(async () => {
  // Without a worker nothing but the requests writes.
  service = await startTestService({ worker: false });
  database = await service.database.connect();
  project = await service.defaultProject();
  path = `/projects/${project}/server-groups`;
  servers = await Promise.all(['one', 'two', 'three'].map((name) => server(project, name)));
});
afterAll(async () => {
  await database?.end();
  await dispose(service);
});

async function server(projectId: string, name: string): Promise<string> {
  const { body } = await service.post(`/projects/${projectId}/servers`, { name, url: 'https://e.com' });
  return body.id;
}

/** In ascending order. */
function statusesOf(answers: Answer[]): number[] {
  return answers.map(({ status }) => status).sort((a, b) => a - b);
}

test('a group holds servers in the order they were given, with their names', async () => {
  const serverIds = servers.toReversed();
  const { status, body } = await service.post(path, { name: ' Ordered ', serverIds });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.stringMatching(/^grp_/),
    name: 'Ordered',
    description: null,
    serverIds,
    serverNames: ['three', 'two', 'one'],
    createdAt: expect.any(Number),
    updatedAt: body.createdAt,
  });
  expect(body.createdAt).toBeGreaterThan(Date.now() - 60_000);
  expect((await service.get(path)).body.items).toContainEqual(body);
  const { rows } = await database.query('select action, project_id from audit_events where target = $1', [
    body.id,
  ]);
  expect(rows).toEqual([{ action: 'server-group.create', project_id: project }]);
});

test('any member makes and lists groups', async () => {
  const { key } = await service.member('member');
  const made = await service.post(
    path,
    { name: 'Theirs', description: 'd', serverIds: [servers[0]] },
    { key },
  );
  expect(made).toMatchObject({ status: 201, body: { description: 'd', serverNames: ['one'] } });
  expect((await service.get(path, { key })).body).toEqual((await service.get(path)).body);
});

test('names follow the servers; a deleted one leaves a mark in its place', async () => {
  const { body: own } = await service.post('/projects', { name: 'Own' });
  const at = `/projects/${own.id}`;
  const [kept, gone] = [await server(own.id, 'kept'), await server(own.id, 'gone')];
  expect((await service.get(`${at}/server-groups`)).body).toEqual({ items: [] });
  const first = await service.post(`${at}/server-groups`, { name: 'Z', serverIds: [gone, kept] });
  await new Promise((done) => setTimeout(done, 2));
  const second = await service.post(`${at}/server-groups`, { name: 'A', serverIds: [kept] });
  expect((await service.get(`${at}/server-groups`)).body).toEqual({ items: [first.body, second.body] });

  await service.patch(`${at}/servers/${kept}`, { name: 'renamed' });
  await service.delete(`${at}/servers/${gone}`);
  expect((await service.get(`${at}/server-groups`)).body).toEqual({
    items: [
      { ...first.body, serverNames: ['(deleted server)', 'renamed'] },
      { ...second.body, serverNames: ['renamed'] },
    ],
  });
  expect(await service.db.row(serverGroups.find, { projectId: own.id, id: first.body.id })).toMatchObject({
    serverIds: [gone, kept],
  });
  expect(await service.db.row(serverGroups.find, { projectId: project, id: first.body.id })).toBeUndefined();

  expect(
    await withoutTrace(database, () =>
      service.post(`${at}/server-groups`, { name: 'B', serverIds: [kept, gone] }),
    ),
  ).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', details: { serverId: gone } } });
});

test.each<[object, string]>([
  [{ serverIds: ['a'] }, 'name: '],
  [{ name: '  ', serverIds: ['a'] }, 'name: '],
  [{ name: 'x\u001b', serverIds: ['a'] }, 'name: '],
  [{ name: 'x'.repeat(201), serverIds: ['a'] }, 'name: '],
  [{ name: 'x' }, 'serverIds: '],
  [{ name: 'x', serverIds: [] }, 'serverIds: '],
  [{ name: 'x', serverIds: [''] }, 'serverIds.0: '],
  [{ name: 'x', serverIds: ['a', 'b', 'a'] }, 'serverIds: Names a server twice'],
  [{ name: 'x', serverIds: Array.from({ length: 101 }, (_, i) => `${i}`) }, 'serverIds: '],
  [{ name: 'x', serverIds: ['a'], description: 'x'.repeat(2001) }, 'description: '],
  [{ name: 'x', serverIds: ['a'], servers: [] }, 'Unrecognized key: "servers"'],
  [{ name: 'x', serverIds: ['srv_none', 'srv_nor'] }, 'serverIds.0: "srv_none" is no server of this project'],
])('%j is refused and leaves no trace', async (body, message) => {
  const answer = await withoutTrace(database, () => service.post(path, body));
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  expect(answer.body.message).toContain(message);
});

test('the first id that is no server of this project is named', async () => {
  const { body: other } = await service.post('/projects', { name: 'Other' });
  const foreign = await server(other.id, 'foreign');
  expect(
    await withoutTrace(database, () =>
      service.post(path, { name: 'x', serverIds: [servers[0], foreign, 'srv_none'] }),
    ),
  ).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', details: { serverId: foreign } } });
});

test('a server that a plugin manages is refused', async () => {
  const managed = await server(project, 'managed');
  await database.query("insert into plugins (id, project_id, name) values ('plg_1', $1, 'p')", [project]);
  await database.query(
    `insert into plugin_versions (id, plugin_id, project_id, bundle_hash, status, component_counts, servers, skills)
     values ('plv_1', 'plg_1', $1, 'h', 'ready', '{}', '[]', '[]')`,
    [project],
  );
  await database.query("update servers set plugin_version_id = 'plv_1' where id = $1", [managed]);
  const answer = await withoutTrace(database, () =>
    service.post(path, { name: 'x', serverIds: [servers[0], managed] }),
  );
  expect(answer).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_ERROR', details: { serverId: managed } },
  });
  expect(answer.body.message).toContain('serverIds.1: "managed" is managed by a plugin');
});

test('a taken name is refused, also when many ask for it at once', async () => {
  const body = { name: 'Race', serverIds: servers };
  const answers = await Promise.all(Array.from({ length: 10 }, () => service.post(path, body)));
  expect(statusesOf(answers)).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  expect(
    await withoutTrace(database, () => service.post(path, { name: 'Race', serverIds: [servers[0]] })),
  ).toMatchObject({
    status: 409,
    body: { code: 'CONFLICT', details: { reason: 'NAME_TAKEN', name: 'Race' } },
  });
  const { body: other } = await service.post('/projects', { name: 'Same name' });
  const elsewhere = { name: 'Race', serverIds: [await server(other.id, 's')] };
  expect((await service.post(`/projects/${other.id}/server-groups`, elsewhere)).status).toBe(201);
});

test('groups are neither edited nor deleted', async () => {
  const { body } = await service.post(path, { name: 'Fixed', serverIds: servers });
  for (const method of ['GET', 'PATCH', 'PUT', 'DELETE'])
    expect((await service.request(method, `${path}/${body.id}`)).status).toBe(404);
});

test('there is room for 1,000, also when the last place is fought for', async () => {
  const { body: own } = await service.post('/projects', { name: 'Full' });
  const at = `/projects/${own.id}/server-groups`;
  const serverIds = [await server(own.id, 's')];
  await database.query(
    `insert into server_groups (id, project_id, name, server_ids)
     select 'grp_full' || n, $1, 'N' || n, $2 from generate_series(1, 999) n`,
    [own.id, serverIds],
  );
  const answers = await Promise.all(['A', 'B', 'C'].map((name) => service.post(at, { name, serverIds })));
  expect(statusesOf(answers)).toEqual([201, 409, 409]);
  expect(await withoutTrace(database, () => service.post(at, { name: 'Late', serverIds }))).toMatchObject({
    status: 409,
    body: { code: 'CONFLICT', details: { reason: 'LIMIT_REACHED', limit: 1000 } },
  });
  expect((await service.get(at)).body.items).toHaveLength(1000);
});
