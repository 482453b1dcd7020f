import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { enablePlugin, installPlugin, removePlugin } from '../src/domain/operator/plugins.ts';
import { addSkill } from '../src/domain/operator/skills.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let projectId: string;
let project: string;
let server: string;
let client: string;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));
beforeEach(async () => {
  projectId = (await service.post('/projects', { name: 'Environments' })).body.id;
  project = `/projects/${projectId}`;
  server = (await service.post(`${project}/servers`, { name: 'weather', url: 'https://w.example.com/mcp' }))
    .body.id;
  const config = { modelId: 'anthropic/claude-haiku-4.5', serverIds: [server] };
  client = (await service.post(`${project}/clients`, { name: 'Claude', config })).body.id;
});

const create = (fields: object = {}): Promise<Answer> =>
  service.post(`${project}/environments`, { name: 'Staging', hostId: client, ...fields });
const made = async (fields: object = {}) => (await create(fields)).body;
const patch = (id: string, body: object): Promise<Answer> =>
  service.patch(`${project}/environments/${id}`, body);
const act = (id: string, action: string, body: object): Promise<Answer> =>
  service.post(`${project}/environments/${id}/${action}`, body);
const read = async (id: string) => (await service.get(`${project}/environments/${id}`)).body;
const resolve = (id: string): Promise<Answer> => service.get(`${project}/environments/${id}/resolve`);
const names = async (query = ''): Promise<string[]> =>
  (await service.get(`${project}/environments${query}`)).body.items.map(({ name }: { name: string }) => name);

const skill = (frontmatter: string, files: [string, Buffer][] = []) =>
  new Map([['SKILL.md', Buffer.from(`---\n${frontmatter}\n---\nDo it well.\n`)], ...files]);
const plugin = (version: string, extra: object = {}, files: [string, Buffer][] = []) =>
  new Map([['plugin.json', Buffer.from(JSON.stringify({ name: 'harbour', version, ...extra }))], ...files]);
const addPlainSkill = async (name = 'inspect'): Promise<string> =>
  (await addSkill(service.db, skill(`name: ${name}\ndescription: How to inspect`), { project: projectId }))
    .id;
const install = async (...of: Parameters<typeof plugin>): Promise<string> =>
  (await installPlugin(service.running.services, plugin(...of), { project: projectId })).versionId;
const saveSecret = async (fields: object = {}, key = service.key): Promise<string> =>
  (
    await service.post(
      `${project}/secrets`,
      { name: 'TOKEN', value: 'v', delivery: 'materialized', ...fields },
      { key },
    )
  ).body.id;

