// @module-tag long
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newId } from '../src/platform/ids.ts';
import { saveServer } from './support/live.ts';
import { processesWith } from './support/processes-with.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';
import { scaled } from './support/slowdown.ts';
import { type Hostile, startHostile } from './targets/hostile.ts';
import { answerLegacy, type Exchange, initializeResult, sendError, sendResult } from './targets/legacy.ts';
import { listen, readRpc } from './targets/listen.ts';

let service: TestService;
let hostile: Hostile;
let healthy: Saved;

beforeAll(async () => {
  service = await startTestService();
  hostile = await startHostile();
  healthy = await saved({ url: await service.demoUrl() });
});

afterAll(async () => {
  await dispose(service);
  await hostile?.stop();
});

interface Saved {
  path: string;
  ask: (operation: string, body?: object) => Promise<Answer>;
  call(parameters?: object): Promise<Answer>;
}

async function saved(settings: object): Promise<Saved> {
  const server = await saveServer(service, settings);
  const ask: Saved['ask'] = (operation, body) => server.post(operation, body);
  return {
    path: server.path,
    ask,
    call: (parameters = {}) => ask('tools/call', { toolName: 'any', parameters }),
  };
}

async function timed<T>(work: Promise<T>): Promise<{ answer: T; took: number }> {
  const started = performance.now();
  const answer = await work;
  return { answer, took: performance.now() - started };
}

/** A target server with these answers. */
async function serve(answer: (exchange: Exchange) => void | Promise<void>): Promise<string> {
  const { port, stop } = await listen(async (request, response) => {
    const { rpc } = await readRpc(request);
    const path = request.url ?? '/';
    await answer({ request, response, rpc, path, origin: `http://${request.headers.host}` });
  });
  onTestFinished(stop);
  return `http://127.0.0.1:${port}`;
}

describe('a server that hangs', () => {
  test('after initialize is given up at the deadline', async () => {
    const server = await saved({ url: hostile.url('/hang-later'), timeout: 600 });
    const { answer, took } = await timed(server.call());
    expect(answer).toMatchObject({ status: 504, body: { code: 'TIMEOUT', details: { cause: 'timeout' } } });
    expect(took).toBeGreaterThan(550);
    expect(took).toBeLessThan(scaled(3000));
    const other = await timed(healthy.ask('tools'));
    expect(other.answer.status).toBe(200);
    expect(other.took).toBeLessThan(scaled(3000));
  });

  test('and recovers is used again', async () => {
    let stuck = true;
    const url = await serve((exchange) =>
      stuck && exchange.rpc?.method === 'tools/call' ? new Promise(() => {}) : answerLegacy(exchange),
    );
    const server = await saved({ url, timeout: 600 });
    expect((await server.ask('tools')).status).toBe(200);
    expect((await server.call()).status).toBe(504);
    stuck = false;
    const { answer, took } = await timed(server.call());
    expect(answer).toMatchObject({ status: 200, body: { content: [{ text: 'done' }] } });
    expect(took).toBeLessThan(scaled(500));
  });

  test('in one call goes on with the others', async () => {
    const url = await serve(async (exchange) => {
      const wait = (exchange.rpc?.params?.arguments as { wait?: number } | undefined)?.wait ?? 0;
      if (wait > 0) await delay(wait, undefined, { ref: false });
      answerLegacy(exchange);
    });
    const server = await saved({ url, timeout: 3_000 });
    const stuck = server.call({ wait: 60_000 });
    await delay(1_500);
    // This call begins on the connection that is abandoned in the meantime.
    const slow = server.call({ wait: 2_000 });
    expect((await server.call()).status).toBe(200);
    expect((await stuck).status).toBe(504);
    expect((await slow).status).toBe(200);
  });

  test('while it is being connected to does not shorten the time of those who come later', async () => {
    let initialized = 0;
    const url = await serve((exchange) =>
      exchange.rpc?.method === 'initialize' && ++initialized === 1
        ? new Promise(() => {})
        : answerLegacy(exchange),
    );
    const server = await saved({ url, timeout: 1200 });
    const first = server.call();
    await delay(800);
    const second = server.call();
    expect((await first).status).toBe(504);
    expect((await second).status).toBe(200);
  });

  test('fifty times does not stop calls to another', async () => {
    const server = await saved({ url: hostile.url('/hang-later'), timeout: 2500 });
    const before = hostile.seen.length;
    const stuck = Promise.all(Array.from({ length: 50 }, () => server.call()));
    await expect
      .poll(() => hostile.seen.slice(before).filter(({ rpc }) => rpc === 'tools/call').length)
      .toBe(50);
    const { answer, took } = await timed(Promise.all(Array.from({ length: 5 }, () => healthy.ask('tools'))));
    expect(answer.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(took).toBeLessThan(scaled(1500));
    expect(new Set((await stuck).map(({ status }) => status))).toEqual(new Set([504]));
  });

  test('is reported by doctor as far as it came', async () => {
    const server = await saved({ url: hostile.url('/hang-later'), timeout: 1000 });
    const { answer, took } = await timed(server.ask('doctor'));
    expect(took).toBeLessThan(scaled(4000));
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'partial', connection: { status: 'connected' } },
    });
    expect(answer.body.checks.tools).toEqual({
      status: 'error',
      detail: expect.stringMatching(/^tools\/list failed: .*did not answer.*increase its `timeout`/),
    });
  });
});

