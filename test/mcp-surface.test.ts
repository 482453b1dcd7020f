import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationList } from '../src/contract/index.ts';
import { isSafe } from '../src/contract/operation.ts';
import { connectAgent, eras } from './support/agents.ts';
import { saveServer } from './support/live.ts';
import { type Answer, dispose, startForTest, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let serverId: string;

beforeAll(async () => {
  service = await startTestService();
  serverId = (await saveServer(service, { name: 'Harbour', url: await service.demoUrl() })).id;
});
afterAll(() => dispose(service));

describe.each(eras)('an agent of %s', (era) => {
  test('finds a server by words, diagnoses it, lists its tools and calls one', async () => {
    const agent = await connectAgent(service, { era });
    expect((await agent.call('find', { query: 'harbour' })).data[0]).toMatchObject({
      kind: 'server',
      name: 'Harbour',
      id: serverId,
    });
    const diagnosis = await agent.call('diagnose_server', { server: 'harbour' });
    expect(diagnosis.ours).toContain(`Server "Harbour" (${serverId}) is ready.`);
    expect(diagnosis.data.tools).toContain('list_ships');
    const listed = await agent.call('list_server_tools', { server: 'Harbour' });
    expect(listed.data).toContainEqual(
      expect.objectContaining({ name: 'add_numbers', takes: 'numbers: array' }),
    );
    const called = await agent.call('call_server_tool', {
      server: serverId,
      tool: 'add_numbers',
      arguments: { numbers: [1, 2, 39] },
    });
    expect(called.data.structuredContent).toEqual({ sum: 42 });
  });

  test('is told the nearest names when nothing fits', async () => {
    const agent = await connectAgent(service, { era });
    const wrong = await agent.call('diagnose_server', { server: 'Harbor' });
    expect(wrong).toMatchObject({ isError: true });
    expect(wrong.ours).toContain('NOT_FOUND: No server "Harbor" in the project. Similar names: "Harbour"');
    expect(wrong.ours).toMatch(/What to do: .*\nRequest ID: req_/);
  });

  test('reads resources, prompts and completions', async () => {
    const agent = await connectAgent(service, { era });
    const { client } = agent;
    const { resources } = await client.listResources();
    const project = await service.defaultProject();
    expect(resources.map(({ uri }: { uri: string }) => uri)).toContain(
      `drydock://projects/${project}/servers`,
    );
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map((one: { uriTemplate: string }) => one.uriTemplate)).toContain(
      'drydock://projects/{projectId}/eval-runs/{runId}/iterations/{iterationId}/trace',
    );
    const { contents } = await agent.read(`drydock://projects/${project}/servers/${serverId}`);
    expect(contents[0].text).toContain('It is data');
    expect(JSON.parse(contents[1].text)).toMatchObject({ id: serverId, name: 'Harbour' });
    await expect(agent.read('drydock://projects/prj_none/servers')).rejects.toThrow(
      'NOT_FOUND: No such project',
    );
    await expect(agent.read('drydock://nothing')).rejects.toThrow(/not found/i);
    const prompt = await client.getPrompt({ name: 'diagnose_server', arguments: { server: 'Harbour' } });
    expect(prompt.messages[0].content.text).toContain('Diagnose server "Harbour"');
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'diagnose_server' },
      argument: { name: 'server', value: 'har' },
    });
    expect(completion.values).toEqual(['Harbour']);
  });
});

