// @module-tag long
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { removeMember, setMember } from '../src/domain/operator/members.ts';
import { Account, connected, openAccountAt, until } from './support/connections.ts';
import { type Answer, dispose, startForTest, startTestService, type TestService } from './support/service.ts';
import { type Hostile, startHostile } from './targets/hostile.ts';
import { answerLegacy } from './targets/legacy.ts';
import { listen, readRpc, sendJson } from './targets/listen.ts';
import { startRotatingOAuth } from './targets/rotating-oauth.ts';

let service: TestService;
let hostile: Hostile;

beforeAll(async () => {
  [service, hostile] = await Promise.all([startTestService(), startHostile()]);
});
afterAll(async () => {
  await dispose(service);
  await hostile.stop();
});

const openAccount = (at = service): Promise<Account> => openAccountAt(at);

/** A server that answers only after `answer` is called. */
async function startHeld(status: number): Promise<{ url: string; asked: () => number; answer: () => void }> {
  let asked = 0;
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  const { port, stop } = await listen(async (request, response) => {
    const { rpc } = await readRpc(request);
    asked++;
    await held;
    if (status === 401) return sendJson(response, {}, 401);
    answerLegacy({ request, response, rpc, path: '', origin: '' });
  });
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${port}/mcp`, asked: () => asked, answer };
}

async function query(at: TestService, sql: string, values: unknown[] = []): Promise<unknown[]> {
  const client = await at.database.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

const conflict = (code: string) => ({ status: 409, body: { code: 'CONFLICT', details: { code } } });
const refusals = (answers: Answer[]) => answers.filter(({ status }) => status === 409);

test('who may no longer enter the project is not shown what was asked for there', async () => {
  const { userId: user, key } = await service.member('member');
  const { body } = await service.post('/projects', { name: 'Closed later', visibility: 'private' });
  const project = body.id as string;
  await setMember(service.db, { project }, { user, role: 'admin' });
  const made = await service.post(
    '/server-connections',
    { url: await service.demoUrl(), projectId: project },
    { key },
  );
  const path = `/server-connections/${made.body.connectionRequestId}`;
  expect((await service.get(path, { key })).status).toBe(200);
  await removeMember(service.db, { project }, user);
  expect(await service.get(path, { key })).toMatchObject({
    status: 404,
    body: { details: { code: 'REQUEST_NOT_FOUND' } },
  });
});

describe('an open server', () => {
  test('is saved in the Default project under its host, and can be called', async () => {
    const account = await openAccount();
    const url = await service.demoUrl();
    const made = await account.connect({ url });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      connectionRequestId: expect.stringMatching(/^scr_/),
      status: 'discovering',
      expiresAt: expect.any(String),
      projectId: account.project,
    });
    const hour = Date.parse(made.body.expiresAt) - Date.now();
    expect(Math.abs(hour - 3_600_000)).toBeLessThan(60_000);
    const ready = await until(account, made.body.connectionRequestId, 'ready');
    expect(ready).toMatchObject({
      projectId: account.project,
      serverId: ready.server.id,
      server: { name: new URL(url).host, url, enabled: true },
    });
    expect(ready).not.toHaveProperty('error');
    const server = `/projects/${account.project}/servers/${ready.serverId}`;
    expect(await account.get(server)).toMatchObject({ body: { url, useOAuth: false } });
    expect(await account.post(`${server}/tools`)).toMatchObject({ status: 200 });
  });

  test('is saved where and as the caller says, under a name that is free', async () => {
    const account = await openAccount();
    const url = await service.demoUrl();
    const project = (await account.post('/projects', { name: 'Other' })).body.id as string;
    const ready = await connected(account, { url, projectId: project, name: 'harbour' }, 'ready');
    expect(ready).toMatchObject({ projectId: project, server: { name: 'harbour' } });
    expect(await account.servers()).toEqual([]);
    await account.save({ name: 'taken', url: 'https://example.com/mcp' });
    const second = await connected(account, { url, name: 'taken' }, 'ready');
    expect(second.server.name).toBe('taken 2');
  });

  test('that is saved already is used, by its URL or by its id', async () => {
    const account = await openAccount();
    const url = await service.demoUrl();
    const saved = await account.save({ name: 'first', url });
    expect(await connected(account, { url, name: 'ignored' }, 'ready')).toMatchObject({
      serverId: saved.id,
      server: { name: 'first' },
    });
    const twin = await account.save({ name: 'second', url });
    const refused = await account.connect({ url });
    expect(refused).toMatchObject(conflict('AMBIGUOUS_SERVER'));
    expect(refused.body.details.candidates).toEqual([
      { id: saved.id, name: 'first', url },
      { id: twin.id, name: 'second', url },
    ]);
    expect((await connected(account, { url, serverId: twin.id }, 'ready')).serverId).toBe(twin.id);
    expect(await account.connect({ url: `${url}/other`, serverId: twin.id })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR' },
    });
    expect(await account.connect({ url, serverId: 'srv_none' })).toMatchObject({ status: 404 });
    expect(await account.servers()).toEqual(['first', 'second']);
  });

  test('that is asked for twice at once is saved once', async () => {
    const account = await openAccount();
    const { url, asked, answer } = await startHeld(200);
    const both = [await account.connect({ url }), await account.connect({ url })];
    await expect.poll(asked).toBe(2);
    answer();
    for (const { body } of both) await until(account, body.connectionRequestId, 'ready');
    expect(await account.servers()).toHaveLength(1);
  });

  test('is shown without the values of its query', async () => {
    const account = await openAccount();
    const url = `${await service.demoUrl()}?key=tell-nobody&team=a&key=tell-nobody-either`;
    const made = await account.connect({ url });
    const ready = await until(account, made.body.connectionRequestId, 'ready');
    expect(ready.server.url).toContain('key=hidden');
    await account.save({ url });
    const refused = await account.connect({ url });
    expect(refused).toMatchObject(conflict('AMBIGUOUS_SERVER'));
    const retried = await account.retry(ready.connectionRequestId);
    const said = [made.text, JSON.stringify(ready), refused.text, retried.text, ...service.logs];
    expect(said.filter((each) => each.includes('tell-nobody'))).toEqual([]);
  });
});

describe('a server behind OAuth', () => {
  test('is saved and waits for tokens, which move it on', async () => {
    const account = await openAccount();
    const target = await startRotatingOAuth();
    onTestFinished(target.stop);
    const waiting = await connected(account, { url: target.url }, 'awaiting_authorization');
    expect(waiting).toMatchObject({ serverId: waiting.server.id, server: { url: target.url } });
    const server = `/projects/${account.project}/servers/${waiting.serverId}`;
    expect(waiting.error).toEqual({
      code: 'OAUTH_REQUIRED',
      message: expect.stringContaining(`POST ${server}/oauth/import-tokens.`),
      retryable: true,
    });
    expect(await account.get(server)).toMatchObject({ body: { useOAuth: true } });
    expect(await account.retry(waiting.connectionRequestId)).toMatchObject(conflict('INVALID_STATE'));
    expect((await account.post(`${server}/oauth/import-tokens`, target.issueTokens())).status).toBe(200);
    const ready = await until(account, waiting.connectionRequestId, 'ready');
    expect(ready.serverId).toBe(waiting.serverId);
    expect(ready).not.toHaveProperty('error');
    expect((await account.post(`${server}/tools`)).status).toBe(200);

    // The imported tokens work, so the next request is ready at once unless it asks to reauthorize.
    await connected(account, { url: target.url }, 'ready');
    const again = await connected(account, { url: target.url, reauthorize: true }, 'awaiting_authorization');
    expect(again.serverId).toBe(waiting.serverId);
    expect(again.error.message).toContain(`${server}/oauth/import-tokens`);
    await account.post(`${server}/oauth/import-tokens`, target.issueTokens());
    await until(account, again.connectionRequestId, 'ready');
  });

  test('fails with tokens it refuses, and can be tried again with better ones', async () => {
    const account = await openAccount();
    const target = await startRotatingOAuth();
    onTestFinished(target.stop);
    const { connectionRequestId: id, serverId } = await connected(
      account,
      { url: target.url },
      'awaiting_authorization',
    );
    const tokens = `/projects/${account.project}/servers/${serverId}/oauth/import-tokens`;
    await account.post(tokens, { serverUrl: target.url, tokens: { access_token: 'not-a-good-one' } });
    const failed = await until(account, id, 'failed');
    expect(failed.error).toMatchObject({ code: 'OAUTH_REQUIRED', retryable: true });
    expect(failed.error.message).not.toContain('not-a-good-one');
    expect(failed.error.message).toContain(
      `POST ${tokens}, then try again with POST /server-connections/${id}/`,
    );
    await account.post(tokens, target.issueTokens());
    expect(await account.retry(id)).toMatchObject({ status: 200, body: { status: 'validating' } });
    expect(await until(account, id, 'ready')).not.toHaveProperty('error');
  });
});

describe('a server that cannot be connected', () => {
  test('at a dead address fails, and the message says what to check', async () => {
    const account = await openAccount();
    const failed = await connected(account, { url: 'http://127.0.0.1:1/mcp' }, 'failed');
    expect(failed.error).toEqual({
      code: 'SERVER_UNREACHABLE',
      message: expect.stringContaining('127.0.0.1:1'),
      retryable: true,
    });
    expect(failed).not.toHaveProperty('serverId');
    expect(await account.servers()).toEqual([]);
    expect((await account.cancel(failed.connectionRequestId)).body).toMatchObject({ status: 'cancelled' });
    expect(await account.retry(failed.connectionRequestId)).toMatchObject(conflict('INVALID_STATE'));
  });

  test.each([false, true])('is tried again when it has come up (saved before: %s)', async (saved) => {
    const account = await openAccount();
    let up = false;
    const { port, stop } = await listen(async (request, response) => {
      if (!up) return void request.socket.destroy();
      const { rpc } = await readRpc(request);
      answerLegacy({ request, response, rpc, path: '', origin: '' });
    });
    onTestFinished(stop);
    const url = `http://127.0.0.1:${port}/mcp`;
    if (saved) await account.save({ name: 'mine', url });
    const { connectionRequestId: id, error } = await connected(account, { url }, 'failed');
    expect(error).toMatchObject({ code: 'SERVER_UNREACHABLE', retryable: true });
    expect((await account.retry(id)).status).toBe(200);
    await until(account, id, 'failed');
    up = true;
    expect((await account.retry(id)).status).toBe(200);
    const ready = await until(account, id, 'ready');
    expect(ready.server.name).toBe(saved ? 'mine' : `127.0.0.1:${port}`);
    expect(ready).not.toHaveProperty('error');
    expect(await account.retry(id)).toMatchObject(conflict('INVALID_STATE'));
    expect(await account.servers()).toEqual([ready.server.name]);
  });

  test('because it wants Basic authorization is not worth another try', async () => {
    const account = await openAccount();
    const failed = await connected(account, { url: hostile.url('/401-basic') }, 'failed');
    expect(failed.error).toMatchObject({ code: 'UNSUPPORTED_AUTH_METHOD', retryable: false });
    expect(failed.error.message).toContain('Basic');
    expect(await account.retry(failed.connectionRequestId)).toMatchObject(conflict('INVALID_STATE'));
    expect(await account.servers()).toEqual([]);
  });

  test.each([
    ['/html', 'text/html'],
    ['/status/500', '500'],
    ['/reset', 'closed the connection'],
  ])('at %s says so', async (path, words) => {
    const account = await openAccount();
    const { error } = await connected(account, { url: hostile.url(path) }, 'failed');
    expect(error).toMatchObject({ code: 'SERVER_UNREACHABLE', retryable: true });
    expect(error.message).toContain(words);
  });

  test('because its address is refused is said at once, or when its name is looked up', async () => {
    const outside = await startForTest({ env: { DRYDOCK_HOST: '0.0.0.0', DRYDOCK_ALLOWED_NETWORKS: '' } });
    const account = await openAccount(outside);
    for (const url of [hostile.url('/odd'), 'http://169.254.169.254/latest', 'http://[::1]/mcp'])
      expect(await account.connect({ url })).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_ERROR', details: { code: 'URL_NOT_ALLOWED' } },
      });
    const inside = await startForTest({
      env: { DRYDOCK_HOST: '0.0.0.0', DRYDOCK_ALLOWED_NETWORKS: '' },
      outbound: { resolve: async () => [{ address: '10.0.0.1', family: 4 }] },
    });
    const other = await openAccount(inside);
    const { error } = await connected(other, { url: 'http://inside.example.com/mcp' }, 'failed');
    expect(error).toMatchObject({ code: 'URL_NOT_ALLOWED', retryable: false });
  });
});