describe('answers that do not end', () => {
  test.each([
    ['/drip', 'validate'],
    ['/drip', 'tools/call'],
    ['/notify-flood', 'tools/call'],
  ])('%s of %s is given up at the deadline', async (path, operation) => {
    const server = await saved({ url: hostile.url(path), timeout: 1000 });
    const { answer, took } = await timed(server.ask(operation, { toolName: 'any' }));
    expect(answer).toMatchObject({ status: 504, body: { code: 'TIMEOUT' } });
    expect(took).toBeGreaterThan(900);
    expect(took).toBeLessThan(scaled(4000));
    expect((await timed(healthy.ask('tools'))).took).toBeLessThan(scaled(2000));
  });

  test('a flood leaves room for others while it lasts', async () => {
    const server = await saved({ url: hostile.url('/notify-flood'), timeout: 4000 });
    const order: string[] = [];
    const flooded = server.call().finally(() => order.push('flooded'));
    await delay(300);
    const other = healthy.ask('tools').finally(() => order.push('other'));
    expect((await flooded).status).toBe(504);
    expect((await other).status).toBe(200);
    expect(order).toEqual(['other', 'flooded']);
  });

  test('a stream that ends without the answer is an error at once', async () => {
    const server = await saved({ url: hostile.url('/cut-stream'), timeout: 20_000 });
    const { answer, took } = await timed(server.call());
    expect(answer).toMatchObject({
      status: 502,
      body: { code: 'SERVER_UNREACHABLE', message: 'The server ended the stream without an answer' },
    });
    expect(took).toBeLessThan(scaled(3000));
    expect((await server.ask('tools')).status).toBe(200);
  });

  test('pages without end are an error of the check', async () => {
    const server = await saved({ url: hostile.url('/loop-cursor') });
    const { body } = await server.ask('doctor');
    expect(body.status).toBe('partial');
    expect(body.checks.tools.detail).toContain('tools/list repeats a cursor, so its pages have no end');
  });
});