describe('an environment', () => {
  test('pins everything it may hold, and shows it', async () => {
    const skillId = await addPlainSkill();
    const secretId = await saveSecret();
    const version = await install('1.0.0', { servers: { docs: { url: 'https://docs.example.com/mcp' } } });
    const group = await service.post(`${project}/server-groups`, { name: 'All', serverIds: [server] });
    const { status, body } = await create({
      description: 'For the nightly run',
      serverAttachmentId: group.body.id,
      modelId: 'openai/gpt-5-nano',
      skillSelection: { mode: 'explicit', skillIds: [skillId, skillId] },
      secretSelection: { mode: 'explicit', secretIds: [secretId] },
      pluginVersionIds: [version],
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Staging',
      description: 'For the nightly run',
      hostId: client,
      serverAttachmentId: group.body.id,
      modelId: 'openai/gpt-5-nano',
      skillSelection: { mode: 'explicit', skillIds: [skillId] },
      secretSelection: { mode: 'explicit', secretIds: [secretId] },
      pluginVersionIds: [version],
      revision: 1,
      archived: false,
    });
    expect(await read(body.id)).toEqual(body);
    const { body: resolved } = await resolve(body.id);
    expect(resolved).toMatchObject({
      environment: { id: body.id, name: 'Staging', revision: 1 },
      hostId: client,
      hostName: 'Claude',
      effectiveModelId: 'openai/gpt-5-nano',
      modelSource: 'environment',
      selectedServerIds: [server],
      pluginVersions: [{ pluginVersionId: version, name: 'harbour' }],
    });
    expect(resolved.servers.map(({ name }: { name: string }) => name)).toEqual(['weather', 'harbour:docs']);
  });

  test('keeps what is left out of an edit, and clears what is null', async () => {
    const secretId = await saveSecret();
    const before = await made({
      description: 'd',
      modelId: 'm',
      secretSelection: { mode: 'explicit', secretIds: [secretId] },
    });
    const kept = await patch(before.id, { expectedRevision: 1, name: 'Production' });
    expect(kept.body).toEqual({ ...before, name: 'Production', revision: 2, updatedAt: expect.any(Number) });
    const cleared = await patch(before.id, {
      expectedRevision: 2,
      description: '',
      modelId: null,
      secretSelection: null,
      skillSelection: null,
      pluginVersionIds: null,
      serverAttachmentId: null,
    });
    expect(cleared.body).toMatchObject({ revision: 3 });
    for (const field of ['description', 'modelId', 'secretSelection'])
      expect(cleared.body).not.toHaveProperty(field);
  });

  test('is refused when it was written to since, and stays as it is', async () => {
    const { id } = await made();
    await patch(id, { expectedRevision: 1, description: 'first' });
    for (const answer of [
      await patch(id, { expectedRevision: 1, description: 'second' }),
      await act(id, 'archive', { expectedRevision: 1 }),
    ])
      expect(answer).toMatchObject({
        status: 409,
        body: { code: 'CONFLICT', details: { code: 'ENV_REVISION_CONFLICT', currentRevision: 2 } },
      });
    expect(await read(id)).toMatchObject({ description: 'first', revision: 2, archived: false });
  });

  test('edited by two hundred at once is changed by exactly one', { timeout: 60_000 }, async () => {
    const { id } = await made();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => patch(id, { expectedRevision: 1, description: `edit ${n}` })),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(199);
    expect(await read(id)).toEqual(won[0]?.body);
  });

  test('shares its name with no other live one', async () => {
    const first = await made();
    expect(await create()).toMatchObject({ status: 409, body: { details: { reason: 'NAME_TAKEN' } } });
    const other = await made({ name: 'Other' });
    expect(await patch(other.id, { expectedRevision: 1, name: 'Staging' })).toMatchObject({ status: 409 });
    await act(first.id, 'archive', { expectedRevision: 1 });
    expect((await create()).status).toBe(201);
    expect(await act(first.id, 'restore', { expectedRevision: 2 })).toMatchObject({
      status: 409,
      body: { details: { reason: 'NAME_TAKEN' } },
    });
    expect(await read(first.id)).toMatchObject({ archived: true, revision: 2 });
  });

  test('is archived and restored, once each', async () => {
    const { id } = await made();
    const archived = await act(id, 'archive', { expectedRevision: 1 });
    expect(archived.body).toMatchObject({ archived: true, revision: 2, archivedAt: expect.any(Number) });
    expect(await names()).toEqual([]);
    expect(await names('?includeArchived=true')).toEqual(['Staging']);
    for (const answer of [
      await act(id, 'archive', { expectedRevision: 2 }),
      await patch(id, { expectedRevision: 2, description: 'x' }),
      await resolve(id),
    ])
      expect(answer).toMatchObject({ status: 409, body: { details: { code: 'ENV_ARCHIVED' } } });
    const restored = await act(id, 'restore', { expectedRevision: 2 });
    expect(restored.body).toMatchObject({ archived: false, revision: 3 });
    expect(restored.body).not.toHaveProperty('archivedAt');
    expect(await act(id, 'restore', { expectedRevision: 3 })).toMatchObject({
      status: 409,
      body: { details: { code: 'ENV_NOT_ARCHIVED' } },
    });
  });

  test('restored without the plugin versions that are gone meanwhile', async () => {
    const version = await install('1.0.0');
    const { id } = await made({ pluginVersionIds: [version] });
    await act(id, 'archive', { expectedRevision: 1 });
    await removePlugin(service.running.services, { project: projectId, name: 'harbour' });
    const restored = await act(id, 'restore', { expectedRevision: 2 });
    expect(restored.status).toBe(200);
    expect(restored.body).not.toHaveProperty('pluginVersionIds');
  });
});

