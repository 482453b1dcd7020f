// @module-tag long
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations as consoleOperationList } from '../src/contract/console/index.ts';
import type { Operation } from '../src/contract/operation.ts';
import { setMember } from '../src/domain/operator/members.ts';
import * as users from '../src/platform/database/queries/users.ts';
import { Browser } from './support/browser.ts';
import { signedIn } from './support/people.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';

/** CSRF protection: which requests with a session cookie are accepted. */

let service: TestService;
let tab: Browser;
let userId: string;

beforeAll(async () => {
  service = await startTestService({ worker: false });
  ({ userId } = await service.member('admin'));
  tab = await signedIn(service, userId);
});
afterAll(() => dispose(service));

const own = (): Record<string, string> => ({
  'x-drydock-console': '1',
  origin: service.origin,
  'sec-fetch-site': 'same-origin',
});

/** Headers that a page sends besides the cookie, and whether the request is accepted. */
const pages: [string, () => Record<string, string>, boolean][] = [
  ['a page of the console', own, true],
  ['an old browser, which says nothing about where', () => ({ 'x-drydock-console': '1' }), true],
  [
    'one behind a proxy with TLS',
    () => ({ ...own(), origin: service.origin.replace('http:', 'https:') }),
    true,
  ],
  [
    'a form of another site',
    () => ({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }),
    false,
  ],
  ['a page without the header', () => ({ origin: service.origin, 'sec-fetch-site': 'same-origin' }), false],
  ['another value of the header', () => ({ ...own(), 'x-drydock-console': 'true' }), false],
  ['another origin with the header', () => ({ ...own(), origin: 'https://evil.example' }), false],
  ['a sandboxed frame', () => ({ ...own(), origin: 'null' }), false],
  ['another port', () => ({ ...own(), origin: 'http://127.0.0.1:1' }), false],
  ['a page of the same site', () => ({ ...own(), 'sec-fetch-site': 'same-site' }), false],
  ['an address that was typed', () => ({ ...own(), 'sec-fetch-site': 'none' }), false],
  ['a link on another site', () => ({ 'x-drydock-console': '1', 'sec-fetch-site': 'cross-site' }), false],
  ['nothing but the cookie', () => ({}), false],
];

describe.each(pages)('%s', (_, headers, ours) => {
  const csrf = { status: 403, body: { code: 'FORBIDDEN', details: { reason: 'CSRF' } } };

  test('reads the API', async () => {
    const answer = await tab.send('/api/v1/me', { headers: headers() });
    expect(answer).toMatchObject(ours ? { status: 200, body: { id: userId } } : { status: 401 });
  });

  test('writes to the API', async () => {
    const sent = { method: 'POST', headers: headers(), body: { name: 'by the console' } };
    const answer = await tab.send('/api/v1/projects', sent);
    expect(answer).toMatchObject(ours ? { status: 201 } : csrf);
  });

  test('asks who is signed in', async () => {
    const answer = await tab.send('/console/api/session', { headers: headers() });
    expect(answer).toMatchObject({ status: 200, body: { signedIn: ours } });
  });

  test('writes in the console', async () => {
    const sent = { method: 'PATCH', headers: headers(), body: { name: 'Ada' } };
    expect(await tab.send('/console/api/profile', sent)).toMatchObject(ours ? { status: 200 } : csrf);
  });

  test('signs somebody in', async () => {
    const body = { email: 'a@example.com', password: 'x' };
    const sent = { method: 'POST', headers: headers(), body };
    const answer = await new Browser(service).send('/console/api/session', sent);
    expect(answer).toMatchObject(
      ours ? { status: 401, body: { details: { reason: 'WRONG_PASSWORD' } } } : csrf,
    );
  });
});

