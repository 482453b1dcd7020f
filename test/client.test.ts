import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, createClient, DrydockError, eachItem } from '../src/surfaces/client/index.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let client: Client;

beforeAll(async () => {
  service = await startTestService();
  client = createClient({ baseUrl: service.running.baseUrl, apiKey: service.key });
});
afterAll(() => dispose(service));

test('the client does what the API does', async () => {
  expect((await client.getMe()).email).toBe('owner@drydock.local');
  const project = await client.createProject({ body: { name: 'Typed' } });
  const server = await client.createProjectServer({
    projectId: project.id,
    body: { name: 'one', url: 'https://e.com' },
  });
  expect(await client.getProjectServer({ projectId: project.id, serverId: server.id })).toEqual(server);
  expect(await client.deleteProjectServer({ projectId: project.id, serverId: server.id })).toEqual({
    id: server.id,
    deleted: true,
  });
});

test('a list is walked page by page', async () => {
  const { id: projectId } = await client.createProject({ body: { name: 'Many' } });
  for (let n = 0; n < 5; n++)
    await client.createProjectServer({ projectId, body: { name: `s${n}`, url: 'https://e.com' } });
  const names: string[] = [];
  for await (const { name } of eachItem(client.listProjectServers, { projectId, limit: 2 })) names.push(name);
  expect(names).toEqual(['s0', 's1', 's2', 's3', 's4']);
});

test('an idempotency key makes a repeated call harmless', async () => {
  const once = () => client.createProject({ body: { name: 'Once' } }, { idempotencyKey: 'client-1' });
  expect((await once()).id).toBe((await once()).id);
});

test('a refusal is an error with everything the answer said', async () => {
  const error = await client
    .getProjectServer({ projectId: 'none', serverId: 'none' })
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(DrydockError);
  expect(error).toMatchObject({
    code: 'NOT_FOUND',
    status: 404,
    message: 'No such project',
    requestId: expect.stringMatching(/^req_/),
  });
});

test('a refusal for its rate is repeated after the time the service tells', async () => {
  const slow = await startForTest({ env: { DRYDOCK_RATE_LIMIT: '120/1' } });
  const waits: string[] = [];
  const patient = createClient({
    baseUrl: slow.running.baseUrl,
    apiKey: slow.key,
    fetch: async (...args) => {
      const response = await fetch(...args);
      if (response.status === 429) waits.push(response.headers.get('retry-after') ?? '');
      return response;
    },
  });
  await Promise.all([patient.getMe(), patient.getMe()]);
  expect(waits).toEqual(['1']);
});

test('a call can be given up', async () => {
  const error = await client
    .getMe(undefined, { signal: AbortSignal.abort() })
    .catch((caught: unknown) => caught);
  expect((error as Error).name).toBe('AbortError');
});
