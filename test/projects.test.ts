import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { z } from 'zod';
import { operationList } from '../src/contract/index.ts';
import { setFeature } from '../src/domain/operator/organizations.ts';
import * as blobRows from '../src/platform/database/queries/blobs.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));

test('a project is created, edited and read back', async () => {
  const made = await service.post('/projects', {
    name: '  Payments ',
    description: 'd',
    icon: '🚢',
    visibility: 'private',
  });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    name: 'Payments',
    description: 'd',
    icon: '🚢',
    visibility: 'private',
    role: 'admin',
  });
  const edited = await service.patch(`/projects/${made.body.id}`, { description: '', visibility: 'public' });
  expect(edited.body).toMatchObject({ name: 'Payments', description: '', icon: '🚢', visibility: 'public' });
  expect(edited.body.updatedAt).toBeGreaterThanOrEqual(made.body.updatedAt);
  const { body } = await service.get('/projects');
  expect(body.items.find((item: { id: string }) => item.id === made.body.id)).toEqual(edited.body);
});

test('an edit without a field is refused', async () => {
  const project = await service.defaultProject();
  expect(await service.patch(`/projects/${project}`, {})).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_ERROR' },
  });
});

test('deleting a project takes everything in it along', async () => {
  const { body: project } = await service.post('/projects', { name: 'Doomed' });
  const { body: server } = await service.post(`/projects/${project.id}/servers`, {
    name: 's',
    url: 'https://e.com',
    clientSecret: 'x',
  });
  const organizationId = project.organizationId as string;
  await service.db.run(blobRows.insert, {
    id: 'blb_1',
    organizationId,
    projectId: project.id,
    contentType: 'text/plain',
    size: 1,
    sha256: '',
  });
  expect((await service.delete(`/projects/${project.id}`)).body).toEqual({ id: project.id, deleted: true });
  expect((await service.get(`/projects/${project.id}/servers/${server.id}`)).status).toBe(404);
  const client = await service.database.connect();
  onTestFinished(() => client.end());
  const left = async () => {
    const { rows } = await client.query(
      `select (select count(*) from servers where project_id = $1) + (select count(*) from sealed_values where project_id = $1)
         + (select count(*) from blobs where project_id = $1) + (select count(*) from projects where id = $1) as rows,
         (select count(*) from blob_garbage where blob_id = 'blb_1') as remembered`,
      [project.id],
    );
    return rows[0];
  };
  await expect.poll(left).toEqual({ rows: '0', remembered: '1' });
});

test('null takes the description and the icon away, and what is not mentioned stays', async () => {
  const { body: made } = await service.post('/projects', { name: 'P', description: 'd', icon: 'i' });
  const patch = async (body: object) => (await service.patch(`/projects/${made.id}`, body)).body;
  expect(await patch({ name: 'Q' })).toMatchObject({ name: 'Q', description: 'd', icon: 'i' });
  expect(await patch({ description: null })).toMatchObject({ name: 'Q', description: null, icon: 'i' });
  expect(await patch({ icon: null, description: 'e' })).toMatchObject({ description: 'e', icon: null });
});

const edits = operationList.filter(
  ({ method, body }) => method === 'PATCH' && 'description' in (body as z.ZodObject).shape,
);
test('descriptions of projects and environments can be edited', () => {
  expect(edits.map(({ id }) => id)).toEqual(expect.arrayContaining(['updateProject', 'updateEnvironment']));
});

test.each(edits)('$id takes null for a description, and its schema says so', ({ body }) => {
  const { description } = (body as z.ZodObject).shape as Record<string, z.ZodType>;
  expect(description?.safeParse(null).success).toBe(true);
  expect(description?.description).toContain('`null`');
});

test('the Default project cannot be deleted', async () => {
  const project = await service.defaultProject();
  expect(await service.delete(`/projects/${project}`)).toMatchObject({
    status: 409,
    body: { code: 'CONFLICT', details: { code: 'DEFAULT_PROJECT', reason: 'DEFAULT_PROJECT' } },
  });
  expect((await service.get(`/projects/${project}/servers`)).status).toBe(200);
});

test('capabilities tell role, features and limits, and follow the operator', async () => {
  const project = await service.defaultProject();
  const before = (await service.get(`/projects/${project}/capabilities`)).body;
  expect(before).toMatchObject({
    projectId: project,
    role: 'owner',
    projectRole: 'admin',
    plan: { name: 'self-hosted', limits: { insightsPerDay: null, concurrentEvalRuns: 100_000 } },
    can: { writeClients: true, writeEnvironments: true, writeProjectSecrets: true },
  });
  const member = await service.member('member');
  const theirs = (await service.get(`/projects/${project}/capabilities`, { key: member.key })).body;
  expect(theirs).toMatchObject({
    role: 'member',
    projectRole: 'editor',
    can: { writeClients: true, writeEnvironments: false, writeProjectSecrets: false },
  });
});

test('capabilities promise nothing that is not served, whatever is switched on', async () => {
  await setFeature(service.db, { organization: undefined, feature: 'swarms', enabled: true });
  const project = await service.defaultProject();
  const { can, features } = (await service.get(`/projects/${project}/capabilities`)).body;
  const served = operationList.some(({ id }) => id === 'createSwarm');
  expect({ write: can.writeSwarms, launch: can.launchJourneyRun, feature: features.swarms.enabled }).toEqual({
    write: served,
    launch: served,
    feature: served,
  });
});

test('sessions are empty pages until something makes sessions', async () => {
  const project = await service.defaultProject();
  expect((await service.get('/chat-sessions')).body).toEqual({ items: [] });
  expect((await service.get(`/chat-sessions?projectId=${project}&status=active&limit=5`)).body).toEqual({
    items: [],
  });
  expect((await service.get('/chat-sessions?projectId=unknown')).status).toBe(404);
  expect((await service.get(`/projects/${project}/sessions?scope=titles`)).body).toEqual({
    items: [],
    scope: 'titles',
  });
});

test('every write leaves an audit row in the same transaction', async () => {
  const { body: project } = await service.post('/projects', { name: 'Audited' });
  const { body: server, headers } = await service.post(`/projects/${project.id}/servers`, {
    name: 'a',
    url: 'https://e.com',
  });
  await service.post(`/projects/${project.id}/servers`, { name: 'a', url: 'https://e.com' });
  const client = await service.database.connect();
  const { rows } = await client.query(
    'select action, target, request_id from audit_events where project_id = $1',
    [project.id],
  );
  await client.end();
  expect(rows).toEqual([
    { action: 'server.create', target: server.id, request_id: headers.get('x-request-id') },
  ]);
});

test('a write that loses the race against the deletion of its project finds no project', async () => {
  const { body: project } = await service.post('/projects', { name: 'Vanishing' });
  const client = await service.database.connect();
  await client.query('begin');
  await client.query('delete from projects where id = $1', [project.id]);
  const write = service.post(`/projects/${project.id}/servers`, {
    name: 's',
    url: 'https://e.com',
    clientSecret: 'x',
  });
  await expect
    .poll(
      async () => (await client.query('select count(*)::int as n from pg_locks where not granted')).rows[0].n,
    )
    .toBeGreaterThan(0);
  await client.query('commit');
  await client.end();
  expect(await write).toMatchObject({ status: 404, body: { code: 'NOT_FOUND', message: 'No such project' } });
});
