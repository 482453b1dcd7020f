// @module-tag long
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { closeCodes, withCredit, withoutCredit } from '../src/tunnels/wire.ts';
import { startTestService, type TestService } from './support/service.ts';
import { type Grant, type Holder, hold, holdAsBefore, openTunnel } from './support/tunnels.ts';

let service: TestService;
let project: string;

beforeAll(async () => {
  service = await startTestService();
  project = await service.defaultProject();
});
afterAll(() => service.stop());

/** A server on this machine that ends with the test. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

let count = 0;
/** A tunnel that a client holds open, to a server. */
async function tunnelTo(target: string, by: typeof hold): Promise<{ grant: Grant; holder: Holder }> {
  const grant = await openTunnel(service, project, `laptop ${++count}`);
  const holder = by(grant, target);
  onTestFinished(() => holder.stop());
  await holder.greeted();
  return { grant, holder };
}

const clients = [
  [withCredit, hold],
  [withoutCredit, holdAsBefore],
] as const;

describe.each(clients)('by %s', (protocol, by) => {
  test('the saved server is operated as any other, and others reach it at its address', async () => {
    const { grant, holder } = await tunnelTo(await service.demoUrl(), by);
    expect(holder.events).toContainEqual({ type: 'connected', protocol });
    const server = `/projects/${project}/servers/${grant.serverId}`;
    expect((await service.post(`${server}/validate`, {})).body).toMatchObject({ status: 'connected' });
    expect((await service.post(`${server}/doctor`, {})).body).toMatchObject({ status: 'ready' });
    const called = await service.post(`${server}/tools/call`, { toolName: 'list_ships', parameters: {} });
    expect(called.status).toBe(200);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(grant.url)));
    expect((await client.listTools()).tools.length).toBeGreaterThan(2);
    await client.close();
    const { items } = (await service.get(`/projects/${project}/tunnels`)).body;
    expect(items).toContainEqual(
      expect.objectContaining({ serverId: grant.serverId, status: 'connected', protocol }),
    );
  });

  test('200 requests at once, each with its own answer', async () => {
    const target = await serve((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => response.end(`heard ${text}`));
    });
    const { grant } = await tunnelTo(target, by);
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const body = `${i} ${'x'.repeat(i * 500)}`;
        const response = await fetch(grant.url, { method: 'POST', body });
        const text = await response.text();
        return text === `heard ${body}` || `${response.status} ${text.slice(0, 200)}`;
      }),
    );
    expect(answers).toEqual(answers.map(() => true));
  });
});

const mebibyte = 1024 * 1024;

