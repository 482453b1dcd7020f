import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { enablePlugin, installPlugin, removePlugin } from '../src/domain/operator/plugins.ts';
import { addSkill } from '../src/domain/operator/skills.ts';
import { EnvironmentsWorld, skillFiles } from './support/environments.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let world: EnvironmentsWorld;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));
beforeEach(async () => {
  world = await EnvironmentsWorld.make(service);
});

describe('an environment', () => {
  test('pins everything it may hold, and shows it', async () => {
    const skillId = await world.addSkill();
    const secretId = await world.saveSecret();
    const version = await world.install('1.0.0', {
      servers: { docs: { url: 'https://docs.example.com/mcp' } },
    });
    const group = await service.post(`${world.project}/server-groups`, {
      name: 'All',
      serverIds: [world.server],
    });
    const { status, body } = await world.create({
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
      hostId: world.client,
      serverAttachmentId: group.body.id,
      modelId: 'openai/gpt-5-nano',
      skillSelection: { mode: 'explicit', skillIds: [skillId] },
      secretSelection: { mode: 'explicit', secretIds: [secretId] },
      pluginVersionIds: [version],
      revision: 1,
      archived: false,
    });
    expect(await world.read(body.id)).toEqual(body);
    const { body: resolved } = await world.resolve(body.id);
    expect(resolved).toMatchObject({
      environment: { id: body.id, name: 'Staging', revision: 1 },
      hostId: world.client,
      hostName: 'Claude',
      effectiveModelId: 'openai/gpt-5-nano',
      modelSource: 'environment',
      selectedServerIds: [world.server],
      pluginVersions: [{ pluginVersionId: version, name: 'harbour' }],
    });
    expect(resolved.servers.map(({ name }: { name: string }) => name)).toEqual(['weather', 'harbour:docs']);
  });

  test('keeps what is left out of an edit, and clears what is null', async () => {
    const secretId = await world.saveSecret();
    const before = await world.made({
      description: 'd',
      modelId: 'm',
      secretSelection: { mode: 'explicit', secretIds: [secretId] },
    });
    const kept = await world.patch(before.id, { expectedRevision: 1, name: 'Production' });
    expect(kept.body).toEqual({ ...before, name: 'Production', revision: 2, updatedAt: expect.any(Number) });
    const cleared = await world.patch(before.id, {
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
    await world.patch(before.id, { expectedRevision: 3, description: 'again' });
    const gone = await world.patch(before.id, { expectedRevision: 4, description: null });
    expect(gone).toMatchObject({ status: 200, body: { revision: 5 } });
    expect(gone.body).not.toHaveProperty('description');
  });

  test('is refused when it was written to since, and stays as it is', async () => {
    const { id } = await world.made();
    await world.patch(id, { expectedRevision: 1, description: 'first' });
    for (const answer of [
      await world.patch(id, { expectedRevision: 1, description: 'second' }),
      await world.act(id, 'archive', { expectedRevision: 1 }),
    ])
      expect(answer).toMatchObject({
        status: 409,
        body: { code: 'CONFLICT', details: { code: 'ENV_REVISION_CONFLICT', currentRevision: 2 } },
      });
    expect(await world.read(id)).toMatchObject({ description: 'first', revision: 2, archived: false });
  });

  test('edited by two hundred at once is changed by exactly one', async () => {
    const { id } = await world.made();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        world.patch(id, { expectedRevision: 1, description: `edit ${n}` }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(199);
    expect(await world.read(id)).toEqual(won[0]?.body);
  });

  test('shares its name with no other live one', async () => {
    const first = await world.made();
    expect(await world.create()).toMatchObject({ status: 409, body: { details: { reason: 'NAME_TAKEN' } } });
    const other = await world.made({ name: 'Other' });
    expect(await world.patch(other.id, { expectedRevision: 1, name: 'Staging' })).toMatchObject({
      status: 409,
    });
    await world.act(first.id, 'archive', { expectedRevision: 1 });
    expect((await world.create()).status).toBe(201);
    expect(await world.act(first.id, 'restore', { expectedRevision: 2 })).toMatchObject({
      status: 409,
      body: { details: { reason: 'NAME_TAKEN' } },
    });
    expect(await world.read(first.id)).toMatchObject({ archived: true, revision: 2 });
  });

  test('is archived and restored, once each', async () => {
    const { id } = await world.made();
    const archived = await world.act(id, 'archive', { expectedRevision: 1 });
    expect(archived.body).toMatchObject({ archived: true, revision: 2, archivedAt: expect.any(Number) });
    expect(await world.names()).toEqual([]);
    expect(await world.names('?includeArchived=true')).toEqual(['Staging']);
    for (const answer of [
      await world.act(id, 'archive', { expectedRevision: 2 }),
      await world.patch(id, { expectedRevision: 2, description: 'x' }),
      await world.resolve(id),
    ])
      expect(answer).toMatchObject({ status: 409, body: { details: { code: 'ENV_ARCHIVED' } } });
    const restored = await world.act(id, 'restore', { expectedRevision: 2 });
    expect(restored.body).toMatchObject({ archived: false, revision: 3 });
    expect(restored.body).not.toHaveProperty('archivedAt');
    expect(await world.act(id, 'restore', { expectedRevision: 3 })).toMatchObject({
      status: 409,
      body: { details: { code: 'ENV_NOT_ARCHIVED' } },
    });
  });

  test('restored without the plugin versions that are gone meanwhile', async () => {
    const version = await world.install('1.0.0');
    const { id } = await world.made({ pluginVersionIds: [version] });
    await world.act(id, 'archive', { expectedRevision: 1 });
    await removePlugin(service.running.services, { project: world.projectId, name: 'harbour' });
    const restored = await world.act(id, 'restore', { expectedRevision: 2 });
    expect(restored.status).toBe(200);
    expect(restored.body).not.toHaveProperty('pluginVersionIds');
  });
});

test('what an environment holds already is not asked about again', async () => {
  const kept = await installPlugin(
    service.running.services,
    new Map([['plugin.json', Buffer.from('{"name":"kept"}')]]),
    { project: world.projectId },
  );
  const gone = await world.install('1.0.0');
  const { id } = await world.made({ pluginVersionIds: [kept.versionId, gone] });
  await world.act(id, 'archive', { expectedRevision: 1 });
  await removePlugin(service.running.services, { project: world.projectId, name: 'harbour' });
  await enablePlugin(service.db, { project: world.projectId, name: 'kept' }, false);
  const restored = await world.act(id, 'restore', { expectedRevision: 2 });
  expect(restored).toMatchObject({ status: 200, body: { pluginVersionIds: [kept.versionId] } });
  expect(await world.resolve(id)).toMatchObject({
    status: 409,
    body: { details: { code: 'ENV_PLUGIN_DISABLED' } },
  });
});

describe('on the fly', () => {
  test('the same content is the same environment, however it is written', async () => {
    const [a, b] = [
      await world.addSkill('name: a\ndescription: How'),
      await world.addSkill('name: b\ndescription: How'),
    ];
    const first = await world.ensure({ skillSelection: { mode: 'explicit', skillIds: [a, b] } });
    expect(first.body).toMatchObject({
      created: true,
      environment: { name: null, adhoc: true, revision: 1 },
    });
    const again = await world.ensure({ skillSelection: { mode: 'explicit', skillIds: [b, a, b] } });
    expect(again.body).toEqual({ ...first.body, created: false });
    expect((await world.ensure()).body.created).toBe(true);
    expect(await world.names('?includeArchived=true')).toEqual([]);
  });

  test('a hundred who ask at once get one environment', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => world.ensure({ modelId: 'm' })));
    expect(new Set(answers.map(({ body }) => body.environment.id)).size).toBe(1);
    expect(answers.filter(({ body }) => body.created)).toHaveLength(1);
  });

  test('is named once, keeps its id, and is then like any other', async () => {
    const { id } = (await world.ensure()).body.environment;
    expect(await world.patch(id, { expectedRevision: 1, description: 'x' })).toMatchObject({
      status: 409,
      body: { details: { code: 'ENV_ADHOC' } },
    });
    const named = await world.act(id, 'name', {
      expectedRevision: 1,
      name: 'Nightly',
      description: 'At night',
    });
    expect(named.body).toMatchObject({ id, name: 'Nightly', description: 'At night', revision: 2 });
    expect(named.body).not.toHaveProperty('adhoc');
    expect(await world.names()).toEqual(['Nightly']);
    expect(await world.act(id, 'name', { expectedRevision: 2, name: 'Again' })).toMatchObject({
      status: 409,
      body: { details: { code: 'ENV_NAMED', currentName: 'Nightly' } },
    });
    expect((await world.ensure()).body).toMatchObject({ created: true });
  });

  test('needs no administrator, unless plugins are pinned', async () => {
    const { key } = await service.member('member');
    expect((await world.ensure({}, key)).status).toBe(200);
    const version = await world.install('1.0.0');
    expect(await world.ensure({ pluginVersionIds: [version] }, key)).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    expect(
      await service.post(`${world.project}/environments`, { name: 'x', hostId: world.client }, { key }),
    ).toMatchObject({
      status: 403,
    });
  });
});