test('what an environment holds already is not asked about again', async () => {
  const kept = await installPlugin(
    service.running.services,
    new Map([['plugin.json', Buffer.from('{"name":"kept"}')]]),
    { project: projectId },
  );
  const gone = await install('1.0.0');
  const { id } = await made({ pluginVersionIds: [kept.versionId, gone] });
  await act(id, 'archive', { expectedRevision: 1 });
  await removePlugin(service.running.services, { project: projectId, name: 'harbour' });
  await enablePlugin(service.db, { project: projectId, name: 'kept' }, false);
  const restored = await act(id, 'restore', { expectedRevision: 2 });
  expect(restored).toMatchObject({ status: 200, body: { pluginVersionIds: [kept.versionId] } });
  expect(await resolve(id)).toMatchObject({
    status: 409,
    body: { details: { code: 'ENV_PLUGIN_DISABLED' } },
  });
});

describe('on the fly', () => {
  const ensure = (fields: object = {}, key = service.key): Promise<Answer> =>
    service.post(`${project}/environments/ensure-adhoc`, { hostId: client, ...fields }, { key });

  test('the same content is the same environment, however it is written', async () => {
    const [a, b] = [await addPlainSkill('a'), await addPlainSkill('b')];
    const first = await ensure({ skillSelection: { mode: 'explicit', skillIds: [a, b] } });
    expect(first.body).toMatchObject({
      created: true,
      environment: { name: null, adhoc: true, revision: 1 },
    });
    const again = await ensure({ skillSelection: { mode: 'explicit', skillIds: [b, a, b] } });
    expect(again.body).toEqual({ ...first.body, created: false });
    expect((await ensure()).body.created).toBe(true);
    expect(await names('?includeArchived=true')).toEqual([]);
  });

  test('a hundred who ask at once get one environment', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => ensure({ modelId: 'm' })));
    expect(new Set(answers.map(({ body }) => body.environment.id)).size).toBe(1);
    expect(answers.filter(({ body }) => body.created)).toHaveLength(1);
  });

  test('is named once, keeps its id, and is then like any other', async () => {
    const { id } = (await ensure()).body.environment;
    expect(await patch(id, { expectedRevision: 1, description: 'x' })).toMatchObject({
      status: 409,
      body: { details: { code: 'ENV_ADHOC' } },
    });
    const named = await act(id, 'name', { expectedRevision: 1, name: 'Nightly', description: 'At night' });
    expect(named.body).toMatchObject({ id, name: 'Nightly', description: 'At night', revision: 2 });
    expect(named.body).not.toHaveProperty('adhoc');
    expect(await names()).toEqual(['Nightly']);
    expect(await act(id, 'name', { expectedRevision: 2, name: 'Again' })).toMatchObject({
      status: 409,
      body: { details: { code: 'ENV_NAMED', currentName: 'Nightly' } },
    });
    expect((await ensure()).body).toMatchObject({ created: true });
  });

  test('needs no administrator, unless plugins are pinned', async () => {
    const { key } = await service.member('member');
    expect((await ensure({}, key)).status).toBe(200);
    const version = await install('1.0.0');
    expect(await ensure({ pluginVersionIds: [version] }, key)).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    expect(
      await service.post(`${project}/environments`, { name: 'x', hostId: client }, { key }),
    ).toMatchObject({
      status: 403,
    });
  });
});