/** A server that sends so many bytes as fast as they are read; `sent` counts them. */
async function fountain(bytes: number): Promise<{ url: string; sent: () => number }> {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  let sent = 0;
  const url = await serve((_request, response) => {
    const more = (): void => {
      while (sent < bytes && !response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  return { url, sent: () => sent };
}

async function drink(response: Response, sip: () => Promise<void> = async () => {}): Promise<number> {
  let size = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    await sip();
  }
  return size;
}

describe('what is large or slow', () => {
  test('100 MB go through in both directions with memory that stays flat', { tags: ['long'] }, async () => {
    const size = 100 * mebibyte;
    const { url } = await fountain(size);
    const { grant } = await tunnelTo(url, hold);
    const before = process.memoryUsage.rss();
    let most = 0;
    const sip = async (): Promise<void> => void (most = Math.max(most, process.memoryUsage.rss() - before));
    expect(await drink(await fetch(grant.url), sip)).toBe(size);
    let arrived = 0;
    const sink = await serve((request, response) => {
      request.on('data', (chunk: Buffer) => (arrived += chunk.length));
      request.on('end', () => response.end());
    });
    const upload = await tunnelTo(sink, hold);
    const body = async function* () {
      for (let sent = 0; sent < size; sent += mebibyte) {
        yield Buffer.alloc(mebibyte);
        await sip();
      }
    };
    const response = await fetch(upload.grant.url, {
      method: 'POST',
      body: body(),
      duplex: 'half',
    });
    expect(response.status).toBe(200);
    expect(arrived).toBe(size);
    // Client, service, caller and server are all in this process.
    expect(most).toBeLessThan(size);
  });

  test('a reader that does not read holds up nothing but itself, and costs a window', async () => {
    const slow = await fountain(64 * mebibyte);
    const { grant } = await tunnelTo(slow.url, hold);
    const response = await fetch(grant.url);
    // Without a reader, only the sockets and the window hold data in transit.
    await expect.poll(() => slow.sent()).toBeGreaterThan(mebibyte);
    const quick = await fetch(grant.url.replace('/mcp?', '/other?'));
    await quick.body?.cancel();
    expect(quick.status).toBe(200);
    expect(slow.sent()).toBeLessThan(32 * mebibyte);
    await response.body?.cancel();
  });

  test('without credit such an answer is broken off, and others go on', async () => {
    const { url } = await fountain(64 * mebibyte);
    const { grant } = await tunnelTo(url, holdAsBefore);
    const response = await fetch(grant.url);
    await expect(drink(response, () => new Promise((resolve) => setTimeout(resolve, 50)))).rejects.toThrow();
    expect((await fetch(grant.url, { method: 'HEAD' })).status).toBe(200);
  });

  test('events arrive one by one, for as long as they come, and whoever hangs up is known behind the tunnel', async () => {
    let write = (_text: string): void => {};
    let gone = false;
    const target = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.write(': hello\n\n');
      write = (text) => response.write(text);
      response.on('close', () => (gone = true));
    });
    const { grant } = await tunnelTo(target, hold);
    const caller = new AbortController();
    const response = await fetch(grant.url, { signal: caller.signal });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const next = async (): Promise<string> => Buffer.from((await reader.read()).value ?? []).toString();
    expect(await next()).toBe(': hello\n\n');
    for (let i = 0; i < 20; i++) {
      write(`data: ${i}\n\n`);
      expect(await next()).toBe(`data: ${i}\n\n`);
    }
    caller.abort();
    await expect.poll(() => gone).toBe(true);
  });
});

test('a server behind a tunnel gets nothing of whoever is signed in, and no page of it runs', async () => {
  let heard: Record<string, unknown> = {};
  const target = await serve((request, response) => {
    heard = request.headers;
    response.writeHead(200, {
      'content-type': 'text/html',
      'set-cookie': ['drydock_session=mine', 'b=c'],
      'clear-site-data': '"*"',
      'x-content-type-options': 'x, nosniff',
      refresh: '0;url=https://elsewhere.example.com',
      link: '<https://elsewhere.example.com>; rel=preconnect',
      'www-authenticate': ['Bearer', 'Basic realm="Drydock"'],
      'content-security-policy': "script-src 'self'",
    });
    response.end('<script>fetch("/console/api/me")</script>');
  });
  const { grant } = await tunnelTo(target, hold);
  const headers = {
    cookie: 'drydock_session=secret',
    'x-forwarded-host': 'evil',
    authorization: 'Bearer its own',
  };
  const answer = await fetch(grant.url, { headers });
  expect(heard).toMatchObject({
    authorization: 'Bearer its own',
    'x-forwarded-host': new URL(service.origin).host,
  });
  expect(heard).not.toHaveProperty('cookie');
  expect(answer.headers.getSetCookie()).toEqual([]);
  for (const name of ['clear-site-data', 'refresh', 'link']) expect(answer.headers.get(name)).toBeNull();
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  expect(answer.headers.get('content-security-policy')).toBe('sandbox');
});

test('headers that cannot be sent are an answer that says so, and hold nothing', async () => {
  const { grant } = await tunnelTo(await service.demoUrl(), hold);
  const socket = new WebSocket(grant.relayWsUrl, withCredit, {
    headers: { authorization: `Bearer ${grant.connectToken}` },
  });
  onTestFinished(() => socket.terminate());
  const aborted = new Promise((resolve) => {
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as { t: string; id: number };
      if (frame.t === 'req')
        socket.send(JSON.stringify({ t: 'res', id: frame.id, status: 200, headers: [['x-y', 'a\r\nb']] }));
      if (frame.t === 'abort') resolve(frame);
      if (frame.t === 'hello') greeted();
    });
  });
  let greeted = (): void => {};
  await new Promise<void>((resolve) => (greeted = resolve));
  expect((await fetch(grant.url)).status).toBe(502);
  expect(await aborted).toMatchObject({ code: 'client_gone' });
});

test('a client that floods the service is cut off', async () => {
  const grant = await openTunnel(service, project, 'flooding');
  const socket = new WebSocket(grant.relayWsUrl, withCredit, {
    headers: { authorization: `Bearer ${grant.connectToken}` },
  });
  const ended = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('message', resolve));
  socket.on('error', () => {});
  const frame = JSON.stringify({ t: 'credit', id: 1, bytes: 1, more: 'x'.repeat(10_000) });
  while (socket.readyState === socket.OPEN)
    await new Promise((resolve) => {
      for (let i = 0; i < 100; i++) socket.send(frame, i === 99 ? resolve : undefined);
    });
  expect(await ended).toBe(1006);
});