describe('open requests', () => {
  const open = "status in ('discovering', 'awaiting_authorization', 'validating')";

  test('are at most five of an account, also when twenty are made at once', async () => {
    const idle = await startForTest({ worker: false });
    const account = await openAccount(idle);
    const other = await openAccount(idle);
    const make = (n: number) => account.connect({ url: `https://example.com/${n}` });
    const made = await Promise.all(Array.from({ length: 20 }, (_, n) => make(n)));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(refusals(made)).toHaveLength(15);
    for (const refused of refusals(made)) expect(refused).toMatchObject(conflict('ACTIVE_REQUEST_LIMIT'));
    expect(await query(idle, `select count(*)::int as n from server_connections where ${open}`)).toEqual([
      { n: 5 },
    ]);
    expect((await other.connect({ url: 'https://example.com/' })).status).toBe(201);
    const first = made.find(({ status }) => status === 201) as Answer;
    expect((await account.cancel(first.body.connectionRequestId)).status).toBe(200);
    expect((await make(21)).status).toBe(201);
    expect(await make(22)).toMatchObject(conflict('ACTIVE_REQUEST_LIMIT'));
    await query(idle, "update server_connections set expires_at = now() - interval '1 second'");
    expect((await make(23)).status).toBe(201);
  });

  test('are at most five when failed ones are tried again', async () => {
    const idle = await startForTest({ worker: false });
    const account = await openAccount(idle);
    const five = () =>
      Promise.all(Array.from({ length: 5 }, () => account.connect({ url: 'https://example.com/' })));
    const failed = await five();
    const error = JSON.stringify({ code: 'SERVER_UNREACHABLE', message: 'It was down.', retryable: true });
    await query(idle, "update server_connections set status = 'failed', error = $1", [error]);
    await five();
    const retried = await Promise.all(failed.map(({ body }) => account.retry(body.connectionRequestId)));
    expect(refusals(retried)).toHaveLength(5);
    for (const refused of refusals(retried)) expect(refused).toMatchObject(conflict('ACTIVE_REQUEST_LIMIT'));
  });

  test('have a budget of their own for reading', async () => {
    const now = Date.now();
    const counted = await startForTest({ env: { DRYDOCK_RATE_LIMIT: '60/10' }, clock: () => now });
    const key = counted.key;
    const { body } = await counted.post('/server-connections', { url: await counted.demoUrl() });
    const read = () => counted.get(`/server-connections/${body.connectionRequestId}`, { key });
    for (let n = 0; n < 50; n++) expect((await read()).status).toBe(200);
    const others = await Promise.all(Array.from({ length: 10 }, () => counted.get('/me', { key })));
    expect(others.filter(({ status }) => status === 200)).toHaveLength(9);
    const more = await Promise.all(Array.from({ length: 200 }, read));
    expect(more.filter(({ status }) => status === 200)).toHaveLength(190);
    expect(more.find(({ status }) => status === 429)?.body).toMatchObject({ code: 'RATE_LIMITED' });
  });

  test('are seen by nobody else', async () => {
    const account = new Account(service.key, await service.defaultProject(), service);
    const { connectionRequestId: id } = await connected(account, { url: 'http://127.0.0.1:1/' }, 'failed');
    const colleague = new Account((await service.member('owner')).key, account.project, service);
    const unknown = { status: 404, body: { code: 'NOT_FOUND', details: { code: 'REQUEST_NOT_FOUND' } } };
    for (const other of [await openAccount(), colleague])
      for (const ask of [other.read, other.cancel, other.retry]) expect(await ask(id)).toMatchObject(unknown);
    expect(await account.read('scr_none')).toMatchObject(unknown);
  });

  test('need a project the caller may use', async () => {
    const account = await openAccount();
    for (const projectId of ['prj_none', await service.defaultProject()])
      expect(await account.connect({ url: 'https://example.com/', projectId })).toMatchObject({
        status: 403,
        body: { code: 'FORBIDDEN', details: { code: 'PROJECT_ACCESS_DENIED' } },
      });
  });

  test('expire after an hour, and take the server with them that only waited', async () => {
    const account = await openAccount();
    const url = hostile.url('/401-oauth');
    const { connectionRequestId: id } = await connected(account, { url }, 'awaiting_authorization');
    expect(await account.servers()).toHaveLength(1);
    await query(service, 'update server_connections set expires_at = now() where id = $1', [id]);
    const over = (await account.read(id)).body;
    expect(over.status).toBe('expired');
    expect(over).not.toHaveProperty('error');
    expect(await account.cancel(id)).toMatchObject(conflict('REQUEST_EXPIRED'));
    expect(await account.retry(id)).toMatchObject(conflict('REQUEST_EXPIRED'));
    await query(
      service,
      "update jobs set due_at = now() where kind = 'expire-server-connections' and due_at is not null",
    );
    await query(service, "select pg_notify('drydock_jobs', '')");
    await expect.poll(() => account.servers()).toEqual([]);
    expect((await account.read(id)).body).toMatchObject({ status: 'expired' });
    expect(await account.cancel(id)).toMatchObject(conflict('REQUEST_EXPIRED'));
  });
});

