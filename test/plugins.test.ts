// @module-tag long
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enablePlugin, installPlugin, listPlugins, removePlugin } from '../src/domain/operator/plugins.ts';
import { pinning } from '../src/platform/database/queries/plugins.ts';
import { filesOf, folderOf, skillMd } from './support/folder.ts';
import { commandFor } from './support/process.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { snapshotOf, textOf } from './support/snapshot.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ worker: false });
});
afterAll(() => dispose(service));

const run = (...args: string[]) => commandFor(service)(...args);

async function newProject(): Promise<string> {
  return (await service.post('/projects', { name: 'Plugins' })).body.id;
}

function bundle(manifest: object, others: Record<string, string> = {}): Map<string, Buffer> {
  return filesOf({ 'plugin.json': JSON.stringify({ name: 'pack', ...manifest }), ...others });
}

const install = (project: string, files: Map<string, Buffer>) =>
  installPlugin(service.running.services, files, { project });

test('an operator installs, updates, switches and removes a plugin', async () => {
  const demo = await service.demoUrl();
  const manifest = {
    name: 'harbour-tools',
    displayName: 'Harbour tools',
    version: '1.0.0',
    servers: { ships: { url: demo } },
  };
  const folder = await folderOf({
    'plugin.json': JSON.stringify(manifest),
    'skills/mooring/SKILL.md': skillMd('mooring'),
  });
  const project = await service.defaultProject();
  const installed = await run('plugins', 'install', folder);
  expect(installed.stderr).toBe('');
  const version = installed.stdout.trim();
  expect(version).toMatch(/^plgv_/);
  const { body } = await service.get(`/plugin-versions/${version}`);
  expect(body).toMatchObject({ declaredVersion: '1.0.0', status: 'ready' });
  // The server is one like any other: it can be talked to.
  const server = `/projects/${project}/servers/${body.servers[0].materializedServerId}`;
  expect((await service.get(server)).body).toMatchObject({ name: 'harbour-tools:ships', url: demo });
  expect((await service.post(`${server}/tools`, {})).status).toBe(200);

  await writeFile(join(folder, 'plugin.json'), JSON.stringify({ ...manifest, version: '1.1.0' }));
  const next = (await run('plugins', 'install', folder, '--project', 'Default')).stdout.trim();
  expect(next).not.toBe(version);
  expect((await run('plugins', 'list-all')).stdout).toMatch(
    new RegExp(`harbour-tools +${project} +1.1.0 +${next} +on `),
  );
  expect((await run('plugins', 'disable', 'harbour-tools')).stdout).toBe('harbour-tools is off.\n');
  expect((await service.get(server)).body.enabled).toBe(false);
  await enablePlugin(service.db, { name: 'harbour-tools' }, true);
  expect((await service.get(server)).body.enabled).toBe(true);
  expect((await run('plugins', 'remove', 'harbour-tools')).stdout).toBe('Removed harbour-tools.\n');
  expect((await service.get(`/plugin-versions/${version}`)).status).toBe(404);
  expect((await service.get(server)).status).toBe(404);
  await expect(removePlugin(service.running.services, { name: 'harbour-tools' })).rejects.toThrow(
    'No plugin harbour-tools in the project Default. See: drydock plugins list',
  );
});

