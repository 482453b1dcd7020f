import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createDatabase } from './support/database.ts';
import { freePort } from './support/free-port.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let project: string;

beforeAll(async () => {
  service = await startTestService();
  project = await service.defaultProject();
});
afterAll(() => dispose(service));

const malformed = { status: 400, body: { code: 'VALIDATION_ERROR' } };

describe('bodies', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['not JSON', '{', 'Invalid JSON body'],
    ['an array', '[]', 'Request body must be a JSON object'],
    ['a string', '"x"', 'Request body must be a JSON object'],
    ['null', 'null', 'Request body must be a JSON object'],
    ['a key twice', '{"name":"a","name":"b"}', 'the key "name" appears twice'],
    ['a key twice in two spellings', '{"name":"a","n\\u0061me":"b"}', 'the key "name" appears twice'],
    [
      'a key twice with much space',
      `{"name":"a","name"${' '.repeat(500)}:"b"}`,
      'the key "name" appears twice',
    ],
    ['a prototype', '{"__proto__":{"name":"x"}}', '__proto__'],
    ['a nested prototype', '{"name":"a","x":{"__proto__":1}}', '__proto__'],
    ['the constructor', '{"name":"a","constructor":1}', 'constructor'],
    ['100 levels', `{"name":${'['.repeat(100)}${']'.repeat(100)}}`, 'nested deeper than 64'],
    ['100,000 levels', `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'Invalid JSON body'],
    ['NUL', '{"name":"a\\u0000b"}', 'name: May not contain the NUL character'],
    ['NUL in a key', '{"a\\u0000":1}', 'a key is not usable'],
    ['half a surrogate pair', '{"name":"\\ud800"}', 'name: Contains half of a surrogate pair'],
    ['broken UTF-8', new Uint8Array([0x7b, 0x22, 0x6e, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'not UTF-8'],
    ['an unknown key', '{"name":"a","nam":"b"}', 'Unrecognized key: "nam"'],
    ['a missing and an unknown key', '{"nam":"b"}', 'name: Required. Unrecognized key: "nam"'],
    ['a wrong type', '{"name":1}', 'name: '],
    [
      'more than the limit',
      JSON.stringify({ name: 'a', description: 'x'.repeat(1_100_000) }),
      'larger than 1048576 bytes',
    ],
  ])('%s is refused with a message that says why', async (_, body, message) => {
    const answer = await service.post('/projects', body);
    expect(answer).toMatchObject(malformed);
    expect(answer.body.message).toContain(message);
  });

  test.each([
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'json',
  ])('content type %s is refused', async (type) => {
    const answer = await service.request('POST', '/projects', {
      body: '{"name":"a"}',
      headers: { 'content-type': type },
    });
    expect(answer).toMatchObject(malformed);
    expect(answer.body.message).toContain('application/json');
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/problem+json',
  ])('content type %s is taken', async (type) => {
    const answer = await service.request('POST', '/projects', {
      body: '{"name":"a"}',
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(201);
  });

  test('a key may appear again in another object or as a value', async () => {
    const clientCapabilities = { name: 'name', a: [{ name: 1 }, { name: 2 }], 'x"y': { 'x"y': 1 } };
    const answer = await service.post(`/projects/${project}/servers`, {
      name: 'name',
      url: 'https://e.com',
      clientCapabilities,
    });
    expect(answer.status).toBe(201);
  });
});

describe('routes', () => {
  test.each([
    ['GET', '/nothing'],
    ['GET', '/projects/x/y/z'],
    ['PUT', '/projects'],
    ['OPTIONS', '/me'],
  ])('%s %s answers the canonical 404', async (method, path) => {
    const answer = await service.request(method, path);
    expect(answer.status).toBe(404);
    expect(answer.body.code).toBe('NOT_FOUND');
  });

  test('a wrong method is told the right ones', async () => {
    const answer = await service.request('PUT', '/projects');
    expect(answer.body.message).toContain('GET and POST');
    expect(answer.headers.get('allow')).toBe('GET, POST');
  });

  test.each(['/%zz', '/projects/%', '/projects/%ff/servers'])(
    'the malformed URL %s is a canonical 4xx',
    async (path) => {
      const answer = await service.get(path);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.body).toHaveProperty('code');
    },
  );

  test.each(['%00', 'a%00b', '..%2f..', 'a%20b', 'x'.repeat(129), '💥'])(
    'the impossible id %s names nothing',
    async (id) => {
      expect(await service.get(`/projects/${id}/servers`)).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });
    },
  );

  test('every response carries its own request id', async () => {
    const ids = await Promise.all(
      ['/me', '/nothing', '/%zz'].map(async (path) => (await service.get(path)).headers.get('x-request-id')),
    );
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-z]{27,40}$/);
  });

  test('bytes that are not HTTP get a canonical answer', async () => {
    const answer = await raw(service.origin, 'NONSENSE\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"VALIDATION_ERROR"');
    const huge = await raw(service.origin, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`);
    expect(huge).toContain('headers are too large');
  });
});

