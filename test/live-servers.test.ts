import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { giveToCommands } from './support/for-commands.ts';
import { saveServer } from './support/live.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { startGated } from './targets/gated.ts';
import { startModernOnly } from './targets/modern-only.ts';
import { everythingStdio, filesystemStdio, memoryStdio, startEverything } from './targets/processes.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));

/** Started for a test, ended with it. */
async function during<T extends AsyncDisposable>(starting: Promise<T>): Promise<T> {
  const started = await starting;
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started;
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'drydock-live-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  await giveToCommands(made);
  return made;
}

describe.each([
  ['stdio', 'stdio', async () => everythingStdio()],
  [
    'Streamable HTTP',
    'streamable-http',
    async () => ({ url: (await during(startEverything('streamableHttp'))).url }),
  ],
  ['HTTP+SSE', 'sse', async () => ({ url: (await during(startEverything('sse'))).url })],
])('server-everything over %s', (_name, transport, target) => {
  test('is validated, examined, listed, called, read and exported', async () => {
    const server = await saveServer(service, await target());
    const validated = await server.post('validate');
    expect(validated.body).toMatchObject({
      success: true,
      status: 'connected',
      initInfo: {
        protocolVersion: '2025-11-25',
        transport,
        serverVersion: { name: 'mcp-servers/everything' },
      },
    });

    const doctor = await server.post('doctor');
    expect(doctor.body).toMatchObject({ status: 'ready', connection: { status: 'connected' }, error: null });
    expect(Object.keys(doctor.body.checks)).toEqual([
      'probe',
      'connection',
      'initialization',
      'capabilities',
      'tools',
      'resources',
      'resourceTemplates',
      'prompts',
    ]);
    expect(doctor.body.checks.tools.detail).toBe('13 tools discovered.');

    const tools = await server.post('tools');
    expect(tools.body.items).toHaveLength(13);
    expect((await server.post('prompts')).body.items).toHaveLength(4);
    expect((await server.post('resources')).body.items.length).toBeGreaterThan(0);

    const called = await server.post('tools/call', { toolName: 'echo', parameters: { message: 'ahoy' } });
    expect(called).toMatchObject({ status: 200, body: { content: [{ type: 'text', text: 'Echo: ahoy' }] } });
    expect(called.body.durationMs).toBeTypeOf('number');

    const rendered = await server.post('prompts/get', {
      promptName: 'args-prompt',
      arguments: { city: 'Bremen', state: 1 },
    });
    expect(rendered.body.messages[0].content.text).toContain('Bremen, 1');

    const { uri } = (await server.post('resources')).body.items[0] as { uri: string };
    expect((await server.post('resources/read', { uri })).body.contents[0]).toMatchObject({ uri });

    const exported = await server.post('export');
    expect(exported.body).toMatchObject({
      serverId: server.id,
      protocolVersion: '2025-11-25',
      server: { name: 'mcp-servers/everything' },
    });
    expect(exported.body.tools).toHaveLength(13);
  });
});

test('server-filesystem shows annotations and structured content, and refuses what is outside', async () => {
  const allowed = await folder();
  await writeFile(join(allowed, 'log.txt'), 'all hands on deck');
  const server = await saveServer(service, filesystemStdio(allowed));
  const tools = (await server.post('tools')).body.items as { name: string; annotations?: object }[];
  expect(tools.every(({ annotations }) => annotations !== undefined)).toBe(true);
  const read = await server.post('tools/call', {
    toolName: 'read_text_file',
    parameters: { path: join(allowed, 'log.txt') },
  });
  expect(read.body).toMatchObject({ structuredContent: { content: 'all hands on deck' } });
  const outside = await server.post('tools/call', {
    toolName: 'read_text_file',
    parameters: { path: '/etc/hostname' },
  });
  expect(outside).toMatchObject({ status: 200, body: { isError: true } });
});

test('server-memory keeps what it is told, given an environment variable', async () => {
  const file = join(await folder(), 'memory.json');
  const server = await saveServer(service, memoryStdio(file));
  const entity = { name: 'Eider', entityType: 'ferry', observations: ['five rusty plates'] };
  await server.post('tools/call', { toolName: 'create_entities', parameters: { entities: [entity] } });
  const { body } = await server.post('tools/call', { toolName: 'read_graph' });
  expect(body.structuredContent.entities).toEqual([entity]);
});

test('a gateway that asks for a key is spoken to in the newest revision behind it, over either path', async () => {
  const gated = await during(startGated('a-key-for-the-gateway'));
  const headers = { 'X-API-Key': 'a-key-for-the-gateway' };
  const modern = await saveServer(service, { url: gated.url, headers });
  expect((await modern.post('validate')).body.initInfo).toMatchObject({
    protocolVersion: '2026-07-28',
    transport: 'streamable-http',
  });
  const pinned = await modern.post('validate', { mcpProtocolVersion: '2025-06-18' });
  expect(pinned.body.initInfo.protocolVersion).toBe('2025-06-18');
  const old = await saveServer(service, { url: gated.sseUrl, headers });
  expect((await old.post('validate')).body.initInfo.transport).toBe('sse');
  const unkeyed = await saveServer(service, { url: gated.url });
  expect((await unkeyed.post('validate')).status).toBe(401);
});

describe('a server that speaks only 2026-07-28', () => {
  test('gets its headers, among them those of marked parameters', async () => {
    const target = await during(startModernOnly());
    const server = await saveServer(service, { url: target.url });
    await server.post('tools');
    const called = await server.post('tools/call', {
      toolName: 'in_region',
      parameters: { region: 'eu-north' },
    });
    expect(called.status).toBe(200);
    expect(target.regions).toContain('eu-north');
    const call = target.requests.findLast(({ method }) => method === 'tools/call');
    expect(call?.headers).toMatchObject({ 'mcp-method': 'tools/call', 'mcp-name': 'in_region' });
  });

  test('that asks for input is answered for by nobody: the caller sees the question', async () => {
    const target = await during(startModernOnly());
    const server = await saveServer(service, { url: target.url });
    const parameters = { what: 'Albatross' };
    const undeclared = await server.post('tools/call', { toolName: 'deploy', parameters });
    expect(undeclared).toMatchObject({
      status: 422,
      body: { code: 'FEATURE_NOT_SUPPORTED', details: { mcpError: { code: -32021 } } },
    });
    const asked = await server.post('tools/call', {
      toolName: 'deploy',
      parameters,
      clientCapabilities: { elicitation: { form: {} } },
    });
    expect(asked).toMatchObject({ status: 200, body: { resultType: 'input_required' } });
    expect(Object.keys(asked.body.inputRequests)).toHaveLength(1);
  });
});