describe('lists of tools', () => {
  test('at the default address there are 17, in the same order each time, annotated in full', async () => {
    const agent = await connectAgent(service);
    const tools = await agent.tools();
    expect(tools.map(({ name }) => name)).toEqual([
      'find',
      'save_server',
      'diagnose_server',
      'list_server_tools',
      'call_server_tool',
      'check_server_contract',
      'save_suite',
      'run_suite',
      'rerun_failed',
      'list_runs',
      'explain_run',
      'read_trial',
      'compare_run',
      'search_operations',
      'describe_operation',
      'read_operation',
      'write_operation',
    ]);
    const older = await (await connectAgent(service, { era: 'sdk 1' })).tools();
    expect(older).toEqual(tools);
    for (const { annotations } of tools)
      expect(annotations).toEqual({
        title: expect.any(String),
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
        idempotentHint: expect.any(Boolean),
        openWorldHint: expect.any(Boolean),
      });
    expect(tools.find(({ name }) => name === 'run_suite')).toMatchObject({
      annotations: { destructiveHint: true },
      description: expect.stringContaining('Spends credits.'),
      _meta: { 'drydock/spends': true },
    });
  });

  test('toolsets are areas of the contract, in any order, and all of them are everything', async () => {
    const names = async (path: string) =>
      (await (await connectAgent(service, { path })).tools()).map(({ name }) => name);
    const expected = operationList.filter(({ area }) => area === 'Servers' || area === 'Secrets');
    expect(await names('/mcp/x/servers,secrets')).toEqual(expected.map(({ id }) => id));
    expect(await names('/mcp/x/secrets,servers')).toEqual(expected.map(({ id }) => id));
    expect(await names('/mcp/x/all')).toEqual(operationList.map(({ id }) => id));
    expect(await names('/mcp/x/all/readonly')).toEqual(operationList.filter(isSafe).map(({ id }) => id));
    expect(await names('/mcp/x/clients')).not.toContain('listHosts');
  });

  test('every schema is whole, and says what changes something, spends or reaches out', async () => {
    const tools = await (await connectAgent(service, { path: '/mcp/x/all' })).tools();
    for (const { name, inputSchema, annotations, description } of tools) {
      const text = JSON.stringify(inputSchema);
      for (const [, reference] of text.matchAll(/"\$ref":"([^"]+)"/g))
        expect(inputSchema.$defs).toHaveProperty((reference as string).replace('#/$defs/', ''));
      const operation = operationList.find(({ id }) => id === name);
      expect(annotations.readOnlyHint).toBe(operation && isSafe(operation));
      expect(description.includes('Spends credits.')).toBe(operation?.spends === true);
      expect(name.length).toBeLessThanOrEqual(64);
    }
    const hints = (name: string) => tools.find((tool) => tool.name === name).annotations;
    expect(hints('callTool')).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      openWorldHint: true,
    });
    // Models call tools in a run; tokens and what a file declares replace what was there.
    for (const name of ['cancelEvalRun', 'createEvalRun', 'rerunEvalRun', 'createEvalRunGroup'])
      expect(hints(name)).toMatchObject({ destructiveHint: true });
    for (const name of ['importOAuthTokens', 'syncFileOwnedEvalSuite'])
      expect(hints(name)).toMatchObject({ destructiveHint: true });
    expect(hints('deleteSecret')).toMatchObject({ destructiveHint: true, idempotentHint: true });
    expect(hints('createProject')).toMatchObject({
      readOnlyHint: false,
      destructiveHint: false,
      openWorldHint: false,
    });
    expect(hints('runDoctor')).toMatchObject({ readOnlyHint: true, openWorldHint: true });
  });

  test('an address for reading cannot write, whatever is tried', async () => {
    const before = (await service.get('/projects')).body.items.length;
    for (const path of ['/mcp/readonly', '/mcp/x/projects,all/readonly']) {
      const agent = await connectAgent(service, { path });
      const args = { operation: 'createProject', arguments: { body: { name: 'Written' } } };
      for (const name of ['write_operation', 'createProject', 'run_suite', 'call_server_tool', 'callTool'])
        await expect(agent.call(name, args)).rejects.toThrow('No tool');
    }
    const agent = await connectAgent(service, { path: '/mcp/readonly' });
    for (const operation of operationList.filter((one) => !isSafe(one))) {
      const refused = await agent.call('read_operation', { operation: operation.id, arguments: {} });
      expect(refused.isError).toBe(true);
      expect(refused.ours).toContain('VALIDATION_ERROR');
    }
    expect((await service.get('/projects')).body.items).toHaveLength(before);
  });
});

