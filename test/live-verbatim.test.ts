import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SavedServer, saveServer } from './support/live.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { type Hostile, startHostile } from './targets/hostile.ts';

let service: TestService;
let target: Hostile;
let odd: SavedServer;

beforeAll(async () => {
  service = await startTestService();
  target = await startHostile();
  odd = await saveServer(service, { url: target.url('/odd') });
});
afterAll(async () => {
  await target?.stop();
  await dispose(service);
});

const call = (toolName: string, parameters?: object) =>
  odd.post('tools/call', { toolName, ...(parameters && { parameters }) });

describe('results arrive as the server sent them', () => {
  test('content of a kind nobody knows, and fields nobody knows', async () => {
    const { status, body } = await call('unknown_content');
    expect(status).toBe(200);
    expect(body).toEqual({
      content: [{ type: 'hologram', beams: 3 }],
      origin: 'odd',
      durationMs: expect.any(Number),
    });
    const noted = service.logs.find((line) => line.includes('does not follow the protocol'));
    expect(JSON.parse(noted ?? '{}')).toMatchObject({ serverId: odd.id, method: 'tools/call' });
  });

  test('structured content that breaks its own schema', async () => {
    expect((await call('bad_structured')).body).toMatchObject({ structuredContent: { count: 'many' } });
  });

  test('a deep result of an unknown type', async () => {
    const { body } = await call('deep');
    expect(body.resultType).toBe('hologram');
    expect(body.structuredContent.inner.inner.items[3].text).toBe('é\u2028"\\'.repeat(5));
  });

  test('a duration of its own is not overwritten', async () => {
    expect((await call('own_duration')).body.durationMs).toBe(7);
  });

  test('with the messages it came of, where they are asked for', async () => {
    const { body } = await odd.post('tools/call', {
      toolName: 'echo',
      parameters: { a: 1 },
      includeFrames: true,
      oauthAccessToken: 'a-token-of-mine',
    });
    const { sent, received } = body.frames;
    expect(sent).toMatchObject({
      jsonrpc: '2.0',
      method: 'tools/call',
      params: { name: 'echo', arguments: { a: 1 } },
    });
    expect(received).toMatchObject({
      jsonrpc: '2.0',
      id: sent.id,
      result: { structuredContent: { input: { a: 1 } } },
    });
    expect(JSON.stringify(body)).not.toContain('a-token-of-mine');
  });

  test('a failed tool is an answer', async () => {
    expect(await call('fails')).toMatchObject({ status: 200, body: { isError: true } });
  });

  test('parameters arrive as they were sent', async () => {
    const parameters = { nested: [{ a: null, 'b c': 1.5, é: '\u2028' }], toolName: 'x', empty: {} };
    expect((await call('echo', parameters)).body.structuredContent).toEqual({ input: parameters });
    expect((await call('echo')).body.structuredContent).toEqual({ input: {} });
  });

  test('a resource, bare', async () => {
    expect((await odd.post('resources/read', { uri: 'odd://one' })).body).toEqual({
      contents: [{ uri: 'odd://one', text: 'One.', etag: 'W/1' }],
    });
  });
});

describe('lists', () => {
  test('come one page at a time, with fields nobody knows', async () => {
    const first = await odd.post('tools');
    expect(first.body.nextCursor).toBe('page-1');
    expect(first.body.items[0]).toEqual({
      name: 'unknown_content',
      inputSchema: { type: 'object' },
      priority: 3,
      'x-vendor': { nested: [1, null] },
      annotations: { readOnlyHint: true, smellHint: 'rust' },
    });
    const last = await odd.post('tools', { cursor: 'page-2' });
    expect(last.body.items.map(({ name }: { name: string }) => name)).toEqual(['boom', 'echo']);
    expect(last.body).not.toHaveProperty('nextCursor');
  });

  test('that never end are an error of the server', async () => {
    const looping = await saveServer(service, { url: target.url('/loop-cursor') });
    expect(await looping.post('export')).toMatchObject({
      status: 502,
      body: { message: expect.stringContaining('repeats a cursor') },
    });
    const { body } = await looping.post('doctor');
    expect(body).toMatchObject({ status: 'partial', checks: { tools: { status: 'error' } } });
  });
});

