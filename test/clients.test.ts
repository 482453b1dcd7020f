import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let project: string;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));
beforeEach(async () => {
  const { body } = await service.post('/projects', { name: 'Clients' });
  project = `/projects/${body.id}`;
});

const create = (fields: object): Promise<Answer> =>
  service.post(`${project}/clients`, { name: 'Claude', ...fields });
const read = async (client: string) =>
  (await service.get(`${project}/clients/${encodeURIComponent(client)}`)).body;
const saveServer = async (name: string): Promise<string> =>
  (await service.post(`${project}/servers`, { name, url: 'https://weather.example.com/mcp' })).body
    .id as string;

describe('a client', () => {
  test('is made from a template, listed and read', async () => {
    const { status, body } = await create({ template: 'claude', theme: 'light' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Claude',
      config: { schemaVersion: 2, hostStyle: 'claude', temperature: 1, hostContext: { theme: 'light' } },
      versionNumber: 1,
      impact: { liveEnvironmentCount: 0, scenarioAttachmentCount: 0, activeLegacyJourneyCount: 0 },
    });
    expect(body.configId).toMatch(/^[0-9a-f]{64}$/);
    expect(await read(body.id)).toEqual(body);
    const { items } = (await service.get(`${project}/clients`)).body;
    expect(items).toMatchObject([
      { id: body.id, configId: body.configId, modelId: body.config.modelId, serverCount: 0 },
    ]);
  });

  test('with the same settings has the same configuration, whoever made it and however', async () => {
    const one = await create({ config: { modelId: 'm', temperature: 0.7 } });
    const other = await create({ config: { systemPrompt: '', modelId: 'm', serverIds: [] } });
    expect(other.body.configId).toBe(one.body.configId);
    expect(other.body.id).not.toBe(one.body.id);
  });

  test('is no larger than what everybody who reads it has time for, also when it grew bit by bit', async () => {
    const values = (count: number, first = 0) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${first + n}`, 1]));
    const large = await create({ config: { modelId: 'm', hostContext: values(60_000) } });
    expect(large).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('a JSON object of more than 10,000 keys') },
    });
    const spread = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`o${n}`, values(1_000)]));
    const tooLarge = {
      status: 400,
      body: { message: 'config: More than 10,000 JSON values. Store less in it' },
    };
    expect(await create({ config: { modelId: 'm', hostContext: spread } })).toMatchObject(tooLarge);
    const { body } = await create({ config: { modelId: 'm', hostContext: values(6_000) } });
    const patch = (set: object) =>
      service.patch(`${project}/clients/${body.id}`, { set, expectedConfigId: body.configId });
    expect(await patch({ mcpProfile: values(6_000) })).toMatchObject(tooLarge);
    expect((await patch({ mcpProfile: values(3_000) })).status).toBe(200);
  });

  test('is found by its name, whatever the case', async () => {
    const { body } = await create({ name: 'Ünïcode & spaces/slash?', template: 'claude' });
    expect((await read('ÜNÏCODE & spaces/slash?')).id).toBe(body.id);
  });

  test('whose name several have is not guessed', async () => {
    const ids = [
      await create({ template: 'claude' }),
      await create({ name: 'CLAUDE', template: 'chatgpt' }),
    ].map(({ body }) => body.id);
    expect(await service.get(`${project}/clients/claude`)).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', details: { candidateIds: ids } },
    });
    expect((await read(ids[1])).name).toBe('CLAUDE');
  });

  test.each([
    [{}, 'exactly one'],
    [{ template: 'claude', config: { modelId: 'm' } }, 'exactly one'],
    [{ template: 'nothing' }, 'template'],
    [{ config: { modelId: ' ' } }, 'config.modelId'],
    [{ config: { temperature: 1 } }, 'config.modelId'],
    [{ config: { modelId: 'm', temperature: 'hot' } }, 'config.temperature'],
    [{ config: { modelId: 'm' }, theme: 'dark' }, 'theme'],
    [
      { config: { modelId: 'm', connectionDefaults: { headers: {} } } },
      'config.connectionDefaults.requestTimeout: Required; write {"headers": {}, "requestTimeout": 10000}',
    ],
    [
      { config: { modelId: 'm', connectionDefaults: { requestTimeout: 1 } } },
      'config.connectionDefaults.headers: Required; write {"headers": {}, "requestTimeout": 10000}',
    ],
    [
      { config: { modelId: 'm', skillSelection: { skillIds: ['a'] } } },
      'config.skillSelection.mode: Required; write {"mode": "all-visible"} or {"mode": "explicit", "skillIds": ["…"]}',
    ],
    [
      { config: { modelId: 'm', skillSelection: { mode: 'some' } } },
      'config.skillSelection.mode: Must be "all-visible" or "explicit"; write ',
    ],
    [
      { config: { modelId: 'm', skillSelection: { mode: 'explicit' } } },
      'config.skillSelection.skillIds: Required; write ',
    ],
    [{ config: { modelId: 'm', serverIds: ['srv_nothing'] } }, 'serverIds'],
    [{ template: 'claude', unknown: 1 }, 'unknown'],
  ])('cannot be made of %j', async (fields, named) => {
    const answer = await create(fields);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(answer.body.message).toContain(named);
    expect((await service.get(`${project}/clients`)).body.items).toEqual([]);
  });
});

describe('an edit', () => {
  const patch = (id: string, body: object): Promise<Answer> =>
    service.patch(`${project}/clients/${id}`, body);

  test('sets some fields, resets and clears others, and keeps the rest', async () => {
    const { body: before } = await create({
      config: {
        modelId: 'm',
        systemPrompt: 'Be brief',
        temperature: 0.2,
        harness: 'codex',
        custom: { a: 1 },
      },
    });
    const { body: after } = await patch(before.id, {
      expectedConfigId: before.configId,
      set: { temperature: null, harness: null, requireToolApproval: true },
    });
    expect(after.config).toMatchObject({
      modelId: 'm',
      systemPrompt: 'Be brief',
      temperature: 0.7,
      requireToolApproval: true,
      custom: { a: 1 },
    });
    expect(after.config).not.toHaveProperty('harness');
    expect(after).toMatchObject({ versionNumber: 2 });
    expect(after.configId).not.toBe(before.configId);
  });

  test('replaces the whole configuration', async () => {
    const { body: before } = await create({ template: 'claude' });
    const { body: after } = await patch(before.id, {
      expectedConfigId: before.configId,
      config: { modelId: 'm' },
    });
    expect(after.config).toMatchObject({ modelId: 'm', hostStyle: 'drydock', hostContext: {} });
  });

  test('that changes nothing writes nothing', async () => {
    const { body: before } = await create({ config: { modelId: 'm' } });
    const same = { expectedConfigId: before.configId, set: { temperature: 0.7 } };
    expect((await patch(before.id, same)).body).toEqual(before);
    expect((await patch(before.id, { name: 'Claude', expectedName: 'Claude' })).body).toEqual(before);
  });

  test('of the name does not touch the configuration', async () => {
    const { body: before } = await create({ template: 'claude' });
    const { body: after } = await patch(before.id, { name: 'Claude, strict', expectedName: 'Claude' });
    expect(after).toMatchObject({ name: 'Claude, strict', configId: before.configId });
  });

  test('of something that somebody else changed is refused with what it is now', async () => {
    const { body: before } = await create({ template: 'claude' });
    await patch(before.id, {
      expectedConfigId: before.configId,
      set: { temperature: 0 },
      name: 'X',
      expectedName: 'Claude',
    });
    const now = await read(before.id);
    expect(
      await patch(before.id, { expectedConfigId: before.configId, set: { temperature: 1 } }),
    ).toMatchObject({
      status: 409,
      body: { details: { code: 'CLIENT_CHANGED', currentConfigId: now.configId } },
    });
    expect(await patch(before.id, { name: 'Y', expectedName: 'Claude' })).toMatchObject({
      status: 409,
      body: { details: { currentName: 'X' } },
    });
    const impact = { liveEnvironmentCount: 3, scenarioAttachmentCount: 0, activeLegacyJourneyCount: 0 };
    expect(
      await patch(before.id, {
        expectedConfigId: now.configId,
        set: { temperature: 1 },
        expectedImpact: impact,
      }),
    ).toMatchObject({ status: 409, body: { details: { currentImpact: now.impact } } });
    expect(await read(before.id)).toEqual(now);
  });

  test.each([
    [{}, 'Give a name'],
    [{ set: { temperature: 1 } }, 'expectedConfigId'],
    [{ config: { modelId: 'm' }, set: { temperature: 1 }, expectedConfigId: 'x' }, 'either config or set'],
    [{ name: 'New' }, 'expectedName'],
    [{ set: {}, expectedConfigId: 'x' }, 'at least one field'],
    [{ set: { modelId: null }, expectedConfigId: 'x' }, 'set.modelId'],
    [{ set: { hostStyle: 'x' }, expectedConfigId: 'x' }, 'hostStyle'],
    [{ set: { skillSelection: {} }, expectedConfigId: 'x' }, 'set.skillSelection.mode: Required; write '],
    [
      { set: { connectionDefaults: { headers: {} } }, expectedConfigId: 'x' },
      'set.connectionDefaults.requestTimeout: Required; write ',
    ],
  ])('%j is refused', async (body, named) => {
    const { body: client } = await create({ template: 'claude' });
    const answer = await patch(client.id, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(answer.body.message).toContain(named);
  });

  test('by two hundred at once is made by exactly one', async () => {
    const { body: before } = await create({ template: 'claude' });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        patch(before.id, { expectedConfigId: before.configId, set: { systemPrompt: `prompt ${n}` } }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(199);
    expect(await read(before.id)).toEqual(won[0]?.body);
  });
});

test('what is written comes back, also where it says what its absence would mean', async () => {
  const config = {
    modelId: 'm',
    respectToolVisibility: true,
    progressiveToolDiscovery: false,
    builtInToolIds: [],
    mcpProfile: { supportedProtocolVersions: ['2025-06-18'], apps: { openaiApps: true } },
  };
  const { body } = await create({ config });
  expect(body.config).toMatchObject(config);
  const { body: without } = await create({ config: { modelId: 'm', mcpProfile: config.mcpProfile } });
  expect(without.configId).not.toBe(body.configId);
});

describe('a configuration that an earlier version stored in another form', () => {
  const configId = 'f'.repeat(64);
  const config = {
    schemaVersion: 2,
    modelId: 'm',
    temperature: 0.7,
    mcpProfile: { mcpProtocolVersion: '2025-06-18', supportedProtocolVersions: ['2025-06-18'] },
  };
  let id: string;
  beforeEach(async () => {
    id = (await create({ config: { modelId: 'other' } })).body.id;
    const database = await service.database.connect();
    await database.query(
      `with stored as (insert into client_configs (project_id, id, config)
         select project_id, $2, $3 from clients where id = $1)
       update clients set config_id = $2 where id = $1`,
      [id, configId, JSON.stringify(config)],
    );
    await database.end();
  });

  test('is read as it is, and follows a rename and a copy', async () => {
    expect(await read(id)).toMatchObject({ configId, config });
    expect((await read(id)).config).toEqual(config);
    const renamed = await service.patch(`${project}/clients/${id}`, { name: 'New', expectedName: 'Claude' });
    expect(renamed.body).toMatchObject({ name: 'New', configId, config });
    const copy = await service.post(`${project}/clients/${id}/duplicate`);
    expect(copy.body).toMatchObject({ configId, config });
  });

  test('stays when an edit changes nothing, and is replaced when it changes something', async () => {
    const before = await read(id);
    const set = (fields: object) =>
      service.patch(`${project}/clients/${id}`, { expectedConfigId: configId, set: fields });
    expect((await set({ temperature: 0.7 })).body).toEqual(before);
    const { body: after } = await set({ temperature: 0.2 });
    expect(after.configId).not.toBe(configId);
    expect(after.config.mcpProfile.initialize).toEqual({ supportedProtocolVersions: ['2025-06-18'] });
  });
});

describe('servers of a client', () => {
  test('are replaced as a whole, required and optional', async () => {
    const [a, b] = [await saveServer('a'), await saveServer('b')];
    const { body: before } = await create({
      config: { modelId: 'm', serverIds: [a], serverConnectionOverrides: { [a]: { headers: { x: 'y' } } } },
    });
    const set = (body: object) => service.post(`${project}/clients/${before.id}/servers`, body);
    const { body: after } = await set({
      serverIds: [b],
      optionalServerIds: [],
      expectedConfigId: before.configId,
    });
    expect(after.config).toMatchObject({ serverIds: [b], optionalServerIds: [] });
    expect(after.config).not.toHaveProperty('serverConnectionOverrides');
    expect(await set({ serverIds: [], expectedConfigId: before.configId })).toMatchObject({ status: 409 });
    expect(await set({ serverIds: [] })).toMatchObject({ status: 400 });
    const elsewhere = (await service.post('/projects', { name: 'Elsewhere' })).body.id;
    const foreign = await service.post(`/projects/${elsewhere}/servers`, {
      name: 'f',
      url: 'https://f.example.com',
    });
    expect(await set({ serverIds: [foreign.body.id], expectedConfigId: after.configId })).toMatchObject({
      status: 400,
      body: { details: { serverIds: [foreign.body.id] } },
    });
  });
});

describe('a copy', () => {
  test('has the same configuration and a name of its own', async () => {
    const { body: source } = await create({ template: 'claude' });
    const copy = await service.post(`${project}/clients/${source.id}/duplicate`);
    expect(copy).toMatchObject({ status: 201, body: { name: 'Claude (copy)', configId: source.configId } });
    const named = await service.post(`${project}/clients/${source.id}/duplicate`, { name: 'Other' });
    expect(named.body.name).toBe('Other');
  });
});

test('a copy of a client whose server was deleted can be made', async () => {
  const server = await saveServer('gone');
  const { body: source } = await create({ config: { modelId: 'm', serverIds: [server] } });
  await service.delete(`${project}/servers/${server}`);
  const copy = await service.post(`${project}/clients/${source.id}/duplicate`);
  expect(copy).toMatchObject({ status: 201, body: { configId: source.configId } });
});

test('a list of clients does not carry their configurations', async () => {
  const hostContext = { text: 'x'.repeat(100_000) };
  await create({ config: { modelId: 'm', hostContext } });
  expect((await service.get(`${project}/clients`)).text.length).toBeLessThan(1000);
});

describe('deletion', () => {
  test('that is repeated does not reach a client that has the id for a name', async () => {
    const { body: first } = await create({ template: 'claude' });
    const { body: second } = await create({ name: first.id, template: 'claude' });
    expect((await service.delete(`${project}/clients/${first.id}`)).status).toBe(200);
    expect((await service.delete(`${project}/clients/${first.id}`)).status).toBe(404);
    expect((await read(second.id)).id).toBe(second.id);
  });

  test('is refused while a live environment uses the client, and names it', async () => {
    const { body: client } = await create({ template: 'claude' });
    const { body: environment } = await service.post(`${project}/environments`, {
      name: 'Staging',
      hostId: client.id,
    });
    expect(await service.delete(`${project}/clients/${client.id}`)).toMatchObject({
      status: 409,
      body: {
        message: expect.stringContaining('"Staging"'),
        details: { environments: [{ id: environment.id, name: 'Staging' }] },
      },
    });
    expect((await read(client.id)).impact.liveEnvironmentCount).toBe(1);
    await service.post(`${project}/environments/${environment.id}/archive`, { expectedRevision: 1 });
    expect((await service.delete(`${project}/clients/${client.id}`)).body).toEqual({
      id: client.id,
      deleted: true,
    });
    expect((await service.get(`${project}/clients/${client.id}`)).status).toBe(404);
  });

  test('and use at the same moment: one of them wins', async () => {
    for (let round = 0; round < 20; round++) {
      const { body: client } = await create({ template: 'claude' });
      const [removed, used] = await Promise.all([
        service.delete(`${project}/clients/${client.id}`),
        service.post(`${project}/environments`, { name: `e${round}`, hostId: client.id }),
      ]);
      expect([`${removed.status} ${used.status}`]).toContainEqual(
        expect.stringMatching(/^(200 404|409 201)$/),
      );
    }
  });
});

test('clients of another project do not exist here', async () => {
  const { body: client } = await create({ template: 'claude' });
  const elsewhere = (await service.post('/projects', { name: 'Elsewhere' })).body.id;
  for (const name of [client.id, 'Claude'])
    expect((await service.get(`/projects/${elsewhere}/clients/${name}`)).status).toBe(404);
});

test('clients that only back a scenario are left out unless asked for', async () => {
  const { body: client } = await create({ template: 'claude' });
  const database = await service.database.connect();
  await database.query('update clients set private_backing = true where id = $1', [client.id]);
  await database.end();
  expect((await service.get(`${project}/clients`)).body.items).toEqual([]);
  expect((await service.get(`${project}/clients?includePrivateBacking=true`)).body.items).toHaveLength(1);
  expect((await service.get(`${project}/clients/claude`)).status).toBe(404);
  expect((await service.get(`${project}/clients/claude?includePrivateBacking=true`)).status).toBe(200);
});