describe('who holds it', () => {
  test('nobody: requests say what to do, at the address and in operations', async () => {
    const grant = await openTunnel(service, project, 'nobody there');
    const answer = await fetch(grant.url);
    expect([answer.status, await answer.json()]).toEqual([
      502,
      {
        code: 'SERVER_UNREACHABLE',
        message: 'The tunnel is not connected. Run drydock tunnel on the machine of the server',
        details: { reason: 'TUNNEL_OFFLINE' },
      },
    ]);
    const tools = `/projects/${project}/servers/${grant.serverId}/tools`;
    expect((await service.post(tools, {})).body).toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: expect.stringContaining('Run drydock tunnel'),
    });
  });

  test('wrong secrets open nothing, and the right one is nowhere to be read', async () => {
    const { grant } = await tunnelTo(await service.demoUrl(), hold);
    const { slug, url } = grant;
    for (const wrong of [
      url.replace(/k=.*/, 'k=x'),
      url.replace(/\?k=.*/, ''),
      url.replace(/\?k=(.*)/, '?k=$1&k=$1'),
      url.replace(slug, 'a'.repeat(20)),
    ])
      expect((await fetch(wrong)).status).toBe(404);
    const secret = new URL(url).searchParams.get('k') as string;
    const database = await service.database.connect();
    onTestFinished(() => database.end());
    const seen = [
      (await service.get(`/projects/${project}/servers`)).text,
      (await service.get(`/projects/${project}/tunnels`)).text,
      JSON.stringify((await database.query('select to_jsonb(t) from tunnels t')).rows),
      JSON.stringify((await database.query('select to_jsonb(s) from servers s')).rows),
      ...service.logs,
    ].join('\n');
    expect(seen).toContain(slug);
    expect(seen).not.toContain(secret);
    expect(seen).not.toContain(grant.connectToken);
  });

  test('a wrong token is told so; of two clients the second has it; a new token ends both', async () => {
    const target = await service.demoUrl();
    const { grant, holder } = await tunnelTo(target, hold);
    expect(await hold({ ...grant, connectToken: 'wrong' }, target).ended).toBe(closeCodes.badToken);
    const second = hold(grant, target);
    onTestFinished(() => second.stop());
    await second.greeted();
    expect(await holder.ended).toBe(closeCodes.replaced);
    const name = `laptop ${count}`;
    const again = await openTunnel(service, project, name);
    expect(await second.ended).toBe(closeCodes.withdrawn);
    expect(again).toMatchObject({
      existed: true,
      slug: grant.slug,
      serverId: grant.serverId,
      secretVersion: 2,
    });
    expect((await fetch(grant.url)).status).toBe(404);
    const third = hold(again, target);
    onTestFinished(() => third.stop());
    await third.greeted();
    const closed = await service.post(`/projects/${project}/tunnels/${grant.serverId}/close`);
    expect(closed.body).toEqual({ serverId: grant.serverId, status: 'closed' });
    expect(await third.ended).toBe(closeCodes.withdrawn);
    expect(await hold(again, target).ended).toBe(closeCodes.badToken);
    expect((await fetch(again.url)).status).toBe(404);
  });

  test('a client that goes while its token is looked up leaves nothing behind', async () => {
    const grant = await openTunnel(service, project, 'short');
    const database = await service.database.connect();
    onTestFinished(() => database.end());
    await database.query('begin');
    await database.query('select from tunnels where slug = $1 for update', [grant.slug]);
    const socket = new WebSocket(grant.relayWsUrl, withCredit, {
      headers: { authorization: `Bearer ${grant.connectToken}` },
    });
    await new Promise((resolve) => socket.once('open', resolve));
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await expect.poll(async () => (await database.query(waiting)).rowCount).toBe(1);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.terminate();
    await closed;
    await database.query('commit');
    const state = async () => {
      const { items } = (await service.get(`/projects/${project}/tunnels`)).body;
      return items.find(({ slug }: { slug: string }) => slug === grant.slug);
    };
    await expect.poll(state).toMatchObject({ status: 'waiting', disconnectedAt: expect.any(Number) });
  });

  test('a server that is deleted takes its tunnel with it', async () => {
    const { grant, holder } = await tunnelTo(await service.demoUrl(), hold);
    await service.delete(`/projects/${project}/servers/${grant.serverId}`);
    expect(await holder.ended).toBe(closeCodes.withdrawn);
  });
});
