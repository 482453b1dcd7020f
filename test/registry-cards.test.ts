import { afterAll, beforeAll, expect, test } from 'vitest';
import { within } from './support/path-parameters.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { ok } from './support/studies.ts';

let service: TestService;
let organization: string;

beforeAll(async () => {
  service = await startTestService({ worker: false });
  organization = `/organizations/${(await service.get('/organizations')).body.items[0].id}`;
});
afterAll(() => dispose(service));

async function newProject(): Promise<string> {
  return `/projects/${(await service.post('/projects', { name: 'Registry' })).body.id}`;
}

const card = (name: string, url = 'https://card.example.com/mcp') => ({
  name,
  tags: ['a'],
  transport: { url, useOAuth: true, oauthScopes: ['read'], clientId: 'client' },
});

test('cards are written by administrators and installed by members', async () => {
  const project = await newProject();
  const { key } = await service.member('member');
  expect((await service.post(`${organization}/registry/servers`, card('x'), { key })).status).toBe(403);
  const made = ok(await service.post(`${organization}/registry/servers`, card('Team weather')));
  expect(made).toMatchObject({
    scope: 'organization',
    status: 'active',
    transport: { transportType: 'http', useOAuth: true, hasOAuthConfig: true, oauthScopes: ['read'] },
  });
  expect(JSON.stringify(made)).not.toContain('"client"');
  expect(ok(await service.get(`${project}/registry/servers`, { key })).items).toContainEqual(made);
  expect(ok(await service.get(`${project}/registry/servers?scope=global`)).items).toEqual([]);
  expect((await service.get(`${project}/registry/servers?scope=x`)).status).toBe(400);
  const body = { registryServerId: made.id, expectedUpdatedAt: made.updatedAt };
  const installed = await service.post(`${project}/registry/installs`, body, { key });
  expect(installed).toMatchObject({
    status: 201,
    body: { serverName: 'Team weather', outcome: 'created' },
  });
  const server = `${project}/servers/${installed.body.serverId}`;
  expect(ok(await service.get(server))).toMatchObject({ useOAuth: true, oauthScopes: ['read'] });

  const moved = ok(
    await service.patch(`${organization}/registry/servers/${made.id}`, {
      transport: { url: 'https://moved.example.com/mcp' },
    }),
  );
  expect(moved.updatedAt).toBeGreaterThan(made.updatedAt);
  expect(await service.post(`${project}/registry/installs`, body)).toMatchObject({
    status: 409,
    body: { details: { code: 'CARD_CHANGED', updatedAt: moved.updatedAt } },
  });
  const again = ok(await service.post(`${project}/registry/installs`, { registryServerId: made.id }));
  expect(again).toMatchObject({ serverId: installed.body.serverId, outcome: 'reconnected' });
  expect(ok(await service.get(server)).url).toBe('https://moved.example.com/mcp');

  ok(await service.delete(`${organization}/registry/servers/${made.id}`));
  const uninstall = `${project}/registry/installs/${made.id}`;
  expect(ok(await service.delete(uninstall, { key }))).toEqual({ deleted: true });
  expect((await service.get(server)).status).toBe(404);
  expect((await service.delete(uninstall)).status).toBe(404);
});

test('cards have names of their own, whatever the case', async () => {
  const first = ok(await service.post(`${organization}/registry/servers`, card('Names')));
  const taken = { status: 409, body: { details: { reason: 'NAME_TAKEN' } } };
  expect(await service.post(`${organization}/registry/servers`, card('NAMES'))).toMatchObject(taken);
  const other = ok(await service.post(`${organization}/registry/servers`, card('Other')));
  const path = `${organization}/registry/servers/${other.id}`;
  expect(await service.patch(path, { name: 'names' })).toMatchObject(taken);
  ok(await service.patch(`${organization}/registry/servers/${first.id}`, { name: 'NAMES' }));
  ok(await service.patch(path, { status: 'deprecated' }));
  const project = await newProject();
  expect(await service.post(`${project}/registry/installs`, { registryServerId: other.id })).toMatchObject({
    status: 400,
    body: { details: { code: 'NOT_INSTALLABLE' } },
  });
  expect(ok(await service.delete(`${project}/registry/installs/${other.id}`))).toEqual({ deleted: false });
});

test('cards of another organization are not seen', async () => {
  const made = ok(await service.post(`${organization}/registry/servers`, card('Ours')));
  const { key } = await service.stranger();
  const project = `/projects/${await service.defaultProject(key)}`;
  expect(ok(await service.get(`${project}/registry/servers`, { key })).items).toEqual([]);
  const answer = await service.post(`${project}/registry/installs`, { registryServerId: made.id }, { key });
  expect(answer.status).toBe(404);
  expect((await service.get(`${organization}/registry/servers`, { key })).status).toBe(404);
});

test('cards lead to no address that is refused', async () => {
  for (const url of ['http://169.254.169.254/mcp', 'https://user:pass@e.example.com', 'ftp://e.example.com'])
    expect((await service.post(`${organization}/registry/servers`, card('bad', url))).status).toBe(400);
});

test('of many at once no more cards are made than an organization holds', async () => {
  const { organizationId, key } = await service.stranger();
  await within(
    service,
    `insert into registry_cards (id, organization_id, name, name_key, tags, transport)
     select 'rgs_' || n, $1, 'card ' || n, 'card ' || n, '[]', '{}' from generate_series(1, 998) n`,
    [organizationId],
  );
  const make = (name: string) =>
    service.post(`/organizations/${organizationId}/registry/servers`, card(name), { key });
  const answers = await Promise.all(Array.from({ length: 8 }, (_, nth) => make(`further ${nth}`)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(answers.filter(({ body }) => body.details?.code === 'TOO_MANY_CARDS')).toHaveLength(6);
});