describe('errors of the server keep what it said', () => {
  test.each([
    ['an unknown tool', () => call('nothing'), 400, 'VALIDATION_ERROR', -32602, 'Unknown tool: nothing'],
    ['an error inside', () => call('boom'), 502, 'SERVER_UNREACHABLE', -32603, 'Boom'],
    [
      'an unknown resource',
      () => odd.post('resources/read', { uri: 'odd://two' }),
      404,
      'NOT_FOUND',
      -32002,
      'not found',
    ],
    [
      'a list it has not',
      () => odd.post('prompts'),
      422,
      'FEATURE_NOT_SUPPORTED',
      -32601,
      'Method not found',
    ],
  ] as const)('%s', async (_name, ask, status, code, rpcCode, message) => {
    expect(await ask()).toMatchObject({
      status,
      body: { code, message: expect.stringContaining(message), details: { mcpError: { code: rpcCode } } },
    });
  });
});

describe('before anything is sent', () => {
  test.each([
    ['tools/call', {}, 'toolName'],
    ['tools/call', { toolName: 'echo', parameters: [1] }, 'parameters'],
    ['tools/call', { toolName: 'echo', parameters: 'x' }, 'parameters'],
    ['prompts/get', {}, 'promptName'],
    ['prompts/get', { promptName: 'p', arguments: { a: {} } }, 'arguments.a'],
    ['resources/read', { uri: 5 }, 'uri'],
    ['tools', { cursor: 5 }, 'cursor'],
    ['validate', { mcpProtocolVersion: '1999-01-01' }, 'mcpProtocolVersion'],
  ])('%s %j is refused', async (operation, body, field) => {
    const before = target.seen.length;
    const answer = await odd.post(operation, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(answer.body.message).toMatch(new RegExp(`^${field}`));
    expect(target.seen.length).toBe(before);
  });

  test.each([{ taskOptions: { ttl: 1 } }, { allowTaskResult: true }])(
    '%j is not supported',
    async (option) => {
      expect(await odd.post('tools/call', { toolName: 'echo', ...option })).toMatchObject({
        status: 422,
        body: { code: 'FEATURE_NOT_SUPPORTED' },
      });
    },
  );

  test('a server of another project does not exist', async () => {
    const { body } = await service.post('/projects', { name: 'Elsewhere' });
    const path = `/projects/${body.id}/servers/${odd.id}/tools`;
    expect(await service.post(path, {})).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });
});

describe('an export', () => {
  test('holds all pages in order, and is the same twice but for its time', async () => {
    const [first, second] = [await odd.post('export'), await odd.post('export')];
    expect(first.body.tools.map(({ name }: { name: string }) => name)).toEqual([
      'bad_structured',
      'boom',
      'deep',
      'echo',
      'fails',
      'own_duration',
      'slow',
      'unknown_content',
    ]);
    expect(first.body).toMatchObject({
      resourceTemplates: [],
      prompts: [],
      instructions: 'Expect the unexpected.',
    });
    const timeless = (text: string): string => text.replace(/"exportedAt":"[^"]+"/, '');
    expect(timeless(second.text)).toBe(timeless(first.text));
    expect(second.body.contentHash).toBe(first.body.contentHash);
  });

  test('of a server that changed has another hash', async () => {
    const one = await saveServer(service, { url: await service.demoUrl() });
    const modern = await one.post('export');
    const legacy = await one.post('export', { mcpProtocolVersion: '2025-11-25' });
    expect(legacy.body.contentHash).not.toBe(modern.body.contentHash);
    expect(legacy.body.tools).toEqual(modern.body.tools);
  });
});