describe('a key', () => {
  test('wins over the cookie in the API; what a proxy asked for does not', async () => {
    const me = (headers: Record<string, string>) =>
      tab.send('/api/v1/me', { headers: { ...own(), ...headers } });
    const owner = (await service.get('/me')).body.id as string;
    expect((await me({ authorization: `Bearer ${service.key}` })).body.id).toBe(owner);
    expect(await me({ authorization: 'Bearer sk_wrong' })).toMatchObject({ status: 401 });
    expect((await me({ authorization: 'Basic YWRtaW46YWRtaW4=' })).body.id).toBe(userId);
  });

  test('opens nothing in the console, signed in or not', async () => {
    const headers = { ...own(), authorization: `Bearer ${service.key}` };
    for (const browser of [tab, new Browser(service)])
      for (const [method, path] of [
        ['GET', '/session'],
        ['GET', '/installation'],
        ['POST', '/session'],
        ['DELETE', '/session'],
      ] as const)
        expect(await browser.send(`/console/api${path}`, { method, headers })).toMatchObject({
          status: 403,
          body: { code: 'FORBIDDEN', message: expect.stringContaining('API keys') },
        });
  });
});

/** Cookie headers, and whether the session is found in them. */
const jars: [string, (token: string) => string, boolean][] = [
  ['the cookie alone', (token) => `drydock_session=${token}`, true],
  ['one of ours after one that is none', (token) => `drydock_session=%%%; drydock_session=${token}`, true],
  ['empty parts', (token) => `; ;=; =x;  drydock_session = ${token} ;`, true],
  ['a name without a value that begins alike', () => 'drydock_sessionX', false],
  ['a name that ends alike', (token) => `x_drydock_session=${token}`, false],
  ['quotes', (token) => `drydock_session="${token}"`, false],
];

test.each(jars)('cookies: %s', async (_, cookie, found) => {
  const headers = { ...own(), cookie: cookie(tab.session as string) };
  const answer = await new Browser(service).send('/console/api/session', { headers });
  expect(answer).toMatchObject({ status: 200, body: { signedIn: found } });
});