describe('pages', () => {
  test('a list walks through all items once, in a stable order', async () => {
    const {
      body: { id },
    } = await service.post('/projects', { name: 'Paged' });
    const names = Array.from({ length: 25 }, (_, i) => `server ${i}`);
    for (const name of names) await service.post(`/projects/${id}/servers`, { name, url: 'https://e.com' });
    const whole = (await service.get(`/projects/${id}/servers`)).body;
    expect(whole.items.map((item: { name: string }) => item.name)).toEqual(names);
    expect(whole).not.toHaveProperty('nextCursor');
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await service.get(`/projects/${id}/servers?limit=10${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.items.map((item: { name: string }) => item.name));
      cursor = body.nextCursor ?? '';
    } while (cursor);
    expect(seen).toEqual(names);
  });

  test('without a limit a look-up list returns up to 1,000 rows in one page', async () => {
    const {
      body: { id },
    } = await service.post('/projects', { name: 'Large' });
    const client = await service.database.connect();
    await client.query(
      `insert into servers (id, project_id, name, name_key, enabled, transport_type, url, settings)
       select 'srv_' || lpad(n::text, 8, '0'), $1, 'server ' || n, 'server ' || n, true, 'http', 'https://e.com',
         '{"headerNames":[],"envNames":[],"hasClientSecret":false}'
       from generate_series(1, 1001) n`,
      [id],
    );
    await client.end();
    const { body } = await service.get(`/projects/${id}/servers`);
    expect(body.items).toHaveLength(1000);
    const rest = await service.get(`/projects/${id}/servers?cursor=${body.nextCursor}`);
    expect(rest.body.items).toHaveLength(1);
    expect(rest.body).not.toHaveProperty('nextCursor');
  });

  test('a cursor that was altered, or belongs to another list, is refused', async () => {
    for (const name of ['One', 'Two']) await service.post('/projects', { name });
    const { nextCursor } = (await service.get('/projects?limit=1')).body;
    expect((await service.get(`/projects?limit=1&cursor=${nextCursor}`)).status).toBe(200);
    const flipped = nextCursor.slice(0, 20) + (nextCursor[20] === 'A' ? 'B' : 'A') + nextCursor.slice(21);
    for (const wrong of [flipped, `${nextCursor}A`, nextCursor.slice(1), 'x', 'A'.repeat(60)])
      expect(await service.get(`/projects?cursor=${wrong}`)).toMatchObject(malformed);
    expect(await service.get(`/projects/${project}/servers?cursor=${nextCursor}`)).toMatchObject(malformed);
    const member = await service.member('member');
    expect(await service.get(`/projects?cursor=${nextCursor}`, { key: member.key })).toMatchObject(malformed);
  });

  test.each(['0', '-1', '1001', 'x', '1.5', '', '1e3x'])('limit=%s is refused', async (limit) => {
    expect(await service.get(`/projects?limit=${limit}`)).toMatchObject(malformed);
  });

  test('a query parameter given twice is refused', async () => {
    const answer = await service.get('/projects?limit=1&limit=2');
    expect(answer).toMatchObject(malformed);
    expect(answer.body.message).toBe('limit: Given more than once');
  });
});

describe('a path outside of the API', () => {
  test.each<[string, string]>([
    ['GET', '/me'],
    ['GET', '/projects'],
    ['GET', '/projects/prj_1/servers?limit=1'],
    ['POST', '/projects/prj_1/servers/srv_1/tools/call'],
    ['DELETE', '/me/'],
  ])('that would be an operation inside it is told so: %s %s', async (method, path) => {
    const answer = await fetch(`${service.origin}${path}`, { method });
    expect(answer.status).toBe(404);
    const inside = `/api/v1${path.split('?')[0]?.replace(/\/$/, '')}`;
    expect(await answer.json()).toEqual({
      code: 'NOT_FOUND',
      message: `The API is below /api/v1: try ${inside}`,
    });
  });

  test.each([
    '/',
    '/nothing',
    '/projects/a/b/c/d/e/f',
    '/api/v1x/me',
    '/api/v1/nothing',
    '/api/v1/api/v1/me',
  ])('that would be none is not: %s', async (path) => {
    const answer = await fetch(`${service.origin}${path}`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining('No such operation') });
  });
});

describe('public operations', () => {
  test('models and the client templates need no key, and ignore a bad one', async () => {
    for (const key of [null, 'sk_wrong']) {
      expect((await service.get('/models', { key })).body.items[0]).toMatchObject({
        id: 'drydock/rehearsal',
        hosted: true,
      });
      const catalog = await service.get('/host-catalog', { key });
      expect(Object.keys(catalog.body.catalog.hostsById)).toContain('claude-code');
    }
  });
});

describe('for operators', () => {
  test('readiness waits for the first key', async () => {
    const database = await createDatabase();
    const holder = await database.connect();
    onTestFinished(() => holder.end());
    // The advisory lock of the first boot, which replicas share.
    await holder.query('select pg_advisory_lock(4700004)');
    const port = await freePort();
    const key = `sk_${'ready'.repeat(8)}`;
    const starting = startForTest({
      database,
      env: { DRYDOCK_PORT: String(port), DRYDOCK_BOOTSTRAP_KEY: key },
    });
    const readiness = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      return answer && [answer.status, await answer.json()];
    };
    await expect.poll(readiness).toEqual([503, { status: 'starting' }]);
    await holder.query('select pg_advisory_unlock(4700004)');
    const { get } = await starting;
    expect(await readiness()).toEqual([200, { status: 'ready' }]);
    expect((await get('/me', { key })).status).toBe(200);
  });

  test('health, readiness and metrics answer without a key', async () => {
    expect(await (await fetch(`${service.origin}/healthz`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${service.origin}/readyz`)).json()).toEqual({ status: 'ready' });
    await service.get('/me');
    const metrics = await (await fetch(`${service.origin}/metrics`)).text();
    expect(metrics).toMatch(/drydock_http_requests_total\{operation="getMe",status="200"\} \d+/);
    expect(metrics).toContain('drydock_database_connections{state="idle"}');
  });
});

function raw(origin: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}

test('a query never replaces what the path names', async () => {
  const { body: other } = await service.post('/projects', { name: 'Other' });
  await service.post(`/projects/${other.id}/servers`, { name: 'there', url: 'https://e.com' });
  for (const query of [`projectId=${other.id}`, `projectId=${other.id}&projectId=${other.id}`])
    expect((await service.get(`/projects/${project}/sessions?${query}`)).text).not.toContain('there');
  const { body } = await service.get(`/projects/${project}/servers?projectId=${other.id as string}`);
  expect(body.items.filter(({ name }: { name: string }) => name === 'there')).toEqual([]);
});