describe('what may not be pinned is refused with its own reason, and nothing is written', () => {
  /** The answers to creating and editing with these fields, and whether either left a trace. */
  async function tried(fields: object) {
    const created = await world.create(fields);
    const { id } = await world.made({ name: 'Base' });
    const before = await world.read(id);
    const edited = await world.patch(id, { expectedRevision: 1, ...fields });
    return {
      created,
      edited,
      untouched: isDeepStrictEqual(await world.read(id), before),
      names: await world.names(),
    };
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
    const { id } = await addSkill(service.db, skillFiles('name: mine\ndescription: Mine'), {
      project: world.projectId,
      owner: (await service.get('/me')).body.email,
    });
    expect(await tried(skills(id))).toMatchObject(refused(because('SKILL_PERSONAL')));
  });

  test('a skill with supporting files', async () => {
    const files = skillFiles('name: big\ndescription: Big', [['reference.md', Buffer.from('more')]]);
    const { id } = await addSkill(service.db, files, { project: world.projectId });
    expect(await tried(skills(id))).toMatchObject(refused(because('SKILL_SUPPORTING_FILES')));
  });

  test('a skill with extra frontmatter', async () => {
    const { id } = await addSkill(service.db, skillFiles('name: odd\ndescription: Odd\nlicense: MIT'), {
      project: world.projectId,
    });
    expect(await tried(skills(id))).toMatchObject(refused(because('SKILL_EXTRA_FRONTMATTER')));
  });

  test('a skill of a plugin', async () => {
    await world.install('1.0.0', {}, [
      ['skills/dock/SKILL.md', skillFiles('name: dock\ndescription: Dock').get('SKILL.md') as Buffer],
    ]);
    const [{ id }] = (await service.get(`${world.project}/skills`)).body.items;
    expect(await tried(skills(id))).toMatchObject(refused(because('SKILL_PLUGIN_COMPONENT')));
  });

  test('two versions of one plugin', async () => {
    const versions = [await world.install('1.0.0'), await world.install('2.0.0')];
    expect(await tried({ pluginVersionIds: versions })).toMatchObject(
      refused(because('PLUGIN_TWO_VERSIONS')),
    );
  });

  test('a version of a disabled plugin, and one that is not ready', async () => {
    const version = await world.install('1.0.0');
    await enablePlugin(service.db, { project: world.projectId, name: 'harbour' }, false);
    expect(await tried({ pluginVersionIds: [version] })).toMatchObject(refused(because('PLUGIN_DISABLED')));
    await enablePlugin(service.db, { project: world.projectId, name: 'harbour' }, true);
    const database = await service.database.connect();
    await database.query("update plugin_versions set status = 'staging' where id = $1", [version]);
    await database.end();
    expect(await world.create({ pluginVersionIds: [version] })).toMatchObject(
      because('PLUGIN_VERSION_NOT_READY'),
    );
  });

  test('a plugin version whose skill has supporting files', async () => {
    const version = await world.install('1.0.0', {}, [
      ['skills/dock/SKILL.md', skillFiles('name: dock\ndescription: Dock').get('SKILL.md') as Buffer],
      ['skills/dock/plan.md', Buffer.from('plan')],
    ]);
    expect(await tried({ pluginVersionIds: [version] })).toMatchObject(
      refused(because('PLUGIN_SKILL_SUPPORTING_FILES')),
    );
  });

  test('empty lists', async () => {
    expect(await tried({ pluginVersionIds: [] })).toMatchObject(refused({ status: 400 }));
    for (const fields of [skills(), { secretSelection: { mode: 'explicit', secretIds: [] } }])
      expect(await world.create(fields)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
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
      'pluginVersionIds: Must be an array; write ["…"], the IDs of plugin versions',
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
    const foreign = { skill: await world.addSkill(), secret: await world.saveSecret(), client: world.client };
    const member = await service.member('owner');
    world = await EnvironmentsWorld.make(service);
    const personal = await world.saveSecret({ sharing: 'user' }, member.key);
    for (const fields of [
      { hostId: foreign.client },
      skills(foreign.skill),
      { secretSelection: { mode: 'explicit', secretIds: [foreign.secret] } },
      { secretSelection: { mode: 'explicit', secretIds: [personal] } },
    ])
      expect(await world.create(fields)).toMatchObject({ status: 404 });
    expect(await world.names()).toEqual([]);
  });
});

test('capabilities say what environments may hold', async () => {
  expect((await service.get(`${world.project}/environments/capabilities`)).body).toEqual({
    modelOverrides: true,
    modelMatrix: false,
    secretGrants: true,
  });
});
