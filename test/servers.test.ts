import { afterAll, beforeAll, expect, test } from 'vitest';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let project: string;

beforeAll(async () => {
  service = await startTestService();
  project = await service.defaultProject();
});
afterAll(() => dispose(service));

test('a name and a URL are enough to save a server', async () => {
  const { status, body } = await service.post(`/projects/${project}/servers`, {
    name: 'plain',
    url: 'https://example.com/mcp',
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    projectId: project,
    name: 'plain',
    url: 'https://example.com/mcp',
    enabled: true,
    transportType: 'http',
    useOAuth: false,
    hasClientSecret: false,
    oauthScopes: [],
  });
  expect(body.createdAt).toBeGreaterThan(Date.now() - 60_000);
  expect((await service.get(`/projects/${project}/servers/${body.id}`)).body).toEqual(body);
});

test('headers, environment and client secret go in and never come out', async () => {
  const secrets = { headers: { 'X-Api-Key': 'tell-nobody-1' }, clientSecret: 'tell-nobody-2' };
  const made = await service.post(`/projects/${project}/servers`, {
    name: 'secretive',
    url: 'https://e.com',
    ...secrets,
  });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ headerNames: ['X-Api-Key'], hasClientSecret: true });
  const stdio = await service.post(`/projects/${project}/servers`, {
    name: 'local',
    command: 'node',
    args: ['server.js'],
    env: { TOKEN: 'tell-nobody-3' },
  });
  expect(stdio.body).toMatchObject({ transportType: 'stdio', url: null, envNames: ['TOKEN'] });
  const answers = [
    made.text,
    stdio.text,
    (await service.get(`/projects/${project}/servers`)).text,
    ...service.logs,
  ];
  expect(answers.join()).not.toContain('tell-nobody');
  const client = await service.database.connect();
  const rows = await client.query(
    'select row_to_json(s)::text as server, encode(v.ciphertext, $1) as sealed from servers s join sealed_values v on v.id = s.sealed_id',
    ['escape'],
  );
  await client.end();
  expect(rows.rowCount).toBe(2);
  expect(JSON.stringify(rows.rows)).not.toContain('tell-nobody');
});

test('an edit keeps what it does not mention and replaces what it does', async () => {
  const path = `/projects/${project}/servers`;
  const { body: made } = await service.post(path, {
    name: 'edited',
    url: 'https://e.com',
    headers: { A: '1', B: '2' },
    clientSecret: 's',
    oauthScopes: ['read'],
  });
  const renamed = await service.patch(`${path}/${made.id}`, { name: 'edited again', headers: { C: '3' } });
  expect(renamed.body).toMatchObject({
    name: 'edited again',
    headerNames: ['C'],
    hasClientSecret: true,
    oauthScopes: ['read'],
  });
  const cleared = await service.patch(`${path}/${made.id}`, { clearClientSecret: true });
  expect(cleared.body).toMatchObject({ hasClientSecret: false, headerNames: ['C'] });
  const moved = await service.patch(`${path}/${made.id}`, { transportType: 'stdio', command: 'node' });
  expect(moved.body).toMatchObject({ transportType: 'stdio', url: null });
  const half = await service.patch(`${path}/${made.id}`, { transportType: 'http' });
  expect(half).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  const { droppedSecrets, ...shown } = moved.body;
  expect(droppedSecrets).toEqual(['headers']);
  expect((await service.get(`${path}/${made.id}`)).body).toEqual(shown);
});

test('a taken name is refused and nothing is written', async () => {
  const path = `/projects/${project}/servers`;
  await service.post(path, { name: 'first', url: 'https://e.com' });
  const { body: second } = await service.post(path, { name: 'second', url: 'https://e.com' });
  const before = (await service.get(path)).text;
  const again = await service.post(path, { name: 'first', url: 'https://e.com', headers: { A: 'x' } });
  expect(again).toMatchObject({ status: 409, body: { code: 'CONFLICT', details: { name: 'first' } } });
  const renamed = await service.patch(`${path}/${second.id}`, { name: 'first' });
  expect(renamed.status).toBe(409);
  expect((await service.get(path)).text).toBe(before);
});

test('of many callers that save the same name at once exactly one wins', async () => {
  const path = `/projects/${project}/servers`;
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => service.post(path, { name: 'race', url: 'https://e.com' })),
  );
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
  expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19);
});