describe('too much', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const held = (): number => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return (heapUsed + arrayBuffers) / 1024 / 1024;
  };

  const heldAfterCollection = (): number => {
    collect();
    return held();
  };

  test.each([
    ['/huge', 'tools/call', /more than 32 MiB; the answer was cut off/],
    ['/huge-first', 'validate', /more than 32 MiB; the answer was cut off/],
    ['/huge-sse', 'tools', /more than 32 MiB; the answer was cut off/],
    ['/gzip-bomb', 'validate', /compressed its answer \(gzip\)/],
    ['/gzip-bomb-later', 'tools/call', /compressed its answer \(gzip\)/],
  ])('%s in %s is refused and leaves nothing behind', async (path, operation, message) => {
    const server = await saved({ url: hostile.url(path) });
    const before = heldAfterCollection();
    let peak = before;
    const sampler = setInterval(() => (peak = Math.max(peak, held())), 5);
    onTestFinished(() => clearInterval(sampler));
    for (let round = 0; round < 2; round++) {
      const { answer, took } = await timed(server.ask(operation, { toolName: 'any' }));
      expect(answer).toMatchObject({
        status: 502,
        body: { code: 'SERVER_UNREACHABLE', message: expect.stringMatching(message) },
      });
      expect(took).toBeLessThan(scaled(8000));
    }
    expect(peak - before).toBeLessThan(400);
    // Soon, not at once: the connections are still being closed.
    await expect.poll(() => heldAfterCollection() - before).toBeLessThan(50);
    expect((await healthy.ask('tools')).status).toBe(200);
  });

  test.each([
    [
      'headers',
      () => ({ url: hostile.url('/big-headers') }),
      /answered with more headers than are accepted/,
      /header/,
    ],
    ['compression', () => ({ url: hostile.url('/gzip-bomb') }), /compressed/, /compress/],
  ])('doctor gives fitting advice about %s', async (_, settings, message, advice) => {
    const server = await saved(settings());
    expect((await server.ask('validate')).body.message).toMatch(message);
    const { detail } = (await server.ask('doctor')).body.checks.connection as { detail: string };
    const [, next] = /^.*?[^.\d]\. (.*)$/.exec(detail) ?? [];
    expect(next).toMatch(advice);
  });

  test('a command that writes without end is stopped', async () => {
    const script = `
      const much = 'x'.repeat(1 << 20);
      const more = () => process.stdout.write(much, more);
      more();`;
    const mark = newId('mark');
    const server = await saved({ command: process.execPath, args: ['-e', script, mark], timeout: 3000 });
    const asked = timed(server.ask('validate'));
    await expect.poll(() => processesWith(mark)).not.toEqual([]);
    const { answer, took } = await asked;
    expect(answer.status).toBeGreaterThan(500);
    expect(took).toBeLessThan(scaled(6000));
    await expect.poll(() => processesWith(mark)).toEqual([]);
  });
});

test('redirects in a circle come to an end', async () => {
  const server = await saved({ url: hostile.url('/redirect-loop') });
  const asked = () => hostile.seen.filter(({ path }) => path === '/redirect-loop').length;
  const { answer, took } = await timed(server.call());
  expect(answer.status).toBe(502);
  expect(took).toBeLessThan(scaled(3000));
  expect(asked()).toBeGreaterThan(1);
  expect(asked()).toBeLessThan(60);
});

test('redirects that stay on the server are followed, by doctor too', async () => {
  const url = await serve((exchange) => {
    if (exchange.path === '/mcp/') answerLegacy(exchange);
    else exchange.response.writeHead(307, { location: '/mcp/' }).end();
  });
  const server = await saved({ url: `${url}/mcp` });
  expect((await server.call()).status).toBe(200);
  const { body } = await server.ask('doctor');
  expect(body.checks.probe).toEqual({ status: 'ok', detail: expect.stringContaining('2025-11-25') });
  expect(body.status).toBe('ready');
});

