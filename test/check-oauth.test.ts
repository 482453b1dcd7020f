import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type SavedServer, saveServer } from './support/live.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';
import { type Hostile, startHostile } from './targets/hostile.ts';
import { answerLegacy } from './targets/legacy.ts';
import { listen, readRpc, sendJson } from './targets/listen.ts';
import { type RotatingOAuth, startRotatingOAuth } from './targets/rotating-oauth.ts';

let service: TestService;
let hostile: Hostile;

beforeAll(async () => {
  [service, hostile] = await Promise.all([startTestService(), startHostile()]);
});
afterAll(async () => {
  await dispose(service);
  await hostile?.stop();
});

async function check(server: SavedServer): Promise<Answer['body']> {
  const { status, body } = await server.post('check-oauth');
  expect(status).toBe(200);
  return body;
}

interface Scene {
  target: RotatingOAuth;
  server: SavedServer;
  /** `check-oauth` says that tokens must be imported. */
  required: () => Promise<boolean>;
  importTokens: (tokens?: object) => Promise<void>;
}

/** A server that asks for OAuth, saved by somebody who does not know. */
async function unaware(): Promise<Scene> {
  const target = await startRotatingOAuth();
  onTestFinished(target.stop);
  const server = await saveServer(service, { url: target.url });
  const importTokens = async (tokens: object = target.issueTokens()): Promise<void> => {
    expect((await server.post('oauth/import-tokens', tokens)).status).toBe(200);
  };
  return { target, server, required: async () => (await check(server)).requiresAuthorization, importTokens };
}

async function rowOf({ id }: SavedServer): Promise<Record<string, unknown>> {
  const client = await service.database.connect();
  const { rows } = await client.query(
    'select revision, updated_at, oauth_demanded, xmin::text as written from servers where id = $1',
    [id],
  );
  await client.end();
  return rows[0] as Record<string, unknown>;
}

test('a server saved with OAuth needs tokens before it was ever called', async () => {
  const url = hostile.url('/get-405');
  const check = await saveServer(service, { url, useOAuth: true });
  expect((await check.post('check-oauth')).body).toEqual({
    useOAuth: true,
    requiresAuthorization: true,
    effectiveAuthMethod: 'oauth',
    serverUrl: url,
    hasTokens: false,
    tokensExpireAt: null,
  });
});

