import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { resolveComposition } from '../src/domain/environments/resolve-composition.ts';
import { enablePlugin, removePlugin } from '../src/domain/operator/plugins.ts';
import { removeSkill } from '../src/domain/operator/skills.ts';
import { text } from '../src/platform/database/columns.ts';
import { type Db } from '../src/platform/database/database.ts';
import { EnvironmentsWorld } from './support/environments.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { statement } from './support/statement.ts';

let service: TestService;
let world: EnvironmentsWorld;
let me: string;

beforeAll(async () => {
  service = await startTestService();
  me = (await service.get('/me')).body.id;
});
afterAll(() => dispose(service));
beforeEach(async () => {
  world = await EnvironmentsWorld.make(service);
});

const because = (details: object): object => ({ status: 409, body: { code: 'CONFLICT', details } });
const skillSelection = (...skillIds: string[]) => ({ mode: 'explicit', skillIds });
const secretSelection = (...secretIds: string[]) => ({ mode: 'explicit', secretIds });
const composition = (environmentId: string, startedBy = me, db: Db = service.db) =>
  resolveComposition(db, { projectId: world.projectId, environmentId, startedBy });

test("a preview follows the client's configuration as it is now, and shows it", async () => {
  const { id } = await world.made();
  const client = `${world.project}/clients/${world.client}`;
  const { configId } = (await service.get(client)).body;
  const edited = await service.patch(client, {
    expectedConfigId: configId,
    set: { modelId: 'another/model' },
  });
  expect((await world.resolve(id)).body).toMatchObject({
    hostConfigId: edited.body.configId,
    config: edited.body.config,
    effectiveModelId: 'another/model',
    modelSource: 'host',
    servers: [{ serverId: world.server, name: 'weather' }],
  });
});

test('a launch learns all that a run uses', async () => {
  const skillId = await world.addSkill();
  const secretId = await world.saveSecret();
  const docs = { docs: { url: 'https://docs.example.com/mcp' } };
  const versionId = await world.install('1.0.0', { servers: docs });
  const { id } = await world.made({
    modelId: 'openai/gpt-5-nano',
    skillSelection: skillSelection(skillId),
    secretSelection: secretSelection(secretId),
    pluginVersionIds: [versionId],
  });
  const client = (await service.get(`${world.project}/clients/${world.client}`)).body;
  const skill = (await service.get(`${world.project}/skills/${skillId}`)).body;
  const version = (await service.get(`/plugin-versions/${versionId}`)).body;
  expect(await composition(id)).toMatchObject({
    environment: { id, name: 'Staging', revision: 1 },
    client: { id: client.id, name: 'Claude', configId: client.configId, config: client.config },
    model: { id: 'openai/gpt-5-nano', source: 'environment' },
    selectedServerIds: [world.server],
    servers: [{ id: world.server, name: 'weather' }, { name: 'harbour:docs' }],
    skills: [{ id: skillId, name: 'inspect', aggregateHash: skill.aggregateHash }],
    pluginVersions: [
      { id: versionId, pluginId: version.pluginId, pluginName: 'harbour', bundleHash: version.bundleHash },
    ],
    secretIds: [secretId],
  });
});

