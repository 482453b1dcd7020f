import { afterAll, beforeAll, expect, test } from 'vitest';
import { operationList } from '../src/contract/index.ts';
import type { Operation } from '../src/contract/operation.ts';
import type { Given } from '../src/domain/base/input.ts';
import type { Credential } from '../src/domain/identity/authenticate.ts';
import { Entrance } from '../src/domain/invoke.ts';
import { removeMember } from '../src/domain/operator/members.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

/** Operations entered without HTTP, as a job, an agent or another surface does. */

let service: TestService;
let entrance: Entrance;
let organizationId: string;
const charged: string[] = [];
/** These operations call no others. */
const tools = () => Promise.reject(new Error('No tools here'));

beforeAll(async () => {
  service = await startTestService({ worker: false });
  entrance = new Entrance({
    tools,
    services: service.running.services,
    charge: (keyId) => void charged.push(keyId),
    used: () => {},
  });
  organizationId = (await service.get('/organizations')).body.items[0].id;
});
afterAll(() => dispose(service));

async function enter(
  id: string,
  credential: Credential,
  params: object = {},
  given: Given = {},
): Promise<Record<string, unknown>> {
  const operation = operationList.find((one) => one.id === id) as Operation;
  const requestInfo = {
    requestId: `test-${id}`,
    callerGone: () => new AbortController().signal,
    origin: () => 'http://127.0.0.1',
    afterwards: () => {},
  };
  const entered = await entrance.enter(operation, credential, params as Record<string, string>, requestInfo);
  return (await entrance.act(entered, given)) as Record<string, unknown>;
}

const acting = (userId: string): Credential => ({ kind: 'account', organizationId, userId });

test('an account is acted for inside its organization, with its rights and nobody’s key', async () => {
  const { userId } = await service.member('member');
  expect(await enter('getMe', acting(userId))).toMatchObject({ id: userId });
  const project = await enter('createProject', acting(userId), {}, { body: { name: 'By a job' } });
  const audit = await service.database.connect();
  const { rows } = await audit.query('select actor, request_id from audit_events where target = $1', [
    project['id'],
  ]);
  await audit.end();
  expect(rows).toEqual([{ actor: userId, request_id: 'test-createProject' }]);
  expect(charged).toEqual([]);
});

test('what is sent is checked inside, whatever the surface', async () => {
  const { userId } = await service.member('owner');
  const create = (body: Record<string, unknown>) => enter('createProject', acting(userId), {}, { body });
  await expect(create({})).rejects.toMatchObject({ code: 'VALIDATION_ERROR', message: 'name: Required' });
  await expect(create({ name: 'a\0b' })).rejects.toThrow('name: May not contain the NUL character');
  await expect(create({ name: 'a', more: 1 })).rejects.toThrow('Unrecognized key: "more"');
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  await expect(create({ name: 'a', deep })).rejects.toThrow('nested deeper than 64 levels');
  await expect(enter('listProjects', acting(userId), {}, { query: { limit: 'many' } })).rejects.toMatchObject(
    { code: 'VALIDATION_ERROR' },
  );
});

test('access is what the contract declares', async () => {
  const { userId } = await service.member('member');
  const { body: open } = await service.post('/projects', { name: 'Open' });
  const { body: closed } = await service.post('/projects', { name: 'Closed', visibility: 'private' });
  const list = (projectId: string) => enter('listProjectServers', acting(userId), { projectId });
  expect(await list(open.id)).toEqual({ items: [] });
  await expect(list(closed.id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(list('prj_none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(list('../me')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(enter('deleteProject', acting(userId), { projectId: open.id })).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
  const { organizationId: elsewhere, userId: stranger } = await service.stranger();
  await expect(
    enter(
      'listProjectServers',
      { kind: 'account', organizationId: elsewhere, userId: stranger },
      {
        projectId: open.id,
      },
    ),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('an account that has left its organization is nobody there', async () => {
  const { userId } = await service.member('admin');
  await removeMember(service.db, { organization: organizationId }, userId);
  await expect(enter('getMe', acting(userId))).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
    details: { reason: 'ORPHANED_KEY' },
  });
  await expect(enter('getMe', acting('usr_none'))).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

test('the server in the path is looked up with the caller', async () => {
  const { userId } = await service.member('member');
  const projectId = await service.defaultProject();
  const { body: server } = await service.post(`/projects/${projectId}/servers`, {
    name: 'entered',
    url: 'https://e.com',
  });
  const read = (serverId: string) => enter('getProjectServer', acting(userId), { projectId, serverId });
  expect(await read(server.id)).toMatchObject({ name: 'entered' });
  await expect(read('srv_none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a key is charged and means its owner', async () => {
  const { key, keyId, userId } = await service.member('member');
  const bearer: Credential = { kind: 'bearer', authorization: `Bearer ${key}` };
  expect(await enter('getMe', bearer)).toMatchObject({ id: userId });
  expect(charged).toEqual([keyId]);
  await expect(enter('getMe', { kind: 'bearer', authorization: undefined })).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
  });
});

test('whoever asks for no operation is recognized, and pays from the budget of polls', async () => {
  const { key, keyId, userId } = await service.member('member');
  const paid: unknown[] = [];
  const used: string[] = [];
  const recognizing = new Entrance({
    tools,
    services: service.running.services,
    charge: (...charge) => void paid.push(charge),
    used: (id) => void used.push(id),
  });
  const bearer = (authorization: string | undefined): Credential => ({ kind: 'bearer', authorization });
  expect(await recognizing.recognize(bearer(`Bearer ${key}`))).toMatchObject({ keyId, user: { id: userId } });
  expect({ paid, used }).toEqual({ paid: [[keyId, 'polls']], used: [keyId] });
  for (const authorization of [undefined, 'Bearer sk_none', `Basic ${key}`])
    await expect(recognizing.recognize(bearer(authorization))).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
});