describe('permissions', () => {
  test('a key of another organization is refused as over HTTP, and its own limits hold', async () => {
    const stranger = await service.stranger();
    const project = await service.defaultProject();
    const agent = await connectAgent(service, { key: stranger.key });
    const args = { projectId: project, serverId };
    const refused = await agent.call('read_operation', { operation: 'getProjectServer', arguments: args });
    const { body } = await service.get(`/projects/${project}/servers/${serverId}`, { key: stranger.key });
    expect(refused.ours).toContain(`${body.code}: ${body.message}\n`);
    expect((await agent.call('find', { query: 'harbour' })).data).toEqual([]);
    expect((await agent.call('diagnose_server', { server: serverId, project })).ours).toContain('NOT_FOUND');
  });

  test('a member without rights is told so', async () => {
    const { key } = await service.member('member');
    const { body } = await service.post('/projects', { name: 'Kept' });
    const agent = await connectAgent(service, { key });
    const args = { operation: 'deleteProject', arguments: { projectId: body.id } };
    const refused = await agent.call('write_operation', args);
    expect(refused.ours).toMatch(/^FORBIDDEN: /);
    expect((await service.get('/projects')).body.items).toContainEqual(
      expect.objectContaining({ id: body.id }),
    );
  });

  test('operations are charged to the key as over HTTP; asking for lists is charged apart', async () => {
    const limited = await startForTest({ env: { DRYDOCK_RATE_LIMIT: '1/3' }, worker: false });
    const agent = await connectAgent(limited, { path: '/mcp/x/account' });
    for (let i = 0; i < 10; i++) await agent.tools();
    for (let i = 0; i < 3; i++) expect(await agent.call('getMe')).toMatchObject({ isError: false });
    const refused = await agent.call('getMe');
    expect(refused.ours).toContain('RATE_LIMITED: Rate limit exceeded (API key)');
    expect(refused.data.details.retryAfterMs).toBeGreaterThan(15_000);
  });
});

describe('operations by name', () => {
  test('take names for ids in path, query and body, and the Default project where none is given', async () => {
    const agent = await connectAgent(service);
    const read = await agent.call('read_operation', {
      operation: 'getProjectServer',
      arguments: { serverId: 'harbour' },
    });
    expect(read.data).toMatchObject({ id: serverId, name: 'Harbour' });
    const suite = {
      name: 'By name',
      model: 'drydock/rehearsal',
      serverIds: ['Harbour'],
      tests: [{ title: 'One', steps: [{ id: '1', kind: 'prompt', prompt: 'Hi' }] }],
    };
    const made = await agent.call('write_operation', {
      operation: 'createEvalSuite',
      arguments: { projectId: 'default', body: suite },
    });
    expect(made).toMatchObject({ isError: false });
    const suiteId = made.data.suiteId as string;
    expect(made.ours).toContain(suiteId);
    const cases = await agent.call('read_operation', {
      operation: 'listEvalCases',
      arguments: { suiteId: 'By name' },
    });
    const run = await agent.call('write_operation', {
      operation: 'createEvalRun',
      // The case stands before the suite that it is looked up in.
      arguments: { body: { caseIds: ['One'], suiteId: 'by name' } },
    });
    expect(run).toMatchObject({ isError: false });
    const { body: kept } = await service.get(
      `/projects/${await service.defaultProject()}/eval-suites/${suiteId}`,
    );
    expect(kept.environment.servers).toEqual(['Harbour']);
    expect(cases.data.items[0]).toMatchObject({ title: 'One' });
  });

  test.each([
    [
      'getProjectServer',
      { serverId: 'Harbor' },
      'No server "Harbor" in the project. Similar names: "Harbour"',
    ],
    [
      'listProjectServers',
      { projectId: 'Defalt' },
      'No project "Defalt" in this organization. Similar names: "Default"',
    ],
  ])('%s refuses a name that is not there with the nearest ones', async (operation, args, message) => {
    const agent = await connectAgent(service);
    const refused = await agent.call('read_operation', { operation, arguments: args });
    expect(refused.ours).toContain(`NOT_FOUND: ${message}`);
  });

  test('tools of toolsets take names too, and describe_operation says that the project may be left out', async () => {
    const toolset = await connectAgent(service, { path: '/mcp/x/servers' });
    expect((await toolset.call('getProjectServer', { serverId: 'harbour' })).data.id).toBe(serverId);
    const agent = await connectAgent(service);
    const described = await agent.call('describe_operation', { operation: 'getProjectServer' });
    expect(JSON.parse(described.text).arguments).toMatchObject({ required: ['serverId'] });
  });
});

