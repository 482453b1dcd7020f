import { afterAll, beforeAll, expect, test } from 'vitest';
import { listKeys, revokeKey } from '../src/domain/operator/keys.ts';
import { removeMember, setMember } from '../src/domain/operator/members.ts';
import { deleteOrganization } from '../src/domain/operator/organizations.ts';
import { deleteUser } from '../src/domain/operator/users.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));

test('the first boot makes an owner, an organization, a Default project and a key of 256 bits', async () => {
  expect(service.key).toMatch(/^sk_[A-Za-z0-9_-]{43}$/);
  const me = await service.get('/me');
  expect(me.body).toMatchObject({
    email: 'owner@drydock.local',
    name: 'Owner',
    plan: 'self-hosted',
    imageUrl: null,
  });
  const organizations = await service.get('/organizations');
  expect(organizations.body.items).toHaveLength(1);
  expect(organizations.body.items[0]).toMatchObject({ myRole: 'owner', isCreator: true });
  const projects = await service.get('/projects');
  expect(projects.body.items).toMatchObject([{ name: 'Default', role: 'admin', visibility: 'public' }]);
});

test('only a hash of the key is stored', async () => {
  const client = await service.database.connect();
  const { rows } = await client.query('select row_to_json(k)::text as row from api_keys k');
  await client.end();
  for (const { row } of rows) expect(row).not.toContain(service.key);
  expect(service.logs.join()).not.toContain(service.key);
});

test('a key never reaches another organization', async () => {
  const stranger = await service.stranger();
  const project = await service.defaultProject();
  const theirs = await service.defaultProject(stranger.key);
  expect((await service.get(`/projects/${theirs}/servers`)).status).toBe(404);
  expect((await service.get(`/projects/${project}/servers`, { key: stranger.key })).status).toBe(404);
  expect((await service.get(`/projects?organizationId=${stranger.organizationId}`)).body).toEqual({
    items: [],
  });
  const created = await service.post('/projects', { name: 'x', organizationId: stranger.organizationId });
  expect(created).toMatchObject({
    status: 403,
    body: { message: 'API key is not scoped to this organization' },
  });
});

test('a private project opens only for its members and for administrators', async () => {
  const { body: project } = await service.post('/projects', { name: 'Secret plans', visibility: 'private' });
  const outsider = await service.member('member');
  const admin = await service.member('admin');
  expect((await service.get(`/projects/${project.id}/servers`, { key: outsider.key })).status).toBe(403);
  expect((await service.get('/projects', { key: outsider.key })).text).not.toContain(project.id);
  expect((await service.get(`/projects/${project.id}/servers`, { key: admin.key })).status).toBe(200);
  await setMember(service.db, { project: project.id }, { user: outsider.userId, role: 'member' });
  expect((await service.get(`/projects/${project.id}/servers`, { key: outsider.key })).status).toBe(200);
  expect((await service.patch(`/projects/${project.id}`, { name: 'y' }, { key: outsider.key })).status).toBe(
    403,
  );
});

test('a revoked key stops at the next request, on every replica', async () => {
  const replica = await startTestService({
    database: service.database,
    dataDir: service.running.services.config.dataDir,
  });
  const { key, keyId } = await service.member('member');
  expect((await service.get('/me', { key })).status).toBe(200);
  const elsewhere = `${replica.running.baseUrl}/me`;
  const headers = { authorization: `Bearer ${key}` };
  expect((await fetch(elsewhere, { headers })).status).toBe(200);
  await revokeKey(service.db, keyId);
  const refused = await service.get('/me', { key });
  expect(refused).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED', message: 'Invalid API key' } });
  expect((await fetch(elsewhere, { headers })).status).toBe(401);
  await replica.stop();
});

test('a key whose owner left the organization says it is orphaned, and stays so when they return', async () => {
  const { key, userId } = await service.member('member');
  const organization = (await service.get('/organizations')).body.items[0].id as string;
  await removeMember(service.db, { organization }, userId);
  const orphaned = { status: 401, body: { code: 'UNAUTHORIZED', details: { reason: 'ORPHANED_KEY' } } };
  expect(await service.get('/me', { key })).toMatchObject(orphaned);
  await setMember(service.db, { organization }, { user: userId, role: 'member' });
  expect(await service.get('/me', { key })).toMatchObject(orphaned);
});

test('a key outlives its organization and its owner as an orphan', async () => {
  const first = await service.stranger();
  await deleteOrganization(service.db, first.organizationId);
  expect(await service.get('/me', { key: first.key })).toMatchObject({
    body: { details: { reason: 'ORPHANED_KEY' } },
  });
  const second = await service.member('member');
  await deleteUser(service.db, second.userId);
  expect(await service.get('/me', { key: second.key })).toMatchObject({
    status: 401,
    body: { message: expect.stringContaining('Unknown user'), details: { reason: 'ORPHANED_KEY' } },
  });
});

test.each(['/api-keys', '/api-keys/', '/api-keys/key_1', '/api-keys/key_1/revoke'])(
  'key management at %s is refused to API keys, whatever the method',
  async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'PATCH']) {
      expect(await service.request(method, path)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
      expect(await service.request(method, path, { key: null })).toMatchObject({ status: 401 });
    }
  },
);

test('guest tokens are recognised and refused', async () => {
  expect(await service.get('/me', { key: 'guest_abc' })).toMatchObject({
    status: 401,
    body: { message: 'Guests cannot access this endpoint' },
  });
});

test.each([
  ['no header', undefined],
  ['another scheme', 'Basic abc'],
  ['no token', 'Bearer '],
  ['two tokens', 'Bearer a b'],
])('a request with %s is told to send a bearer', async (_, authorization) => {
  const answer = await service.get('/me', { key: null, headers: authorization ? { authorization } : {} });
  expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  expect(answer.body.message).toContain('Bearer token required');
});

test('the last use of a key is written down', async () => {
  const { key, keyId } = await service.member('member');
  const before = Date.now();
  await service.get('/me', { key });
  await service.running.flushLastUse();
  const row = (await listKeys(service.db, undefined)).find(({ id }) => id === keyId);
  expect(row?.lastUsedAt).toBeGreaterThanOrEqual(before);
});