describe('what the server asked for is known without asking it', () => {
  test.each(['tools', 'prompts', 'validate', 'doctor', 'export'])('after %s', async (operation) => {
    const { target, server, required, importTokens } = await unaware();
    const before = await service.get(server.path);
    expect(await check(server)).toMatchObject({ requiresAuthorization: false, effectiveAuthMethod: 'none' });
    expect(target.unauthorized).toBe(0);
    await server.post(operation);
    const asked = target.unauthorized;
    expect(asked).toBeGreaterThan(0);
    expect(await check(server)).toMatchObject({ requiresAuthorization: true, hasTokens: false });
    expect(target.unauthorized).toBe(asked);
    // Learned, not edited.
    expect((await service.get(server.path)).body).toEqual(before.body);
    expect(await rowOf(server)).toMatchObject({ revision: 1, oauth_demanded: true });

    await importTokens();
    expect(await check(server)).toEqual({
      useOAuth: false,
      requiresAuthorization: false,
      effectiveAuthMethod: 'oauth',
      serverUrl: target.url,
      hasTokens: true,
      tokensExpireAt: expect.any(Number),
    });
    const { tokensExpireAt } = await check(server);
    expect(Math.abs(tokensExpireAt - Date.now() - 3_600_000)).toBeLessThan(60_000);
    await server.post(operation);
    expect(await required()).toBe(false);
  });

  test('also when it no longer takes the tokens it has', async () => {
    const { target, server, importTokens } = await unaware();
    const { serverUrl, tokens } = target.issueTokens();
    await importTokens({ serverUrl, tokens });
    expect((await server.post('tools')).status).toBe(200);
    target.expireAccessTokens();
    expect((await server.post('tools')).status).toBe(401);
    expect(await check(server)).toMatchObject({ requiresAuthorization: true, hasTokens: true });
    await importTokens();
    expect((await check(server)).requiresAuthorization).toBe(false);
  });

  test('and forgotten when it answers without', async () => {
    let mood: 'asks' | 'broken' | 'open' = 'asks';
    const { port, stop } = await listen(async (request, response) => {
      const { rpc } = await readRpc(request);
      if (mood === 'open') return answerLegacy({ request, response, rpc, path: '', origin: '' });
      sendJson(response, {}, mood === 'asks' ? 401 : 500);
    });
    onTestFinished(stop);
    const server = await saveServer(service, { url: `http://127.0.0.1:${port}/mcp` });
    await server.post('tools');
    expect((await check(server)).requiresAuthorization).toBe(true);
    mood = 'broken';
    // In other trouble it has not stopped asking.
    expect((await server.post('tools')).status).toBe(502);
    expect((await check(server)).requiresAuthorization).toBe(true);
    mood = 'open';
    expect((await server.post('tools')).status).toBe(200);
    expect((await check(server)).requiresAuthorization).toBe(false);
  });

  test('also from a connection request', async () => {
    const { target, required } = await unaware();
    await service.post('/server-connections', { url: target.url });
    await expect.poll(required).toBe(true);
  });

  test('until it is reached or authorized otherwise', async () => {
    const { server, required } = await unaware();
    const edit = (change: object) => service.patch(server.path, change);
    const other = hostile.url('/get-405');
    for (const change of [{ headers: { 'X-Key': 'a-new-key' } }, { authMethod: 'bearer' }, { url: other }]) {
      await server.post('tools');
      expect(await required()).toBe(true);
      await edit({ name: `${server.id} renamed`, timeout: 5000, enabled: true });
      expect(await required()).toBe(true);
      await edit(change);
      expect(await required()).toBe(false);
    }
  });
});

describe('what says nothing', () => {
  test('a call with a token of the caller', async () => {
    const { target, server, required } = await unaware();
    await server.post('tools');
    const own = { oauthAccessToken: target.issueTokens().tokens.access_token };
    for (const operation of ['tools', 'validate', 'doctor'])
      expect((await server.post(operation, own)).status).toBe(200);
    expect(await required()).toBe(true);

    const open = await saveServer(service, { url: target.url });
    for (const operation of ['tools', 'validate', 'doctor'])
      await open.post(operation, { oauthAccessToken: 'not-a-good-one' });
    expect((await check(open)).requiresAuthorization).toBe(false);
  });

  test('a call that began before tokens were imported', async () => {
    let arrived = (): void => {};
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => (arrived = resolve));
    const released = new Promise<void>((resolve) => (answer = resolve));
    const { port, stop } = await listen(async (_, response) => {
      arrived();
      await released;
      sendJson(response, {}, 401);
    });
    onTestFinished(stop);
    const url = `http://127.0.0.1:${port}/mcp`;
    const server = await saveServer(service, { url });
    const call = server.post('tools');
    await asked;
    const tokens = { access_token: 'a-token' };
    expect((await server.post('oauth/import-tokens', { serverUrl: url, tokens })).status).toBe(200);
    answer();
    expect((await call).body.code).toBe('OAUTH_REQUIRED');
    expect((await check(server)).requiresAuthorization).toBe(false);
  });
});

test('calls that tell nothing new write nothing', async () => {
  const { server } = await unaware();
  const { written: saved } = await rowOf(server);
  await server.post('tools');
  const { written: learned } = await rowOf(server);
  expect(learned).not.toBe(saved);
  await Promise.all([server.post('tools'), server.post('validate'), server.post('doctor')]);
  expect((await rowOf(server)).written).toBe(learned);
  const open = await saveServer(service, { url: hostile.url('/get-405') });
  const { written } = await rowOf(open);
  for (const operation of ['tools', 'validate', 'doctor']) await open.post(operation);
  expect((await rowOf(open)).written).toBe(written);
});