test('a version says what it holds, and which servers and skills stand for it', async () => {
  const project = await newProject();
  const files = bundle(
    {
      displayName: 'Pack',
      description: 'Everything',
      version: '2.0',
      servers: {
        far: { url: 'https://far.example.com/mcp', headers: { 'X-Token': 'tell-nobody-1' } },
        near: { command: 'node', args: ['near.js'], env: { TOKEN: 'tell-nobody-2' } },
      },
      hooks: {},
      themes: [],
    },
    {
      'README.md': 'Read me',
      'skills/one/SKILL.md': skillMd('first-skill'),
      'skills/two/SKILL.md': skillMd('second-skill', { extra: 'license: MIT\n' }),
      'skills/two/more.txt': 'More',
      'assets/logo.svg': '<svg/>',
      'assets/deep/logo.svg': '<svg/>',
      'apps/board/index.html': '<p>',
      'commands/run.md': 'Run',
    },
  );
  const { versionId, added } = await install(project, files);
  expect(added).toBe(true);
  const { body, text } = await service.get(`/plugin-versions/${versionId}`);
  const { items: plugins } = (await service.get(`/projects/${project}/plugins`)).body;
  expect(plugins).toEqual([
    {
      id: expect.stringMatching(/^plg_/),
      projectId: project,
      name: 'pack',
      displayName: 'Pack',
      description: 'Everything',
      enabled: true,
      activeVersionId: versionId,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    },
  ]);
  const component = { componentId: expect.stringMatching(/^plgc_/) };
  const server = { ...component, authenticationPolicy: 'on_use', materializedServerId: expect.any(String) };
  const skill = { ...component, materializedSkillId: expect.any(String) };
  expect(body).toEqual({
    id: versionId,
    pluginId: plugins[0].id,
    declaredVersion: '2.0',
    bundleHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    manifestHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    status: 'ready',
    componentCounts: { skills: 2, servers: 2, apps: 1, assets: 2, unsupported: 3 },
    servers: [
      { ...server, componentKey: 'far', declaredName: 'far', placement: 'remote' },
      { ...server, componentKey: 'near', declaredName: 'near', placement: 'local' },
    ],
    skills: [
      { ...skill, componentKey: 'one', declaredName: 'first-skill', modelRef: 'pack:first-skill' },
      { ...skill, componentKey: 'two', declaredName: 'second-skill', modelRef: 'pack:second-skill' },
    ],
    createdAt: expect.any(Number),
    readyAt: expect.any(Number),
  });
  const servers = await service.get(`/projects/${project}/servers`);
  expect(servers.body.items).toMatchObject([
    { name: 'pack:far', transportType: 'http', headerNames: ['X-Token'], enabled: true },
    { name: 'pack:near', transportType: 'stdio', envNames: ['TOKEN'], url: null },
  ]);
  const skillId = body.skills[1].materializedSkillId;
  expect((await service.get(`/projects/${project}/skills/${skillId}`)).body).toMatchObject({
    name: 'second-skill',
    provenance: 'plugin',
    sharing: 'project',
    pinnability: { ok: false, reason: 'supporting_files' },
  });
  const [pin] = await service.db.rows(pinning, { projectId: project, ids: [versionId, 'plgv_none'] });
  expect(pin).toEqual({
    id: versionId,
    pluginId: plugins[0].id,
    pluginName: 'pack',
    enabled: true,
    status: 'ready',
    bundleHash: body.bundleHash,
    serverIds: body.servers.map((one: { materializedServerId: string }) => one.materializedServerId),
    hasSkillWithFiles: true,
  });
  const client = await service.database.connect();
  const everything = (await textOf(client)) + text + servers.text + service.logs.join('');
  await client.end();
  expect(everything).not.toContain('tell-nobody');
});

test('servers of mcp.json are brought like those of the manifest, which wins where both name one', async () => {
  const project = await newProject();
  const mcp = {
    mcpServers: {
      both: { type: 'http', url: 'https://shared.example.com/mcp', headers: { A: 'tell-nobody-1' } },
      far: { type: 'streamable-http', url: 'https://far.example.com/mcp', headers: { A: 'tell-nobody-2' } },
      near: { command: 'node', args: ['near.js'], env: { TOKEN: 'tell-nobody-3' } },
    },
    inputs: [],
  };
  const files = (shared: object, own: object = { both: { url: 'https://own.example.com/mcp' } }) =>
    bundle({ servers: own }, { 'mcp.json': `\u{feff}${JSON.stringify(shared)}` });
  const { versionId } = await install(project, files(mcp));
  const { body } = await service.get(`/plugin-versions/${versionId}`);
  expect(body).toMatchObject({
    status: 'ready',
    componentCounts: { servers: 3, unsupported: 1 },
    servers: [
      { componentKey: 'both', placement: 'remote' },
      { componentKey: 'far', placement: 'remote' },
      { componentKey: 'near', placement: 'local' },
    ],
  });
  const servers = await service.get(`/projects/${project}/servers`);
  expect(servers.body.items).toMatchObject([
    { name: 'pack:both', url: 'https://own.example.com/mcp', headerNames: [] },
    { name: 'pack:far', url: 'https://far.example.com/mcp', headerNames: ['A'] },
    { name: 'pack:near', transportType: 'stdio', envNames: ['TOKEN'] },
  ]);
  const client = await service.database.connect();
  expect((await textOf(client)) + servers.text).not.toContain('tell-nobody');
  await client.end();
  // A secret alone makes another version, also one of a server that was not taken; the hash does not show which it is.
  const changed = structuredClone(mcp);
  changed.mcpServers.both.headers.A = 'tell-nobody-4';
  const other = await install(project, files(changed));
  expect(other.added).toBe(true);
  expect(await install(project, files(mcp))).toMatchObject({ added: false, versionId });
});

