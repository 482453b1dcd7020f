import { expect, onTestFinished, test } from 'vitest';
import { namesOfSecrets } from '../src/domain/base/server-secrets.ts';
import { createKey } from '../src/domain/operator/keys.ts';
import { saveUnderFreeName } from '../src/domain/servers/rows.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { migrations } from '../src/platform/database/migrations/index.ts';
import { createDatabase } from './support/database.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';

const url = 'https://e.example.com/mcp';

async function newProject(service: TestService): Promise<string> {
  return `/projects/${(await service.post('/projects', { name: 'Names' })).body.id}`;
}

test('names of servers and of live environments are compared without regard to case', async () => {
  const service = await startForTest();
  const project = await newProject(service);
  const hostId = (await service.post(`${project}/clients`, { name: 'c', template: 'claude' })).body.id;
  const taken = { status: 409, body: { code: 'CONFLICT', details: { reason: 'NAME_TAKEN' } } };
  for (const [path, fields] of [
    ['servers', { url }],
    ['environments', { hostId }],
  ] as const) {
    const make = (name: string) => service.post(`${project}/${path}`, { name, ...fields });
    const first = await make('Ärger');
    expect(first.status).toBe(201);
    // The last is the same letters, composed differently.
    for (const name of ['Ärger', 'ÄRGER', 'ärger', 'A\u0308RGER'])
      expect(await make(name)).toMatchObject(taken);
    const { id } = (await make('Other')).body;
    const edit = (body: object, of: string = id) =>
      service.patch(`${project}/${path}/${of}`, {
        ...(path === 'environments' && { expectedRevision: 1 }),
        ...body,
      });
    expect(await edit({ name: 'äRGER' })).toMatchObject(taken);
    expect(await edit({ name: 'OTHER' })).toMatchObject({ status: 200, body: { name: 'OTHER' } });
    expect(await edit({ name: 'ÄRGER' }, first.body.id)).toMatchObject({
      status: 200,
      body: { name: 'ÄRGER' },
    });
  }
  // Archiving frees the name in any case.
  const { items } = (await service.get(`${project}/environments`)).body;
  const archived = `${project}/environments/${items[0].id}`;
  await service.post(`${archived}/archive`, { expectedRevision: 2 });
  expect((await service.post(`${project}/environments`, { name: 'ärger', hostId })).status).toBe(201);
  expect(await service.post(`${archived}/restore`, { expectedRevision: 3 })).toMatchObject(taken);
  const adhoc = await service.post(`${project}/environments/ensure-adhoc`, { hostId, modelId: 'm' });
  const naming = `${project}/environments/${adhoc.body.environment.id}/name`;
  expect(await service.post(naming, { expectedRevision: 1, name: 'ÄRGER' })).toMatchObject(taken);
});

test('of many callers that save one name in many cases at once exactly one wins', async () => {
  const service = await startForTest();
  const project = await newProject(service);
  const answers = await Promise.all(
    ['race', 'Race', 'RACE', 'rAce', 'raCe'].map((name) => service.post(`${project}/servers`, { name, url })),
  );
  expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409, 409]);
});

test('a server nobody chose the name of gets a number where only the case differs', async () => {
  const service = await startForTest();
  const projectId = await service.defaultProject();
  await service.post(`/projects/${projectId}/servers`, { name: 'E.Example.com', url });
  const saved = await saveUnderFreeName(service.db, {
    projectId,
    name: 'e.example.com',
    enabled: true,
    transportType: 'http',
    url,
    settings: namesOfSecrets({}),
    sealedId: null,
    pluginVersionId: null,
  });
  expect(saved.name).toBe('e.example.com 2');
});

test('names that were told apart by case before keep working', async () => {
  const database = await createDatabase({ empty: true });
  const client = await database.connect();
  await migrate(
    client,
    migrations.slice(
      0,
      migrations.findIndex(({ name }) => name === '0005-names'),
    ),
  );
  await client.query(`insert into organizations (id, name) values ('org_1', 'O')`);
  await client.query(`insert into projects (id, organization_id, name, visibility)
    values ('prj_1', 'org_1', 'P', 'public'), ('prj_2', 'org_1', 'Q', 'public')`);
  await client.query(`insert into servers (id, project_id, name, enabled, transport_type, url, settings)
    select id, project, name, true, 'http', '${url}', '{"headerNames":[],"envNames":[],"hasClientSecret":false}'
    from (values ('srv_1', 'prj_1', 'Ärger'), ('srv_2', 'prj_1', 'ärger'), ('srv_3', 'prj_1', 'ÄRGER'),
      ('srv_4', 'prj_1', 'other'), ('srv_5', 'prj_2', 'ärger')) as s (id, project, name)`);
  // Far more than are filled at once.
  await client.query(`insert into servers (id, project_id, name, enabled, transport_type, url, settings)
    select 'srv_x' || n, 'prj_2', case when n % 2 = 0 then 'N' else 'n' end || n / 2, true, 'http', '${url}', '{}'
    from generate_series(1, 11000) n`);
  await client.query(`insert into environments (id, project_id, name, host_id, composition, archived_at)
    values ('env_1', 'prj_1', 'Staging', 'cli_x', 'a', now()), ('env_2', 'prj_1', 'STAGING', 'cli_x', 'a', null),
      ('env_3', 'prj_1', 'staging', 'cli_x', 'a', null), ('env_4', 'prj_1', null, 'cli_x', 'a', null)`);
  await migrate(client);
  const { rows } = await client.query(
    `select count(*)::int as all, count(name_key)::int as filled,
       (count(*) filter (where position(chr(31) in name_key) > 0))::int as apart
     from servers where project_id = 'prj_2'`,
  );
  expect(rows).toEqual([{ all: 11_001, filled: 11_001, apart: 5499 }]);
  await client.query(`insert into users (id, email, name) values ('usr_1', 'a@example.com', 'A')`);
  await client.query(
    `insert into organization_members (organization_id, user_id, role) values ('org_1', 'usr_1', 'owner')`,
  );
  await client.end();
  const service = await startTestService({ database });
  onTestFinished(() => dispose(service));
  const { key } = await createKey(service.db, { organization: 'org_1', user: 'usr_1', name: 'test' });
  const patch = (path: string, body: object) => service.patch(`/projects/prj_1/${path}`, body, { key });
  for (const id of ['srv_1', 'srv_2', 'srv_3'])
    expect(await patch(`servers/${id}`, { enabled: false })).toMatchObject({ status: 200 });
  expect((await patch('servers/srv_3', { name: 'ÄRGER', enabled: true })).body).toMatchObject({
    name: 'ÄRGER',
  });
  expect((await patch('servers/srv_4', { name: 'ärgeR' })).status).toBe(409);
  expect((await patch('servers/srv_2', { name: 'own' })).status).toBe(200);
  expect((await patch('servers/srv_2', { name: 'ärger' })).status).toBe(409);
  for (const id of ['env_2', 'env_3'])
    expect(
      await patch(`environments/${id}`, { expectedRevision: 1, description: 'still here' }),
    ).toMatchObject({ status: 200 });
  const act = (id: string, action: string, expectedRevision: number) =>
    service.post(`/projects/prj_1/environments/${id}/${action}`, { expectedRevision }, { key });
  expect((await act('env_1', 'restore', 1)).status).toBe(409);
  expect((await act('env_3', 'archive', 2)).status).toBe(200);
  expect((await act('env_3', 'restore', 3)).status).toBe(200);
});