describe('nothing runs', () => {
  test('without a server, without the client, with a plugin that is off or gone', async () => {
    const bare = (await service.post(`${world.project}/clients`, { name: 'Bare', template: 'claude' })).body
      .id;
    const serverless = (await world.made({ name: 'a', hostId: bare })).id;
    expect(await world.resolve(serverless)).toMatchObject(because({ code: 'ENV_NO_SERVERS' }));
    await world.act(serverless, 'archive', { expectedRevision: 1 });
    const { id } = await world.made({ name: 'b' });
    await service.patch(`${world.project}/servers/${world.server}`, { enabled: false });
    expect(await world.resolve(id)).toMatchObject(because({ code: 'ENV_NO_SERVERS' }));
    await service.patch(`${world.project}/servers/${world.server}`, { enabled: true });
    const version = await world.install('1.0.0');
    const pinned = (await world.made({ name: 'c', pluginVersionIds: [version] })).id;
    expect((await world.resolve(pinned)).status).toBe(200);
    await enablePlugin(service.db, { project: world.projectId, name: 'harbour' }, false);
    const of = { pluginVersionId: version };
    expect(await world.resolve(pinned)).toMatchObject(because({ code: 'ENV_PLUGIN_DISABLED', ...of }));
    await removePlugin(service.running.services, { project: world.projectId, name: 'harbour' });
    expect(await world.resolve(pinned)).toMatchObject(because({ code: 'ENV_PLUGIN_UNAVAILABLE', ...of }));
    const adhoc = await world.ensure({ hostId: bare, modelId: 'x' });
    await service.delete(`${world.project}/clients/${bare}`);
    expect(await world.resolve(adhoc.body.environment.id)).toMatchObject(
      because({ code: 'ENV_HOST_MISSING' }),
    );
  });

  test('with a skill that can no longer be pinned, or is gone', async () => {
    const skillId = await world.addSkill();
    const { id } = await world.made({ skillSelection: skillSelection(skillId) });
    const code = 'ENV_SKILL_UNAVAILABLE';
    expect(await world.addSkill(undefined, [['plan.md', Buffer.from('plan')]])).toBe(skillId);
    expect(await world.resolve(id)).toMatchObject(because({ code, skillId, reason: 'supporting_files' }));
    await world.addSkill();
    expect((await world.resolve(id)).status).toBe(200);
    await removeSkill(service.db, skillId);
    expect(await world.resolve(id)).toMatchObject(because({ code, skillId, reason: 'gone' }));
  });

  test('with a secret that was deleted, until the selection is edited', async () => {
    const [kept, gone] = [await world.saveSecret(), await world.saveSecret({ name: 'GONE' })];
    const { id } = await world.made({ secretSelection: secretSelection(kept, gone) });
    expect((await world.resolve(id)).status).toBe(200);
    await service.delete(`${world.project}/secrets/${gone}`);
    const refused = because({ code: 'ENV_SECRET_UNAVAILABLE', secretId: gone });
    expect(await world.resolve(id)).toMatchObject(refused);
    await world.patch(id, { expectedRevision: 1, secretSelection: secretSelection(kept) });
    expect((await world.resolve(id)).status).toBe(200);
  });
});

test("somebody else's personal secret is not delivered, and no reason to refuse", async () => {
  const owner = await service.member('owner');
  const personal = await world.saveSecret({ sharing: 'user' }, owner.key);
  const shared = await world.saveSecret({ name: 'SHARED' });
  const { body } = await service.post(
    `${world.project}/environments`,
    { name: 'Staging', hostId: world.client, secretSelection: secretSelection(personal, shared) },
    { key: owner.key },
  );
  expect((await world.resolve(body.id)).status).toBe(200);
  expect((await composition(body.id)).secretIds).toEqual([shared]);
  expect((await composition(body.id, owner.userId)).secretIds).toEqual([personal, shared].sort());
});

describe('one moment', () => {
  test('is what a composition is read at, whatever is written meanwhile', async () => {
    const secretId = await world.saveSecret();
    const { id } = await world.made({ secretSelection: secretSelection(secretId) });
    const before = await composition(id);
    let written = false;
    const meanwhile = async (): Promise<void> => {
      if (written) return;
      written = true;
      const { client } = before;
      const set = { modelId: 'another/model', temperature: 0 };
      const path = `${world.project}/clients/${client.id}`;
      const edit = await service.patch(path, { expectedConfigId: client.configId, set });
      const name = await service.patch(`${world.project}/servers/${world.server}`, { name: 'other' });
      const gone = await service.delete(`${world.project}/secrets/${secretId}`);
      expect([edit.status, name.status, gone.status]).toEqual([200, 200, 200]);
    };
    expect(await composition(id, me, afterFirstRead(service.db, meanwhile))).toEqual(before);
    expect(written).toBe(true);
    await expect(composition(id)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('takes no writes, and a snapshot inside it is the same', async () => {
    const update = statement('test.rename-all', 'update projects set name = name');
    await expect(service.db.snapshot((db) => db.run(update))).rejects.toMatchObject({ code: '25006' });
    const at = statement('test.snapshot', 'select pg_current_snapshot()::text as at', { at: text });
    const [outer, inner] = await service.db.snapshot(async (db) => {
      const first = await db.row(at);
      await service.post('/projects', { name: 'Meanwhile' });
      return [first, await db.snapshot((same) => same.row(at))];
    });
    expect(inner).toEqual(outer);
  });
});

/** The database, but something happens after the first row that is read in a snapshot. */
function afterFirstRead(db: Db, happens: () => Promise<void>): Db {
  const watched = (inner: Db): Db =>
    Object.create(inner, {
      row: {
        value: async (...asked: Parameters<Db['row']>) => {
          const row = await inner.row(...asked);
          await happens();
          return row;
        },
      },
      snapshot: {
        value: <T>(work: (moment: Db) => Promise<T>) => inner.snapshot((moment) => work(watched(moment))),
      },
    }) as Db;
  return watched(db);
}