test('the same bundle changes nothing; an earlier one comes back into force', async () => {
  const project = await newProject();
  const old = bundle(
    { servers: { a: { url: 'https://a.example.com' } } },
    { 'skills/s/SKILL.md': skillMd('s') },
  );
  const first = await install(project, old);
  const client = await service.database.connect();
  const before = await snapshotOf(client);
  expect(await install(project, new Map([...old].reverse()))).toEqual({ ...first, added: false });
  expect(await snapshotOf(client)).toEqual(before);
  await client.end();

  const second = await install(
    project,
    bundle(
      { description: 'New', servers: { a: { url: 'https://a.example.com' } } },
      { 'skills/s/SKILL.md': skillMd('s') },
    ),
  );
  expect(second.added).toBe(true);
  const listed = async () => (await service.get(`/projects/${project}/plugins`)).body.items;
  expect(await listed()).toMatchObject([{ activeVersionId: second.versionId, description: 'New' }]);
  // The earlier pin stays; the name of its server is taken.
  expect((await service.get(`/projects/${project}/servers`)).body.items).toMatchObject([
    { name: 'pack:a' },
    { name: 'pack:a 2' },
  ]);
  const skillOf = async (version: string) =>
    (await service.get(`/plugin-versions/${version}`)).body.skills[0].materializedSkillId as string;
  const skills = (await service.get(`/projects/${project}/skills`)).body.items;
  expect(skills).toMatchObject([{ id: await skillOf(second.versionId) }]);
  const earlier = `/projects/${project}/skills/${await skillOf(first.versionId)}`;
  expect((await service.get(earlier)).status).toBe(200);

  expect(await install(project, old)).toEqual({ ...first, added: false });
  const [restored] = await listed();
  expect(restored.activeVersionId).toBe(first.versionId);
  expect(restored.description).toBeUndefined();
});

test('two installations at once make one version', async () => {
  const project = await newProject();
  const files = bundle({ servers: { a: { url: 'https://a.example.com' } } });
  const made = await Promise.all([1, 2, 3].map(() => install(project, files)));
  expect(new Set(made.map(({ versionId }) => versionId)).size).toBe(1);
  expect((await service.get(`/projects/${project}/servers`)).body.items.length).toBe(1);
});

test('the servers of a plugin change with the plugin only', async () => {
  const project = await newProject();
  const { versionId } = await install(
    project,
    bundle({ servers: { a: { url: 'https://a.example.com', headers: { A: 'b' } } } }),
  );
  const { servers } = (await service.get(`/plugin-versions/${versionId}`)).body;
  const server = `/projects/${project}/servers/${servers[0].materializedServerId}`;
  for (const answer of [await service.patch(server, { name: 'mine' }), await service.delete(server)]) {
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual({
      code: 'CONFLICT',
      message: 'This server belongs to the plugin pack; change the plugin',
      details: { code: 'PLUGIN_MANAGED', reason: 'PLUGIN_MANAGED', plugin: 'pack' },
    });
  }
  await enablePlugin(service.db, { name: 'pack', project }, false);
  expect((await service.get(server)).body.enabled).toBe(false);
  expect(await service.db.rows(pinning, { projectId: project, ids: [versionId] })).toMatchObject([
    { enabled: false },
  ]);
  // A version installed meanwhile does not switch the plugin on.
  await install(project, bundle({ servers: { b: { url: 'https://b.example.com' } } }));
  expect((await service.get(`/projects/${project}/servers`)).body.items).toMatchObject([
    { name: 'pack:a', enabled: false },
    { name: 'pack:b', enabled: false },
  ]);

  await removePlugin(service.running.services, { name: 'pack', project });
  expect((await service.get(`/projects/${project}/servers`)).body.items).toEqual([]);
  expect(await listPlugins(service.db, project)).toEqual([]);
  const client = await service.database.connect();
  const { rows } = await client.query('select 1 from sealed_values where project_id = $1', [project]);
  await client.end();
  expect(rows).toEqual([]);
});

test('a project goes with its plugins', async () => {
  const project = await newProject();
  const { versionId } = await install(
    project,
    bundle(
      { servers: { a: { url: 'https://a.example.com', headers: { A: 'b' } } } },
      { 'skills/s/SKILL.md': skillMd('s') },
    ),
  );
  expect((await service.delete(`/projects/${project}`)).status).toBe(200);
  expect((await service.get(`/plugin-versions/${versionId}`)).status).toBe(404);
});

test('a version is shown to whoever sees its project', async () => {
  const { body } = await service.post('/projects', { name: 'Hidden', visibility: 'private' });
  const { versionId } = await install(body.id, bundle({}));
  const path = `/plugin-versions/${versionId}`;
  expect((await service.get(path)).status).toBe(200);
  const { key } = await service.member('member');
  const hidden = await service.get(path, { key });
  expect(hidden.status).toBe(404);
  expect(hidden.body).toEqual((await service.get('/plugin-versions/plgv_none', { key })).body);
  expect((await service.get(path, { key: (await service.stranger()).key })).status).toBe(404);
});