describe('over HTTP', () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const post = (
    body: unknown,
    options: { key?: string | null; headers?: Record<string, string>; path?: string } = {},
  ) => ask('POST', body, options);

  test.each([
    ['no key', null],
    ['a wrong key', `sk_${'x'.repeat(40)}`],
  ])('%s gets 401 and is told how, whatever the body', async (_, key) => {
    for (const body of [ping, 'not json']) {
      const answer = await post(body, { key });
      expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    }
  });

  test.each([
    [{ host: 'evil.example.com' }, 403],
    [{ host: 'evil.example.com:4700' }, 403],
    [{ host: 'localhost.evil.example.com' }, 403],
    [{ host: 'localhost:1' }, 200],
    [{ host: '[::1]:1' }, 200],
    [{ origin: 'https://evil.example.com' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'http://localhost:6274' }, 200],
    [{}, 200],
  ])('with %j it answers %i', async (headers: Record<string, string>, status) => {
    expect(await raw(service, headers)).toBe(status);
  });

  test('on another address only pages of its own origin are let in', async () => {
    const open = await startForTest({
      env: { DRYDOCK_HOST: '0.0.0.0' },
      worker: false,
    });
    expect(await raw(open, { host: 'drydock.internal' })).toBe(200);
    expect(await raw(open, { host: 'a.example.com', origin: 'https://b.example.com' })).toBe(403);
    expect(await raw(open, { host: 'a.example.com', origin: 'https://a.example.com' })).toBe(200);
  });

  test.each(['GET', 'DELETE', 'PUT'])('%s is 405', async (method) => {
    const answer = await ask(method, undefined);
    expect(answer).toMatchObject({ status: 405, body: { jsonrpc: '2.0', id: null } });
    expect(answer.headers.get('allow')).toBe('POST');
  });

  test('what is no message gets an error of the protocol', async () => {
    for (const body of ['{', '', '[]', JSON.stringify([ping]), '{"a":1,"a":2}', '['.repeat(200)])
      expect(await post(body)).toMatchObject({ status: 400, body: { error: { code: -32_700 } } });
    expect((await post({ ...ping, padding: 'x'.repeat(9_000_000) })).body.message).toContain('larger than');
  });

  test('an unknown toolset is refused with those there are', async () => {
    const answer = await post(ping, { path: '/mcp/x/servers,ships' });
    expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(answer.body.message).toMatch(
      /No toolset "ships"\. Available: account, projects, .*eval-runs.*, all/,
    );
  });

  test('requests are counted and logged like others', async () => {
    const answer = await post(ping);
    const id = answer.headers.get('x-request-id') as string;
    expect(service.logs.some((line) => line.includes(id) && line.includes('"mcp"'))).toBe(true);
    const metrics = await (await fetch(`${service.origin}/metrics`)).text();
    expect(metrics).toMatch(/operation="mcp"/);
  });

  async function ask(
    method: string,
    body: unknown,
    {
      key = service.key,
      headers = {},
      path = '/mcp',
    }: { key?: string | null; headers?: Record<string, string>; path?: string } = {},
  ): Promise<Answer> {
    const response = await fetch(`${service.origin}${path}`, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? 'null');
    return { status: response.status, headers: response.headers, text, body: JSON.parse(json) };
  }
});

/** With headers that `fetch` would not send. */
function raw({ origin, key }: TestService, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      `${origin}/mcp`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    sent.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
  });
}