describe('what may not be pinned is refused with its own reason, and nothing is written', () => {
  /** What creating with these fields answers, and editing; and whether either has left a trace. */
  async function tried(fields: object) {
    const created = await create(fields);
    const { id } = await made({ name: 'Base' });
    const before = await read(id);
    const edited = await patch(id, { expectedRevision: 1, ...fields });
    return { created, edited, untouched: isDeepStrictEqual(await read(id), before), names: await names() };
  }
  const refused = (answer: object): object => ({
    created: answer,
    edited: answer,
    untouched: true,
    names: ['Base'],
  });
  const skills = (...skillIds: string[]): object => ({ skillSelection: { mode: 'explicit', skillIds } });
  const because = (code: string): object => ({
    status: 400,
    body: { code: 'VALIDATION_ERROR', details: { code } },
  });

  test('a personal skill', async () => {
    const { id } = await addSkill(service.db, skill('name: mine\ndescription: Mine'), {
      project: projectId,
      owner: (await service.get('/me')).body.email,
    });
    expect(await tried(skills(id))).toMatchObject(refused(because('SKILL_PERSONAL')));
  });

  test('a skill with supporting files', async () => {
    const files = skill('name: big\ndescription: Big', [['reference.md', Buffer.from('more')]]);
    const { id } = await addSkill(service.db, files, { project: projectId });
    expect(await tried(skills(id))).toMatchObject(refused(because('SKILL_SUPPORTING_FILES')));
  });

  test('a skill with extra frontmatter', async () => {
    const { id } = await addSkill(service.db, skill('name: odd\ndescription: Odd\nlicense: MIT'), {
      project: projectId,
    });
    expect(await tried(skills(id))).toMatchObject(refused(because('SKILL_EXTRA_FRONTMATTER')));
  });

  test('a skill of a plugin', async () => {
    await install('1.0.0', {}, [
      ['skills/dock/SKILL.md', skill('name: dock\ndescription: Dock').get('SKILL.md') as Buffer],
    ]);
    const [{ id }] = (await service.get(`${project}/skills`)).body.items;
    expect(await tried(skills(id))).toMatchObject(refused(because('SKILL_PLUGIN_COMPONENT')));
  });

  test('two versions of one plugin', async () => {
    const versions = [await install('1.0.0'), await install('2.0.0')];
    expect(await tried({ pluginVersionIds: versions })).toMatchObject(
      refused(because('PLUGIN_TWO_VERSIONS')),
    );
  });

  test('a version of a disabled plugin, and one that is not ready', async () => {
    const version = await install('1.0.0');
    await enablePlugin(service.db, { project: projectId, name: 'harbour' }, false);
    expect(await tried({ pluginVersionIds: [version] })).toMatchObject(refused(because('PLUGIN_DISABLED')));
    await enablePlugin(service.db, { project: projectId, name: 'harbour' }, true);
    const database = await service.database.connect();
    await database.query("update plugin_versions set status = 'staging' where id = $1", [version]);
    await database.end();
    expect(await create({ pluginVersionIds: [version] })).toMatchObject(because('PLUGIN_VERSION_NOT_READY'));
  });

  test('a plugin version whose skill has supporting files', async () => {
    const version = await install('1.0.0', {}, [
      ['skills/dock/SKILL.md', skill('name: dock\ndescription: Dock').get('SKILL.md') as Buffer],
      ['skills/dock/plan.md', Buffer.from('plan')],
    ]);
    expect(await tried({ pluginVersionIds: [version] })).toMatchObject(
      refused(because('PLUGIN_SKILL_SUPPORTING_FILES')),
    );
  });

  test('empty lists', async () => {
    expect(await tried({ pluginVersionIds: [] })).toMatchObject(refused({ status: 400 }));
    for (const fields of [skills(), { secretSelection: { mode: 'explicit', secretIds: [] } }])
      expect(await create(fields)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  });

  const likeSkills = 'write {"mode": "explicit", "skillIds": ["…"]}';
  const likeSecrets = 'write {"mode": "explicit", "secretIds": ["…"]}';
  test.each([
    [{ skillSelection: { skillIds: ['x'] } }, `skillSelection.mode: Required; ${likeSkills}`],
    [{ skillSelection: { mode: 'all-visible' } }, `skillSelection.mode: Must be "explicit"; ${likeSkills}`],
    [{ skillSelection: { mode: 'explicit' } }, `skillSelection.skillIds: Required; ${likeSkills}`],
    [{ skillSelection: ['x'] }, `skillSelection: Must be an object; ${likeSkills}`],
    [{ secretSelection: { secretIds: ['x'] } }, `secretSelection.mode: Required; ${likeSecrets}`],
    [
      { pluginVersionIds: 'x' },
      'pluginVersionIds: Must be an array; write ["…"], the ids of plugin versions',
    ],
  ])('%j, and the answer says how to write it', async (fields, message) => {
    expect(await tried(fields)).toMatchObject(refused({ status: 400, body: { message } }));
  });

  test.each([
    ['hostId', (id: string) => ({ hostId: id })],
    ['serverAttachmentId', (id: string) => ({ serverAttachmentId: id })],
    ['sandboxImageId', (id: string) => ({ sandboxImageId: id })],
    ['skillSelection', (id: string) => skills(id)],
    ['secretSelection', (id: string) => ({ secretSelection: { mode: 'explicit', secretIds: [id] } })],
    ['pluginVersionIds', (id: string) => ({ pluginVersionIds: [id] })],
  ])('an unknown id in %s', async (field, fields) => {
    expect(await tried(fields('none_such'))).toMatchObject(
      refused({ status: 404, body: { code: 'NOT_FOUND', details: { field } } }),
    );
  });

  test("another project's ids, and another person's secret", async () => {
    const foreign = { skill: await addPlainSkill(), secret: await saveSecret(), client };
    const member = await service.member('owner');
    projectId = (await service.post('/projects', { name: 'Second' })).body.id;
    project = `/projects/${projectId}`;
    client = (await service.post(`${project}/clients`, { name: 'C', template: 'claude' })).body.id;
    const personal = await saveSecret({ sharing: 'user' }, member.key);
    for (const fields of [
      { hostId: foreign.client },
      skills(foreign.skill),
      { secretSelection: { mode: 'explicit', secretIds: [foreign.secret] } },
      { secretSelection: { mode: 'explicit', secretIds: [personal] } },
    ])
      expect(await create(fields)).toMatchObject({ status: 404 });
    expect(await names()).toEqual([]);
  });
});

describe('resolving', () => {
  const because = (code: string): object => ({ status: 409, body: { code: 'CONFLICT', details: { code } } });

  test("follows the client's configuration as it is now", async () => {
    const { id } = await made();
    const { configId } = (await service.get(`${project}/clients/${client}`)).body;
    const edited = await service.patch(`${project}/clients/${client}`, {
      expectedConfigId: configId,
      set: { modelId: 'another/model' },
    });
    expect((await resolve(id)).body).toMatchObject({
      hostConfigId: edited.body.configId,
      effectiveModelId: 'another/model',
      modelSource: 'host',
      servers: [{ serverId: server, name: 'weather' }],
    });
  });

  test('says why nothing can run', async () => {
    const bare = (await service.post(`${project}/clients`, { name: 'Bare', template: 'claude' })).body.id;
    const serverless = (await made({ name: 'a', hostId: bare })).id;
    expect(await resolve(serverless)).toMatchObject(because('ENV_NO_SERVERS'));
    await act(serverless, 'archive', { expectedRevision: 1 });
    const { id } = await made({ name: 'b' });
    await service.patch(`${project}/servers/${server}`, { enabled: false });
    expect(await resolve(id)).toMatchObject(because('ENV_NO_SERVERS'));
    await service.patch(`${project}/servers/${server}`, { enabled: true });
    const version = await install('1.0.0');
    const pinned = (await made({ name: 'c', pluginVersionIds: [version] })).id;
    expect((await resolve(pinned)).status).toBe(200);
    await enablePlugin(service.db, { project: projectId, name: 'harbour' }, false);
    expect(await resolve(pinned)).toMatchObject(because('ENV_PLUGIN_DISABLED'));
    await removePlugin(service.running.services, { project: projectId, name: 'harbour' });
    expect(await resolve(pinned)).toMatchObject(because('ENV_PLUGIN_UNAVAILABLE'));
    const adhoc = await service.post(`${project}/environments/ensure-adhoc`, { hostId: bare, modelId: 'x' });
    await service.delete(`${project}/clients/${bare}`);
    expect(await resolve(adhoc.body.environment.id)).toMatchObject(because('ENV_HOST_MISSING'));
  });
});

test('capabilities say what environments may hold', async () => {
  expect((await service.get(`${project}/environments/capabilities`)).body).toEqual({
    modelOverrides: true,
    modelMatrix: false,
    secretGrants: true,
  });
});