/** Host headers, and whether they are accepted. DNS rebinding sends the host name of a foreign page. */
const hosts: [string, boolean][] = [
  ['localhost', true],
  ['LOCALHOST', true],
  ['drydock.localhost', true],
  ['127.0.0.1', true],
  ['[::1]', true],
  ['evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['localhost.evil.example', false],
  ['10.1.2.3', false],
  ['evil.example#127.0.0.1', false],
  ['127.0.0.1@evil.example', false],
];

test.each(hosts)('a page at the host %s', async (host, ours) => {
  const { port } = new URL(service.origin);
  const headers = {
    'x-drydock-console': '1',
    host: `${host}:${port}`,
    cookie: `drydock_session=${tab.session}`,
    origin: `http://${host}:${port}`,
    'content-type': 'application/json',
  };
  const sent = request(`${service.origin}/console/api/profile`, { method: 'PATCH', headers });
  sent.end('{"name":"Ada"}');
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const body = await text(answer);
  expect([answer.statusCode, body.includes('DRYDOCK_PUBLIC_URL')]).toEqual(ours ? [200, false] : [403, true]);
});

describe('every operation of the console', () => {
  const sentTo = ({ method, path }: Operation, headers: Record<string, string>) =>
    tab.send(`/console/api${path.replaceAll(/\{\w+\}/g, 'x')}`, {
      method,
      headers,
      ...(method !== 'GET' && { body: {} }),
    });
  const writes = consoleOperationList.filter(({ method }) => method !== 'GET');

  test.each(consoleOperationList)('$id is closed to keys, and tells no cache anything', async (operation) => {
    const headers = { ...own(), authorization: `bearer  ${service.key}` };
    const answer = await sentTo(operation, headers);
    expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test.each(writes)('$id is not done for a page of others', async (operation) => {
    for (const headers of [{}, { ...own(), origin: 'https://evil.example' }, { origin: service.origin }]) {
      const answer = await sentTo(operation, headers);
      expect(answer).toMatchObject({ status: 403, body: { details: { reason: 'CSRF' } } });
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
  });
});

test('no answer of the service is to be guessed at', async () => {
  for (const path of [
    '/console/',
    '/console/assets/nothing.js',
    '/console/api/nothing',
    '/api/v1/me',
    '/api/v1/nothing',
    '/docs',
    '/healthz',
    '/mcp',
    '/nothing',
    '/%',
  ]) {
    const { headers, status } = await tab.send(path);
    expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
    const kept = headers.get('cache-control') !== 'no-store';
    expect([path, kept && path.startsWith('/console') && status >= 400]).toEqual([path, false]);
  }
});

test('below /console/api there is nothing but operations', async () => {
  for (const method of ['GET', 'POST', 'DELETE'])
    expect(await tab.send('/console/api/nothing', { method, headers: own() })).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
});

test('where the public address is known it is the only one, and with TLS the cookie goes nowhere else', async () => {
  const behind = await startForTest({
    worker: false,
    env: { DRYDOCK_PUBLIC_URL: 'https://drydock.example.com/' },
  });
  const first = await behind.db.rows(users.list, { idOrEmail: null });
  const publicly = { origin: 'https://drydock.example.com' };
  const other = await signedIn(behind, first[0]?.id as string, publicly);
  expect(other.setCookies).toEqual([
    expect.stringMatching(
      /^__Host-drydock_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/,
    ),
    expect.stringMatching(
      /^__Host-drydock_device=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/,
    ),
  ]);
  expect((await other.people.getSession()).signedIn).toBe(true);
  const elsewhere = { ...own(), origin: behind.running.address };
  expect(await other.send('/console/api/session', { headers: elsewhere })).toMatchObject({
    body: { signedIn: false },
  });
  expect(await other.send('/console/api/session', { method: 'DELETE', headers: elsewhere })).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('https://drydock.example.com') },
  });
  const browser = new Browser(behind, publicly);
  browser.cookies.set('drydock_session', other.session as string);
  expect((await browser.people.getSession()).signedIn).toBe(false);
});

test('several organizations: the chosen one, that of the project, the last one, the first one', async () => {
  const { organizationId: second, userId: both, key } = await service.stranger();
  const first = (await service.get('/organizations')).body.items[0].id as string;
  await setMember(service.db, { organization: first }, { user: both, role: 'member' });
  const browser = await signedIn(service, both);
  const organization = async (headers = {}) =>
    (await browser.api.listOrganizations(undefined, { headers })).items[0]?.id;
  expect(await organization()).toBe(first);
  expect(await organization({ 'drydock-organization': second })).toBe(second);
  await service.running.flushLastUse();
  expect(await organization()).toBe(second);
  expect(await browser.people.getSession()).toMatchObject({ organizationId: second });
  const [project] = (await service.get('/projects')).body.items;
  const [elsewhere] = (await service.get('/projects', { key })).body.items;
  for (const { id, organizationId } of [project, elsewhere])
    expect(await browser.api.getProjectCapabilities({ projectId: id })).toMatchObject({ organizationId });
  for (const chosen of ['org_nobodys', '../', 'x'.repeat(200)])
    await expect(organization({ 'drydock-organization': chosen })).rejects.toMatchObject({ status: 404 });
  // The organization in the path takes precedence over the header.
  const members = await browser.people.listMembers(
    { organizationId: first },
    { headers: { 'drydock-organization': second } },
  );
  expect(members.items.map(({ userId }) => userId)).toContain(both);
  const mine = (await service.stranger()).organizationId;
  await expect(browser.people.listMembers({ organizationId: mine })).rejects.toMatchObject({ status: 404 });
});

test('a session has a budget of its own, larger than that of a key', async () => {
  const limited = await startForTest({ worker: false, env: { DRYDOCK_CONSOLE_RATE_LIMIT: '60/5' } });
  const [owner] = await limited.db.rows(users.list, { idOrEmail: null });
  const browser = await signedIn(limited, owner?.id as string);
  const another = await signedIn(limited, owner?.id as string);
  const asked = await Promise.allSettled(Array.from({ length: 6 }, () => browser.api.getMe()));
  const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused).toEqual([
    expect.objectContaining({
      status: 429,
      message: expect.stringContaining('Rate limit exceeded (Session)'),
    }),
  ]);
  await expect(browser.people.listMySessions()).rejects.toMatchObject({ status: 429 });
  expect((await another.api.getMe()).id).toBe(owner?.id);
});