describe('a caller who hangs up', () => {
  const heard = (path: string) => hostile.seen.filter((seen) => seen.path === path);

  test('ends the call at the server', async () => {
    const server = await saved({ url: hostile.url('/odd') });
    const stop = new AbortController();
    const call = fetch(`${service.running.baseUrl}${server.path}/tools/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ toolName: 'slow' }),
      signal: stop.signal,
    });
    const slow = () => heard('/odd').find(({ params }) => params?.name === 'slow');
    await expect.poll(slow).toBeDefined();
    stop.abort();
    await expect(call).rejects.toThrow('abort');
    const cancelled = () => heard('/odd').find(({ rpc }) => rpc === 'notifications/cancelled');
    await expect.poll(cancelled).toBeDefined();
    expect(cancelled()?.params).toMatchObject({ requestId: slow()?.id });
    const session = slow()?.headers['mcp-session-id'];
    const again = await server.ask('tools/call', { toolName: 'echo', parameters: { still: 'here' } });
    expect(again).toMatchObject({ status: 200, body: { structuredContent: { input: { still: 'here' } } } });
    // The connection stays open, because other callers may use it.
    expect(heard('/odd').at(-1)?.headers['mcp-session-id']).toBe(session);
  });

  test('and a server that forgets its sessions are no trouble to the next', async () => {
    const server = await saved({ url: hostile.url('/odd') });
    expect((await server.ask('tools')).status).toBe(200);
    hostile.forgetSessions();
    expect((await server.ask('tools')).status).toBe(200);
  });
});

describe('secrets that a target repeats', () => {
  // A marker whose parts of eight characters occur nowhere else.
  const marker = 'mk7Qx2LruV9dWs4ThJ6nBp3Y';
  const parts = [marker.slice(0, 8), marker.slice(8, 16), marker.slice(-8)];

  /** The first leak of the secret, with the text around it. */
  function leaksIn(text: string): string[] {
    const found = parts.map((part) => text.indexOf(part)).filter((index) => index !== -1);
    return found.slice(0, 1).map((index) => text.slice(Math.max(0, index - 60), index + 40));
  }

  async function expectSilence(server: Saved, options: object = {}): Promise<string[]> {
    const logged = service.logs.length;
    const leaks: Record<string, string[]> = {};
    const answers: string[] = [];
    for (const operation of ['validate', 'doctor', 'tools', 'tools/call', 'export']) {
      const { text } = await server.ask(operation, { toolName: 'any', ...options });
      answers.push(text);
      leaks[operation] = leaksIn(text);
    }
    const log = leaksIn(service.logs.slice(logged).join('\n'));
    expect({ ...leaks, log }).toEqual({
      validate: [],
      doctor: [],
      tools: [],
      'tools/call': [],
      export: [],
      log: [],
    });
    return answers;
  }

  const echoes: Record<string, (exchange: Exchange, secret: string) => void> = {
    ...Object.fromEntries(
      [200, 400, 404, 422].map((status) => [
        `an error with status ${status}`,
        (exchange: Exchange, secret: string) =>
          sendError(exchange, { code: -32000, message: `No ${secret}`, data: { sent: [secret] } }, status),
      ]),
    ),
    'a challenge': ({ response }, secret) =>
      void response.writeHead(401, { 'www-authenticate': `Basic realm="${secret}"` }).end(),
    'a scope': ({ response }, secret) =>
      void response
        .writeHead(403, { 'www-authenticate': `Bearer error="insufficient_scope", scope="${secret}"` })
        .end(),
    'a redirect': ({ response }, secret) =>
      void response.writeHead(307, { location: `http://example.invalid/${secret}/mcp` }).end(),
    'a content type': ({ response }, secret) =>
      void response.writeHead(200, { 'content-type': `text/${secret.replace(' ', '-')}` }).end('hello'),
    'broken JSON': ({ response }, secret) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(secret.replace('Bearer ', '')),
    'a revision': (exchange, secret) =>
      exchange.rpc?.method === 'initialize'
        ? sendResult(exchange, initializeResult(secret))
        : answerLegacy(exchange),
  };

  const cases = Object.keys(echoes).flatMap((where) =>
    ['from the start', 'in a call'].map((when) => [where, when]),
  );

  test.each(cases)('in %s, %s', async (where = '', when = '') => {
    const heard: unknown[] = [];
    const url = await serve((exchange) => {
      const { request, rpc } = exchange;
      const secret = request.headers.authorization ?? '';
      heard.push(secret);
      const wellBehaved = when === 'in a call' && rpc?.method !== 'tools/call';
      if (wellBehaved || request.method !== 'POST') answerLegacy(exchange);
      else echoes[where]?.(exchange, secret);
    });
    await expectSilence(await saved({ url, headers: { Authorization: `Bearer ${marker}` } }));
    await expectSilence(await saved({ url }), { oauthAccessToken: marker });
    const server = await saved({ url, useOAuth: true });
    const tokens = { access_token: marker };
    expect((await server.ask('oauth/import-tokens', { serverUrl: url, tokens })).status).toBe(200);
    await expectSilence(server);
    expect(new Set(heard)).toContain(`Bearer ${marker}`);
  });

  const command = (script: string) => ({
    command: process.execPath,
    args: ['-e', script],
    env: { SECRET: marker },
  });

  test('on stderr', async () => {
    const server = await saved(command('console.error("key: " + process.env.SECRET); process.exit(1)'));
    const [validated] = await expectSilence(server);
    expect(validated).toContain('stderr: key: [hidden]');
  });

  test('on stderr, where what is kept of it begins', async () => {
    const script = 'console.error(process.env.SECRET + "x".repeat(1990)); process.exit(1)';
    const [validated] = await expectSilence(await saved(command(script)));
    expect(validated).toContain('stderr: ');
  });

  test('in an answer of a command', async () => {
    const script = `require('node:readline').createInterface(process.stdin).on('line', (line) => {
      const { id } = JSON.parse(line);
      const error = { code: -32000, message: 'No ' + process.env.SECRET, data: process.env.SECRET };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error }));
    });`;
    const [validated] = await expectSilence(await saved(command(script)));
    expect(validated).toContain('No [hidden]');
  });
});
