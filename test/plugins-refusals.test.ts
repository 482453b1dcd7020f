import { afterAll, beforeAll, expect, test } from 'vitest';
import { installPlugin } from '../src/domain/operator/plugins.ts';
import { Trust } from '../src/domain/parts/trust.ts';
import { filesOf, skillMd } from './support/folder.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { snapshotOf } from './support/snapshot.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ worker: false });
});
afterAll(() => dispose(service));

async function newProject(): Promise<string> {
  return (await service.post('/projects', { name: 'Plugins' })).body.id;
}

const install = (project: string, files: Map<string, Buffer>) =>
  installPlugin(service.running.services, files, { project });

test('a service that others can reach runs no command of a plugin', async () => {
  const { services } = service.running;
  const config = { ...services.config, host: '0.0.0.0', allowStdio: undefined };
  const exposed = { ...services, trust: new Trust(config, services.db, () => 0) };
  const files = filesOf(server({ command: 'node' }));
  const project = await newProject();
  await expect(installPlugin(exposed, files, { project })).rejects.toThrow('DRYDOCK_ALLOW_STDIO=true');
});

const skills = (...names: string[]) =>
  Object.fromEntries(names.map((name, at) => [`skills/${at}/SKILL.md`, skillMd(name)]));

test.each<[string, Record<string, string>, string]>([
  ['no manifest', { 'README.md': '' }, 'The folder contains no plugin.json'],
  ['broken JSON', { 'plugin.json': '{"name": "tell-nobody"' }, 'plugin.json must be JSON'],
  ['NUL', server({ command: 'node', args: ['a\0'] }), 'without NUL'],
  ['half a character', server({ command: '\ud800' }), 'plugin.json must be JSON'],
  ['no name', { 'plugin.json': '{}' }, 'plugin.json: name: '],
  ['a name with spaces', { 'plugin.json': '{"name":"My pack"}' }, 'name: Write it in lower case'],
  ['a long name', { 'plugin.json': `{"name":"${'a'.repeat(65)}"}` }, 'name: '],
  ['an array', { 'plugin.json': '[]' }, 'plugin.json: Invalid input: expected object'],
  ['a server that is nothing', server({}), 'the server a: Give it a `url`, or a `command` to run'],
  ['a server that is both', server({ url: 'https://e.com', command: 'node' }), 'the server a: url: Not used'],
  [
    'a server with an unknown field',
    server({ url: 'https://e.com', token: 'x' }),
    'Unrecognized key: "token"',
  ],
  ['a server at no URL', server({ url: 'e.com' }), 'the server a: url: Not a URL'],
  [
    'a server with a broken header',
    server({ url: 'https://e.com', headers: { 'a b': '' } }),
    'the server a: headers',
  ],
  [
    'a server with an unusable key',
    { 'plugin.json': '{"name":"pack","servers":{"a b":{"url":"https://e.com"}}}' },
    'servers.a b: A key is up to 64',
  ],
  ['broken JSON in mcp.json', shared('{"mcpServers": "tell-nobody'), 'mcp.json must be JSON'],
  ['an mcp.json without servers', shared('{}'), 'mcp.json: mcpServers: Required; write {"ships": '],
  ['an mcp.json with a list', shared('{"mcpServers":[]}'), 'mcp.json: mcpServers: Must be an object; write '],
  [
    'a server of mcp.json that is nothing',
    shared('{"mcpServers":{"a":{}}}'),
    'mcp.json: the server a: Give it',
  ],
  [
    'a server of mcp.json at no URL',
    shared('{"mcpServers":{"a":{"url":"tell-nobody"}}}'),
    'mcp.json: the server a: url: Not a URL',
  ],
  [
    'a server of mcp.json whose type does not fit',
    shared('{"mcpServers":{"a":{"type":"stdio","url":"https://e.com"}}}'),
    'mcp.json: the server a: type: stdio does not go with a `url`',
  ],
  [
    'a broken server of mcp.json that the manifest names too',
    { ...server({ url: 'https://e.com' }), 'mcp.json': '{"mcpServers":{"a":{"token":"x"}}}' },
    'mcp.json: mcpServers.a: Unrecognized key: "token"',
  ],
  [
    'more servers than there may be, in both files together',
    {
      'plugin.json': JSON.stringify({ name: 'pack', servers: many('own') }),
      'mcp.json': JSON.stringify({ mcpServers: many('shared') }),
    },
    'at most 100 servers',
  ],
  [
    'two skills of one name',
    { 'plugin.json': '{"name":"pack"}', ...skills('s', 's') },
    'skills/0 and skills/1 have the same name s',
  ],
  [
    'a skill without SKILL.md',
    { 'plugin.json': '{"name":"pack"}', 'skills/x/a.md': '' },
    'skills/x: The folder contains no SKILL.md',
  ],
  [
    'a broken skill',
    { 'plugin.json': '{"name":"pack"}', 'skills/x/SKILL.md': 'Text' },
    'skills/x: SKILL.md must begin',
  ],
])('a plugin with %s is refused, and nothing is written', async (_, files, message) => {
  const project = await newProject();
  const client = await service.database.connect();
  const before = await snapshotOf(client);
  const refused = await install(project, filesOf(files)).catch((error: Error) => error);
  expect(refused).toMatchObject({ name: 'OperatorProblem', message: expect.stringContaining(message) });
  expect((refused as Error).message).not.toContain('tell-nobody');
  expect(await snapshotOf(client)).toEqual(before);
  await client.end();
});

function server(fields: object): Record<string, string> {
  return { 'plugin.json': JSON.stringify({ name: 'pack', servers: { a: fields } }) };
}

function shared(text: string): Record<string, string> {
  return { 'plugin.json': '{"name":"pack"}', 'mcp.json': text };
}

function many(prefix: string): Record<string, object> {
  const url = 'https://e.example.com';
  return Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`${prefix}-${n}`, { url }]));
}
