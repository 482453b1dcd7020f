// @module-tag long
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { StdioTransport } from '../src/mcp/stdio-transport.ts';
import { ConnectionPacers } from '../src/platform/flow/pacer.ts';
import { type SavedServer, saveServer } from './support/live.ts';
import { type Answer, dispose, startForTest, startTestService, type TestService } from './support/service.ts';
import { scaled } from './support/slowdown.ts';
import { answerLegacy, type Exchange, initializeResult, sendResult } from './targets/legacy.ts';
import { listen, readRpc, sendJson } from './targets/listen.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));

async function serve(answer: (exchange: Exchange) => void | Promise<void>): Promise<string> {
  const { port, stop } = await listen(async (request, response) => {
    const { rpc } = await readRpc(request);
    const origin = `http://${request.headers.host}`;
    await answer({ request, response, rpc, path: request.url ?? '/', origin });
  });
  onTestFinished(stop);
  return `http://127.0.0.1:${port}`;
}

/** A saved server that is honest but for one method. */
async function twisted(
  method: string,
  answer: (exchange: Exchange) => void | Promise<void>,
  fields: object = {},
): Promise<SavedServer> {
  const url = await serve((exchange) =>
    exchange.rpc?.method === method ? answer(exchange) : answerLegacy(exchange),
  );
  return saveServer(service, { url, ...fields });
}

function sendText({ response }: Exchange, text: string, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

const call = (server: SavedServer): Promise<Answer> => server.post('tools/call', { toolName: 'any' });

/** The longest that nobody else got a turn while something was done, in milliseconds. */
async function maxTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const look = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 5);
  await work();
  look();
  clearInterval(timer);
  return longest;
}

