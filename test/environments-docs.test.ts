import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { installPlugin } from '../src/domain/operator/plugins.ts';
import { addSkill } from '../src/domain/operator/skills.ts';
import { filesOf, skillMd } from './support/folder.ts';
import { startForTest } from './support/service.ts';

test('every body in the documentation of environments is taken as it is written there', async () => {
  const service = await startForTest();
  const projectId = await service.defaultProject();
  const project = `/projects/${projectId}`;
  const made = async (path: string, body: object): Promise<string> =>
    (await service.post(project + path, body)).body.id;
  const place = { project: projectId };
  const serverId = await made('/servers', { name: 's', url: 'https://s.example.com/mcp' });
  const plugin = filesOf({ 'plugin.json': '{"name":"pack"}' });
  const real: Record<string, string> = {
    SERVER_ID: serverId,
    CLIENT_ID: await made('/clients', { name: 'c', template: 'claude' }),
    SKILL_ID: (await addSkill(service.db, filesOf({ 'SKILL.md': skillMd('inspect') }), place)).id,
    SECRET_ID: await made('/secrets', { name: 'TOKEN', value: 'v', delivery: 'materialized' }),
    PLUGIN_VERSION_ID: (await installPlugin(service.running.services, plugin, place)).versionId,
    SERVER_GROUP_ID: await made('/server-groups', { name: 'g', serverIds: [serverId] }),
  };
  const text = await readFile('docs/environments.md', 'utf8');
  const calls = [...text.matchAll(/curl -sS "\$API(\S+)" [^']*'[^']+' -d '([^']+)'/g)];
  expect(calls).toHaveLength(5);
  for (const [, path, body = ''] of calls) {
    const answer = await service.post(
      project + path,
      body.replaceAll(/\b[A-Z_]+_ID\b/g, (name) => real[name] ?? name),
    );
    expect({ body, status: answer.status, text: answer.text }).toMatchObject({ body, status: 201 });
  }
});
