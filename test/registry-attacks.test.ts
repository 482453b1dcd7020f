import { afterAll, beforeAll, expect, test } from 'vitest';
import { putInDirectory, serverJson } from './support/registry.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let organization: string;

beforeAll(async () => {
  service = await startTestService({ worker: false });
  organization = `/organizations/${(await service.get('/organizations')).body.items[0].id}`;
});
afterAll(() => dispose(service));

const newProject = async (): Promise<string> =>
  `/projects/${(await service.post('/projects', { name: 'Registry' })).body.id}`;

test('installs, uninstalls and deletes of one card at once end in one of both states', async () => {
  const project = await newProject();
  for (let nth = 0; nth < 5; nth++) {
    const transport = { url: `https://card${nth}.example.com/mcp` };
    const made = await service.post(`${organization}/registry/servers`, { name: `Card ${nth}`, transport });
    const { id } = made.body;
    const install = () => service.post(`${project}/registry/installs`, { registryServerId: id });
    const all = await Promise.all([
      install(),
      install(),
      service.delete(`${project}/registry/installs/${id}`),
      service.delete(`${organization}/registry/servers/${id}`),
      install(),
      service.delete(`${project}/registry/installs/${id}`),
    ]);
    for (const { status } of all) expect([200, 201, 404]).toContain(status);
    const named = (await service.get(`${project}/servers`)).body.items.filter(({ name }: { name: string }) =>
      name.startsWith(`Card ${nth}`),
    );
    expect(named.length).toBeLessThan(2);
    for (const server of named)
      expect((await service.delete(`${project}/servers/${server.id}`, { body: {} })).status).toBe(200);
    expect((await service.get(`${project}/registry/connections`)).body.items).toEqual([]);
  }
});

test.each([
  'javascript:alert(1)',
  'https://user:word@host.example.com/mcp',
  'https://{user}@host.example.com/',
  'ht{x}://host.example.com/',
  'file:///etc/passwd',
  'https://host.example.com/\u202e{x}\n',
])('an entry at %s is nothing that can be installed', async (url) => {
  const name = `hostile-${Math.random().toString(36).slice(2)}`;
  await putInDirectory(service, [serverJson(name, { remotes: [{ type: 'streamable-http', url }] })]);
  const project = await newProject();
  const found = await service.get(`/registry/directory-servers/${encodeURIComponent(`com.example/${name}`)}`);
  expect(found.body.endpointKind).toBeUndefined();
  for (const endpointUrl of [undefined, url, 'https://host.example.com/x']) {
    const body = { catalogServerId: found.body.id, ...(endpointUrl && { endpointUrl }) };
    const answer = await service.post(`${project}/registry/directory-installs`, body);
    expect(answer.status).toBe(400);
  }
  expect((await service.get(`${project}/servers`)).body.items).toEqual([]);
});

test('a template is filled in at its own place only', async () => {
  const url = 'https://{tenant}.example.com/mcp';
  await putInDirectory(service, [serverJson('tenant', { remotes: [{ type: 'streamable-http', url }] })]);
  const project = await newProject();
  const { id } = (await service.get('/registry/directory-servers/com.example%2Ftenant')).body;
  for (const endpointUrl of [
    'https://evil.example/?.example.com/mcp',
    'https://evil.example/#.example.com/mcp',
    'https://evil.example\\.example.com/mcp',
    'https://a@b.example.com/mcp',
    'https://evil.example:1.example.com/mcp',
    'https://%65vil.example.com/mcp',
    'https://a.example.com.evil.example/mcp',
    'https://.example.com/mcp',
  ]) {
    const answer = await service.post(`${project}/registry/directory-installs`, {
      catalogServerId: id,
      endpointUrl,
    });
    expect(answer.status).toBe(400);
  }
});

test('a place in one list is none in another', async () => {
  await putInDirectory(
    service,
    Array.from({ length: 5 }, (_, nth) => serverJson(`paged-${nth}`)),
    'paged',
  );
  const list = (query: string) => service.get(`/registry/directory-servers?limit=2&${query}`);
  const { nextCursor } = (await list('source=paged')).body;
  expect(nextCursor).toEqual(expect.any(String));
  for (const query of ['source=test', 'source=paged&q=paged', 'source=paged&connectableOnly=true'])
    expect((await list(`${query}&cursor=${encodeURIComponent(nextCursor)}`)).status).toBe(400);
});