/** A call whose caller hangs up when it is told to. */
function hangUpOn(server: SavedServer, operation: string, body: object): () => Promise<void> {
  const caller = new AbortController();
  const gone = fetch(`${service.running.baseUrl}${server.path}/${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: caller.signal,
  }).catch(() => {});
  return async () => {
    caller.abort();
    await gone;
  };
}

describe('a broken answer is an answer of the server', () => {
  test('an error that is too deep to be written', async () => {
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    const server = await twisted('tools/call', (exchange) =>
      sendText(
        exchange,
        `{"jsonrpc":"2.0","id":${exchange.rpc?.id},"error":{"code":1,"message":"deep","data":${deep}}}`,
        409,
      ),
    );
    expect(await call(server)).toMatchObject({
      status: 502,
      body: { code: 'SERVER_UNREACHABLE', details: { mcpError: { code: 1, message: 'deep' } } },
    });
  });

  test('tools whose names cannot be names', async () => {
    const lenient = await startForTest({ checkResponses: false });
    const tools = '[{"name":{"toString":1},"_meta":{"a":1}},{"name":"__proto__","_meta":{"b":1}}]';
    const url = await serve((exchange) =>
      exchange.rpc?.method === 'tools/list'
        ? sendText(exchange, `{"jsonrpc":"2.0","id":${exchange.rpc.id},"result":{"tools":${tools}}}`)
        : answerLegacy(exchange),
    );
    const { status, text } = await (await saveServer(lenient, { url })).post('doctor');
    expect(status).toBe(200);
    expect(text).toContain('"toolsMetadata":{"__proto__":{"b":1}}');
  });

  test.each([undefined, '2025-06-18', '2026-07-28'])(
    'revisions that are no text, asked for %s',
    async (mcpProtocolVersion) => {
      const url = await serve(({ response, rpc }) => {
        const error = { code: -32022, message: 'no', data: { supported: [{ toString: 1 }, '2020-01-01'] } };
        sendJson(response, { jsonrpc: '2.0', id: rpc?.id, error }, 400);
      });
      const server = await saveServer(service, { url });
      const options = mcpProtocolVersion === undefined ? {} : { mcpProtocolVersion };
      expect(await server.post('tools', options)).toMatchObject({
        status: 502,
        body: { message: expect.stringMatching(/^The server does not support/) },
      });
      expect((await server.post('doctor', options)).status).toBe(200);
    },
  );

  test('an id that is a text', async () => {
    const server = await twisted('tools/call', ({ response, rpc }) =>
      sendJson(response, { jsonrpc: '2.0', id: String(rpc?.id), result: { content: [], extra: 1 } }),
    );
    expect(await call(server)).toMatchObject({ status: 200, body: { content: [], extra: 1 } });
  });
});

test.each([
  ['an error', (text: string) => `"error":{"code":1,"message":"${text}"}`],
  [
    'a result',
    (text: string) =>
      `"result":{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"${text}":5}}}]}`,
  ],
])('megabytes of escapes in %s keep nobody waiting', async (_, made) => {
  const content = made('%2541'.repeat(1_000_000));
  const server = await twisted(
    'tools/list',
    (exchange) => sendText(exchange, `{"jsonrpc":"2.0","id":${exchange.rpc?.id},${content}}`),
    { headers: { 'x-key': 'a secret of some length' } },
  );
  await call(server);
  const longest = await maxTurn(async () => {
    await server.post('doctor', { firstPageOnly: true });
  });
  expect(longest).toBeLessThan(scaled(1000));
});

test('a megabyte of escapes in a handshake is looked through in turns', async () => {
  const instructions = '%2541'.repeat(190_000);
  const url = await serve((exchange) =>
    exchange.rpc?.method === 'initialize'
      ? sendResult(exchange, { ...initializeResult(), instructions })
      : answerLegacy(exchange),
  );
  const server = await saveServer(service, { url, headers: { 'x-key': 'a secret of some length' } });
  const longest = await maxTurn(async () => {
    expect(await server.post('doctor')).toMatchObject({ status: 200, body: { initInfo: { instructions } } });
  });
  expect(longest).toBeLessThan(scaled(400));
});

test.each(['\\u0000', '\\ud800'])(
  'a connection request says what the server said, with %s in it',
  async (odd) => {
    const url = await serve((exchange) =>
      sendText(
        exchange,
        `{"jsonrpc":"2.0","id":${JSON.stringify(exchange.rpc?.id)},"error":{"code":-32000,"message":"a${odd}b"}}`,
      ),
    );
    await saveServer(service, { url });
    const { body } = await service.post('/server-connections', { url });
    const path = `/server-connections/${body.connectionRequestId as string}`;
    await expect.poll(async () => (await service.get(path)).body.status).toBe('failed');
    expect((await service.get(path)).body.error.message).toContain('a\ufffdb');
  },
);

test.each(['is too much', 'breaks off'])(
  'an answer over HTTP+SSE that %s is an error at once',
  async (how) => {
    let stream: ServerResponse | undefined;
    const url = await serve(({ request, response, rpc, path }) => {
      if (request.method === 'GET') {
        stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
        return void stream.write('event: endpoint\ndata: /post\n\n');
      }
      if (path !== '/post') return void response.writeHead(405).end();
      response.writeHead(202).end();
      const answer = (text: string) =>
        stream?.write(`data: {"jsonrpc":"2.0","id":${rpc?.id},"result":${text}}\n\n`);
      if (rpc?.method === 'initialize') answer(JSON.stringify(initializeResult()));
      else if (rpc?.method === 'tools/call' && how === 'breaks off') stream?.destroy();
      else if (rpc?.method === 'tools/call') answer(`{"content":[${'[],'.repeat(200_000)}[]]}`);
    });
    const server = await saveServer(service, { url, timeout: 20_000 });
    expect(await call(server)).toMatchObject({ status: 502, body: { code: 'SERVER_UNREACHABLE' } });
  },
);

describe('on a shared connection', () => {
  test('nobody pays for the answers of others', async () => {
    const text = 'x'.repeat(2_000_000);
    let release = (): void => {};
    const all = new Promise<void>((resolve) => (release = resolve));
    let asked = 0;
    const server = await twisted('tools/call', async ({ response, rpc }) => {
      if (++asked === 35) release();
      await all;
      sendJson(response, { jsonrpc: '2.0', id: rpc?.id, result: { content: [{ type: 'text', text }] } });
    });
    const answers = await Promise.all(Array.from({ length: 35 }, () => call(server)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('a caller who hangs up leaves no stream open', async () => {
    let open = 0;
    const server = await twisted('tools/call', ({ response }) => {
      open++;
      response.on('close', () => open--);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 1\ndata:\n\n');
    });
    expect((await server.post('tools')).status).toBe(200);
    for (let round = 0; round < 3; round++) {
      const hangUp = hangUpOn(server, 'tools/call', { toolName: 'any' });
      await expect.poll(() => open).toBe(1);
      await hangUp();
      await expect.poll(() => open).toBe(0);
    }
  });
});

test('a caller who hangs up between two large pages leaves nothing held', async () => {
  const description = 'x'.repeat(300_000);
  let pages = 0;
  const server = await twisted('tools/list', ({ response, rpc }) => {
    pages++;
    if (rpc?.params?.cursor !== undefined) return;
    const tools = [{ name: 'a', description, inputSchema: { type: 'object' } }];
    sendJson(response, { jsonrpc: '2.0', id: rpc?.id, result: { tools, nextCursor: 'more' } });
  });
  const { held } = service.running.services.mcp.outbound;
  const hangUp = hangUpOn(server, 'export', {});
  await expect.poll(() => pages).toBe(2);
  expect(held.now).toBeGreaterThan(300_000);
  await hangUp();
  await expect.poll(() => held.now).toBe(0);
});

test('a command that reads nothing is given up when too much waits for it', async () => {
  const script = 'setInterval(() => {}, 1000)';
  const line = new StdioTransport(
    { kind: 'stdio', command: process.execPath, args: ['-e', script], env: {} },
    { pace: new ConnectionPacers().create('us'), confinement: service.running.services.confinement },
  );
  onTestFinished(() => line.close());
  await line.start();
  const message = { jsonrpc: '2.0' as const, method: 'notifications/x', params: { text: 'x'.repeat(1e6) } };
  const sent = Array.from({ length: 20 }, () => line.send(message));
  for (const one of sent) one.catch(() => {});
  await expect(sent.at(-1)).rejects.toThrow('does not read');
});

test('a command that floods stderr is read no faster than one that floods stdout', async () => {
  const script = `require('node:readline').createInterface(process.stdin).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const say = (answer) => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    let written = 0;
    const block = Buffer.alloc(65536, 120);
    const flood = () => process.stderr.write(block, () => ((written += block.length), flood()));
    if (method === 'initialize') say({ result: ${JSON.stringify(initializeResult())} });
    else if (method === 'server/discover') say({ error: { code: -32601, message: 'no' } });
    else if (method === 'tools/call') {
      flood();
      setTimeout(() => say({ result: { content: [], written } }), 3000);
    }
  });`;
  const server = await saveServer(service, { command: process.execPath, args: ['-e', script] });
  const { status, body } = await call(server);
  expect(status).toBe(200);
  // 600 at once and 250 a second, of 64 KiB each, and what fits into the pipe.
  expect(body.written).toBeLessThan(1_600 * 65_536);
});

describe('an authorization server', () => {
  /** A server whose tokens are refused until they are refreshed. */
  async function refreshing(answer: (form: URLSearchParams) => [object, number?]): Promise<SavedServer> {
    const { port, stop } = await listen(async (request, response) => {
      const origin = `http://${request.headers.host}`;
      const { body, rpc } = await readRpc(request);
      const path = request.url ?? '/';
      if (path.startsWith('/.well-known/oauth-protected-resource'))
        return sendJson(response, { resource: `${origin}/mcp`, authorization_servers: [origin] });
      if (path.startsWith('/.well-known/oauth-authorization-server'))
        return sendJson(response, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          response_types_supported: ['code'],
          token_endpoint_auth_methods_supported: ['client_secret_post'],
        });
      if (path === '/token') return sendJson(response, ...answer(new URLSearchParams(body)));
      if (request.headers.authorization === 'Bearer fresh')
        return answerLegacy({ request, response, rpc, path, origin });
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    });
    onTestFinished(stop);
    const url = `http://127.0.0.1:${port}/mcp`;
    const server = await saveServer(service, { url, useOAuth: true });
    const imported = await server.post('oauth/import-tokens', {
      serverUrl: url,
      clientInformation: { clientId: 'client', clientSecret: 'the_client_secret' },
      tokens: { access_token: 'stale', refresh_token: 'the_refresh_token' },
    });
    expect(imported.status).toBe(200);
    return server;
  }

  test.each(['client_secret', 'refresh_token'])('that repeats the %s is not quoted', async (field) => {
    const logged = service.logs.length;
    const server = await refreshing((form) => [
      { error: form.get(field), error_description: form.get(field) },
      400,
    ]);
    const answers = [await call(server), await server.post('doctor'), await server.post('validate')];
    const said = [...answers.map(({ text }) => text), ...service.logs.slice(logged)].join();
    expect(said).toContain('The token could not be refreshed');
    expect(said).not.toMatch(/the_(client_secret|refresh_token)/);
  });

  test.each([
    { expires_in: 1e300 },
    { expires_in: -1e300 },
    { expires_in: 3599.99999 },
    { scope: 'a\u0000b' },
  ])('that answers with %j costs nobody the new tokens', async (odd) => {
    const server = await refreshing(() => [
      { access_token: 'fresh', token_type: 'Bearer', refresh_token: 'next', ...odd },
    ]);
    expect((await call(server)).status).toBe(200);
  });
});