describe('cancelling', () => {
  const url = () => hostile.url('/401-oauth');

  test('removes the server it saved for waiting, and twice is no error', async () => {
    const account = await openAccount();
    const { connectionRequestId: id } = await connected(account, { url: url() }, 'awaiting_authorization');
    expect(await account.servers()).toHaveLength(1);
    const answers = await Promise.all([account.cancel(id), account.cancel(id), account.cancel(id)]);
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    expect(answers[0]?.body).not.toHaveProperty('server');
    expect(await account.servers()).toEqual([]);
    expect(await account.retry(id)).toMatchObject(conflict('INVALID_STATE'));
  });

  test('keeps a server it did not save, or that somebody has edited', async () => {
    const account = await openAccount();
    await account.save({ name: 'mine', url: url() });
    const mine = await connected(account, { url: url() }, 'awaiting_authorization');
    expect((await account.cancel(mine.connectionRequestId)).status).toBe(200);
    expect(await account.servers()).toEqual(['mine']);
    const edited = await connected(account, { url: hostile.url('/401-issuer') }, 'awaiting_authorization');
    const server = `/projects/${account.project}/servers/${edited.serverId}`;
    await service.patch(server, { name: 'renamed' }, { key: account.key });
    expect((await account.cancel(edited.connectionRequestId)).status).toBe(200);
    expect(await account.servers()).toEqual(['mine', 'renamed']);
  });

  test('is too late when the server is connected', async () => {
    const account = await openAccount();
    const ready = await connected(account, { url: await service.demoUrl() }, 'ready');
    expect(await account.cancel(ready.connectionRequestId)).toMatchObject(conflict('INVALID_STATE'));
  });

  test.each([401, 200])('while the server is looked at saves nothing (it answers %i)', async (status) => {
    const account = await openAccount();
    const { url, asked, answer } = await startHeld(status);
    const { body } = await account.connect({ url });
    const id = body.connectionRequestId as string;
    await expect.poll(asked).toBe(1);
    expect((await account.cancel(id)).body.status).toBe('cancelled');
    answer();
    const job = "select state from jobs where kind = 'advance-server-connection' and payload->>'id' = $1";
    await expect.poll(() => query(service, job, [id])).toEqual([{ state: 'done' }]);
    expect((await account.read(id)).body.status).toBe('cancelled');
    expect(await account.servers()).toEqual([]);
  });
});