test.each([
  [{ name: 'x' }, 'url: Required'],
  [{ name: 'x', url: 'ftp://e.com' }, 'url: Only http'],
  [{ name: 'x', url: 'https://user:word@e.com' }, 'url: A URL may not carry'],
  [{ name: 'x', url: 'https://e.com', command: 'ls' }, 'url: Not used'],
  [{ name: 'x', url: 'https://e.com', headers: { 'bad name': '1' } }, 'headers.bad name: '],
  [{ name: 'x', url: 'https://e.com', headers: { A: 'two\nlines' } }, 'headers.A: '],
  [{ name: 'x', url: 'https://e.com', headers: { Host: 'h' } }, 'headers.Host: Reserved'],
  [
    { name: 'x', url: 'https://e.com', headers: { 'X-A': '1', 'x-a': '2' } },
    'headers: Must not repeat a header',
  ],
  [{ name: 'esc\u001b[31m', url: 'https://e.com' }, 'name: Must not contain control'],
  [{ name: '  ', url: 'https://e.com' }, 'name: '],
  [{ name: 'x', url: 'https://e.com', projectId: 'other' }, 'Unrecognized key: "projectId"'],
  [{ name: 'x', url: 'https://e.com', transportType: 'sse' }, 'transportType: '],
])('%j is refused with the path of the fault', async (body, message) => {
  const { status, body: answer } = await service.post(`/projects/${project}/servers`, body);
  expect(status).toBe(400);
  expect(answer.code).toBe('VALIDATION_ERROR');
  expect(answer.message).toContain(message);
});

test('delete takes an empty body or none, removes the server and its secrets', async () => {
  const path = `/projects/${project}/servers`;
  const { body } = await service.post(path, { name: 'doomed', url: 'https://e.com', clientSecret: 'x' });
  expect(await service.delete(`${path}/${body.id}`, { body: { force: true } })).toMatchObject({
    status: 400,
    body: { message: 'Delete body must be empty' },
  });
  expect((await service.delete(`${path}/${body.id}`, { body: {} })).body).toEqual({
    id: body.id,
    deleted: true,
  });
  expect((await service.get(`${path}/${body.id}`)).status).toBe(404);
  expect((await service.delete(`${path}/${body.id}`)).status).toBe(404);
  const client = await service.database.connect();
  const { rows } = await client.query(
    'select count(*)::int as orphans from sealed_values v where not exists (select 1 from servers s where s.sealed_id = v.id)',
  );
  await client.end();
  expect(rows[0].orphans).toBe(0);
});

test('a server of another project is not found', async () => {
  const { body: other } = await service.post('/projects', { name: 'Other' });
  const { body: server } = await service.post(`/projects/${other.id}/servers`, {
    name: 'elsewhere',
    url: 'https://e.com',
  });
  expect((await service.get(`/projects/${project}/servers/${server.id}`)).status).toBe(404);
  expect((await service.patch(`/projects/${project}/servers/${server.id}`, { name: 'mine' })).status).toBe(
    404,
  );
  expect((await service.delete(`/projects/${project}/servers/${server.id}`)).status).toBe(404);
});

test('a server at an address that is never contacted is refused when it is saved', async () => {
  const path = `/projects/${project}/servers`;
  const refused = { status: 400, body: { code: 'VALIDATION_ERROR', details: { code: 'URL_NOT_ALLOWED' } } };
  expect(await service.post(path, { name: 'metadata', url: 'http://169.254.169.254/' })).toMatchObject(
    refused,
  );
  const { body } = await service.post(path, { name: 'moving', url: 'http://127.0.0.1:3000/mcp' });
  expect(await service.patch(`${path}/${body.id}`, { url: 'http://2852039166/' })).toMatchObject(refused);
  expect((await service.get(`${path}/${body.id}`)).body).toEqual(body);
});

test('an exposed service takes no stdio servers and no local addresses, unless the operator allows them', async () => {
  const exposed = await startForTest({
    env: { DRYDOCK_HOST: '0.0.0.0', DRYDOCK_ALLOW_STDIO: '', DRYDOCK_ALLOWED_NETWORKS: '10.1.0.0/16' },
  });
  const path = `/projects/${await exposed.defaultProject()}/servers`;
  expect(await exposed.post(path, { name: 'stdio', command: 'node' })).toMatchObject({
    status: 403,
    body: { code: 'FORBIDDEN' },
  });
  expect((await exposed.post(path, { name: 'loopback', url: 'http://127.0.0.1/' })).status).toBe(400);
  expect((await exposed.post(path, { name: 'private', url: 'http://10.2.0.1/' })).status).toBe(400);
  expect((await exposed.post(path, { name: 'allowed', url: 'http://10.1.0.1/' })).status).toBe(201);
});
