// @module-tag long
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type SavedServer, saveServer } from './support/live.ts';
import { type Answer, dispose, startForTest, startTestService, type TestService } from './support/service.ts';
import { type Hostile, startHostile } from './targets/hostile.ts';
import { listen, sendJson } from './targets/listen.ts';
import { startOAuthDemo } from './targets/processes.ts';
import {
  type RotatingOAuth,
  type RotatingOAuthOptions,
  startRotatingOAuth,
} from './targets/rotating-oauth.ts';

let service: TestService;
let hostile: Hostile;

beforeAll(async () => {
  [service, hostile] = await Promise.all([startTestService(), startHostile()]);
});
afterAll(async () => {
  await dispose(service);
  await hostile.stop();
});

const echo = { toolName: 'echo', parameters: { text: 'heard' } };
const heard = { content: [{ type: 'text', text: 'heard' }] };

interface Scene {
  target: RotatingOAuth;
  server: SavedServer;
  call: () => Promise<Answer>;
}

/** A saved server whose tokens are imported, and work. */
async function imported(options: RotatingOAuthOptions = {}, fields = {}, at = service): Promise<Scene> {
  const target = await startRotatingOAuth(options);
  onTestFinished(target.stop);
  const server = await saveServer(at, { url: target.url, ...fields });
  await importInto(server, target.issueTokens());
  const call = () => server.post('tools/call', echo);
  expect(await call()).toMatchObject({ status: 200, body: heard });
  return { target, server, call };
}

async function importInto(server: SavedServer, body: object): Promise<Answer> {
  const answer = await server.post('oauth/import-tokens', body);
  expect(answer).toMatchObject({ status: 200, body: { imported: true } });
  return answer;
}

/** The form of an error. */
const refusal = (status: number, code: string, details: object = {}) => ({ status, body: { code, details } });
const required = (details: object = {}) =>
  refusal(401, 'OAUTH_REQUIRED', { oauthRequired: true, ...details });
const metadata = expect.stringContaining('/.well-known/oauth-protected-resource/mcp') as string;

const statuses = (answers: Answer[]) => answers.map(({ status }) => status);
const ok = (count: number) => Array.from({ length: count }, () => 200);

async function rows(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = await service.database.connect();
  const result = await client.query(sql, values);
  await client.end();
  return result.rows as Record<string, unknown>[];
}

describe('the demo of the SDK', () => {
  test('asks for OAuth until tokens are imported, and nothing repeats them', async () => {
    const demo = await startOAuthDemo();
    onTestFinished(demo.stop);
    const server = await saveServer(service, { name: 'oauth demo', url: demo.url });
    const before = await server.post('tools');
    const named = { serverId: server.id, serverName: 'oauth demo', serverUrl: demo.url };
    expect(before).toMatchObject(required({ ...named, resourceMetadataUrl: metadata }));
    expect(before.body.message).toContain('"oauth demo"');

    const { tokens, clientInformation, authorizationServerUrl } = await demo.obtainTokens();
    const client = { authorizationServerUrl, clientInformation };
    const answers = [
      await importInto(server, { serverUrl: demo.url, ...client, tokens }),
      await server.post('tools'),
      await server.post('tools/call', { toolName: 'greet', parameters: { name: 'Ada' } }),
      await server.post('validate'),
      await server.post('doctor'),
      await server.post('check-oauth'),
      await service.get(server.path),
    ];
    expect(statuses(answers)).toEqual(ok(7));
    expect(answers[2]?.text).toContain('Hello, Ada');
    expect(answers[4]?.body).toMatchObject({ status: 'ready' });
    const said = [...answers.map((answer) => answer.text), ...service.logs].join('\n');
    expect(said).not.toContain(tokens.access_token);
    expect(said).not.toContain(clientInformation.clientSecret ?? tokens.access_token);
  });
});

describe('what is sent', () => {
  /** The requests the recording server received since the last call. Streams are opened whenever; they do not count. */
  function sent(): (string | undefined)[] {
    const posts = hostile.seen.splice(0).filter(({ method }) => method === 'POST');
    return [...new Set(posts.map(({ headers }) => headers.authorization))];
  }
  const url = () => hostile.url('/get-405');
  const tokens = (access_token: string) => ({ serverUrl: url(), tokens: { access_token } });

  test('a server saved with useOAuth is not contacted without tokens', async () => {
    hostile.seen.length = 0;
    const server = await saveServer(service, { url: url(), useOAuth: true });
    for (const operation of ['tools', 'prompts', 'resources', 'validate', 'export'])
      expect(await server.post(operation)).toMatchObject(required({ serverId: server.id }));
    expect((await server.post('check-oauth')).status).toBe(200);
    expect(hostile.seen).toEqual([]);
    expect((await server.post('tools', { oauthAccessToken: 'from-the-body' })).status).toBe(200);
    expect(sent()).toEqual(['Bearer from-the-body']);
  });

  test('the imported token instead of a stored Authorization, beside the other headers', async () => {
    const headers = { Authorization: 'Bearer from-the-headers', 'X-Kept': 'kept' };
    const server = await saveServer(service, { url: url(), headers });
    await importInto(server, tokens('imported-token'));
    expect((await server.post('tools')).status).toBe(200);
    expect(hostile.seen.map(({ headers }) => headers['x-kept'])).not.toContain(undefined);
    expect(sent()).toEqual(['Bearer imported-token']);
    expect((await server.post('tools', { oauthAccessToken: 'from-the-body' })).status).toBe(200);
    expect(sent()).toEqual(['Bearer from-the-body']);
    expect((await server.post('tools')).status).toBe(200);
    expect(sent()).toEqual(['Bearer imported-token']);
  });

  test('after another import only the new token, and the old one is not kept', async () => {
    const server = await saveServer(service, { url: url() });
    await importInto(server, tokens('first-token'));
    await server.post('tools');
    expect(sent()).toEqual(['Bearer first-token']);
    const [sealed] = await rows('select sealed_id from oauth_grants where server_id = $1', [server.id]);
    await importInto(server, tokens('second-token'));
    await server.post('tools');
    await server.post('validate');
    expect(sent()).toEqual(['Bearer second-token']);
    expect(await rows('select 1 from sealed_values where id = $1', [sealed?.sealed_id])).toEqual([]);
    expect(await rows('select 1 from oauth_grants where server_id = $1', [server.id])).toHaveLength(1);
  });

  test('no token to another URL than the one it was imported for', async () => {
    const server = await saveServer(service, { url: url() });
    await importInto(server, tokens('for-the-first-url'));
    await server.post('tools');
    expect(sent()).toEqual(['Bearer for-the-first-url']);
    const elsewhere = await startHostile();
    onTestFinished(elsewhere.stop);
    expect((await service.patch(server.path, { url: elsewhere.url('/get-405') })).status).toBe(200);
    expect((await server.post('tools')).status).toBe(200);
    expect((await server.post('doctor')).status).toBe(200);
    expect(elsewhere.seen.length).toBeGreaterThan(0);
    expect(elsewhere.seen.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
    await service.patch(server.path, { useOAuth: true });
    expect(await server.post('tools')).toMatchObject(required());
  });
});

describe('what is refused', () => {
  const tokens = { access_token: 'a-token' };

  test('tokens for another URL, for a command, for nobody', async () => {
    const server = await saveServer(service, { url: hostile.url('/get-405') });
    const stdio = await saveServer(service, { command: 'node' });
    const body = { serverUrl: hostile.url('/odd'), tokens };
    const importAt = (path: string) => service.post(`${path}/oauth/import-tokens`, body);
    const other = await importAt(server.path);
    expect(other).toMatchObject(refusal(400, 'VALIDATION_ERROR'));
    expect(other.body.message).toContain('serverUrl');
    const command = await importAt(stdio.path);
    expect(command).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(command.body.message).toContain('stdio');
    expect(await importAt(`${server.path}x`)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const grants = 'select 1 from oauth_grants where server_id = any($1)';
    expect(await rows(grants, [[server.id, stdio.id]])).toEqual([]);
  });

  test('a token without the scope: 403 with the scopes it lacks', async () => {
    const { target, call } = await imported();
    target.requireScope('write');
    const details = { insufficientScope: true, scopes: ['write'], resourceMetadataUrl: metadata };
    expect(await call()).toMatchObject(refusal(403, 'FORBIDDEN', details));
    expect(target.tokenRequests).toEqual([]);
  });

  test('a token that cannot be refreshed, when the server no longer takes it', async () => {
    const { target, server, call } = await imported();
    const { serverUrl, tokens: issued } = target.issueTokens();
    await importInto(server, { serverUrl, tokens: issued });
    expect((await call()).status).toBe(200);
    target.expireAccessTokens();
    const refused = await call();
    expect(refused).toMatchObject(required({ serverId: server.id, resourceMetadataUrl: metadata }));
    expect(refused.body.details).not.toHaveProperty('refreshTokenInvalid');
    expect(target.tokenRequests).toEqual([]);
  });
});

describe('refreshing', () => {
  test('happens before the token expires, so that the server never sees an old one', async () => {
    let now = Date.now();
    const ahead = await startForTest({ clock: () => now });
    const { target, call } = await imported({}, {}, ahead);
    expect(target.refreshes).toBe(0);
    now += 3_590_000;
    expect(await call()).toMatchObject({ status: 200, body: heard });
    expect(target.refreshes).toBe(1);
    now += 60_000;
    expect(statuses([await call(), await call()])).toEqual(ok(2));
    expect(target).toMatchObject({ refreshes: 1, unauthorized: 0 });
  });

  test('is not repeated for each request when tokens live for less than a minute', async () => {
    const { target, call } = await imported({ expiresIn: 40 });
    for (let round = 0; round < 3; round++)
      expect(statuses(await Promise.all(Array.from({ length: 10 }, call)))).toEqual(ok(10));
    expect(target.refreshes).toBeLessThanOrEqual(1);
  });

  test('happens when the server refuses the token, names the resource, and leaves one sealed value', async () => {
    const { target, server, call } = await imported();
    const sealed = 'select count(*)::int as n from sealed_values';
    const before = await rows(sealed);
    for (const round of [1, 2]) {
      target.expireAccessTokens();
      expect(await call()).toMatchObject({ status: 200, body: heard });
      expect(target).toMatchObject({ refreshes: round, refusedRefreshes: 0 });
    }
    expect(target.tokenRequests.map(({ resource }) => resource)).toEqual([target.url, target.url]);
    expect(await rows(sealed)).toEqual(before);
    const oauthResourceUrl = 'https://resource.example.com/';
    await importInto(server, { ...target.issueTokens(), oauthResourceUrl });
    target.expireAccessTokens();
    expect((await call()).status).toBe(200);
    expect(target.tokenRequests.at(-1)?.resource).toBe(oauthResourceUrl);
  });

  test('finds the authorization server by itself', async () => {
    const { target, server, call } = await imported();
    const { authorizationServerUrl: _, ...issued } = target.issueTokens();
    await importInto(server, issued);
    target.expireAccessTokens();
    expect(await call()).toMatchObject({ status: 200, body: heard });
    expect(target.refreshes).toBe(1);
  });

  test('keeps the refresh token when no new one comes', async () => {
    const { target, call } = await imported({ omitRefreshToken: true });
    for (const round of [1, 2, 3]) {
      target.expireAccessTokens();
      expect((await call()).status).toBe(200);
      expect(target.refreshes).toBe(round);
    }
    expect(new Set(target.tokenRequests.map((form) => form.refresh_token)).size).toBe(1);
  });

  test('happens once for thirty calls at a time', async () => {
    const { target, call } = await imported();
    target.delayRefresh(300);
    for (const round of [1, 2, 3]) {
      target.expireAccessTokens();
      expect(statuses(await Promise.all(Array.from({ length: 30 }, call)))).toEqual(ok(30));
      expect(target).toMatchObject({ refreshes: round, refusedRefreshes: 0 });
    }
  });

  test('happens once when half of the calls go through another replica', async () => {
    const { dataDir } = service.running.services.config;
    const replica = await startTestService({ database: service.database, dataDir });
    onTestFinished(() => replica.stop());
    const { target, server } = await imported();
    const at = (each: TestService) => each.post(`${server.path}/tools/call`, echo, { key: service.key });
    const both = () => Promise.all(Array.from({ length: 30 }, (_, n) => at(n % 2 ? service : replica)));
    target.delayRefresh(300);
    // In the first round the replica has yet to connect.
    for (const round of [1, 2, 3]) {
      target.expireAccessTokens();
      expect(statuses(await both())).toEqual(ok(30));
      expect(target).toMatchObject({ refreshes: round, refusedRefreshes: 0 });
    }
    // One of them learns only from a refusal that the other has refreshed.
    target.expireAccessTokens();
    expect(statuses([await at(service), await at(replica)])).toEqual(ok(2));
    expect(target).toMatchObject({ refreshes: 4, refusedRefreshes: 0 });
    const version = 'select version from oauth_grants where server_id = $1';
    expect(await rows(version, [server.id])).toEqual([{ version: 5 }]);
  });

  test('goes on when the call that began it has given up', async () => {
    const { target, call } = await imported({}, { timeout: 700 });
    target.expireAccessTokens();
    target.delayRefresh(1500);
    expect(await call()).toMatchObject({ status: 504, body: { code: 'TIMEOUT' } });
    target.delayRefresh(0);
    await expect.poll(async () => (await call()).status).toBe(200);
    expect(target).toMatchObject({ refreshes: 1, refusedRefreshes: 0 });
  });
});

describe('a refresh token that was revoked', () => {
  test.each([true, false])('is remembered until the next import (useOAuth %s)', async (useOAuth) => {
    const { target, server, call } = await imported({}, { useOAuth });
    target.expireAccessTokens();
    target.revokeRefreshTokens();
    const dead = required({ serverId: server.id, refreshTokenInvalid: true });
    expect(await call()).toMatchObject(dead);
    expect(target.tokenRequests).toHaveLength(1);
    expect(await call()).toMatchObject(dead);
    expect(await server.post('validate')).toMatchObject(dead);
    expect(target.tokenRequests).toHaveLength(1);
    expect((await server.post('check-oauth')).body).toMatchObject({
      requiresAuthorization: true,
      hasTokens: false,
    });
    await importInto(server, target.issueTokens());
    expect(await call()).toMatchObject({ status: 200, body: heard });
    expect((await server.post('check-oauth')).body).toMatchObject({
      requiresAuthorization: false,
      hasTokens: true,
    });
  });

  test('fails thirty calls at a time with one question', async () => {
    const { target, call } = await imported();
    target.expireAccessTokens();
    target.revokeRefreshTokens();
    target.delayRefresh(200);
    const answers = await Promise.all(Array.from({ length: 30 }, call));
    expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(['OAUTH_REQUIRED']));
    expect(target.tokenRequests).toHaveLength(1);
  });
});

describe('an authorization server in trouble', () => {
  type Mood = 'well' | 'cut' | 'busy' | 'nonsense' | 'echo';

  /** Says where the token endpoint of a target is, when it is well. */
  async function startFront(behind: string): Promise<{ url: string; mood: Mood }> {
    const front = { url: '', mood: 'well' as Mood };
    const { port, stop } = await listen(async (request, response) => {
      const form = await text(request);
      if (front.mood === 'cut') return void request.socket.destroy();
      if (front.mood === 'busy') return sendJson(response, { error: 'temporarily_unavailable' }, 503);
      if (front.mood === 'nonsense') return sendJson(response, { hello: 'there' });
      if (front.mood === 'echo') return void response.writeHead(400).end(`Not understood: ${form}`);
      sendJson(response, {
        issuer: front.url,
        authorization_endpoint: `${behind}/authorize`,
        token_endpoint: `${behind}/token`,
        response_types_supported: ['code'],
      });
    });
    onTestFinished(stop);
    front.url = `http://127.0.0.1:${port}`;
    return front;
  }

  test.each<Mood>(['cut', 'busy', 'nonsense', 'echo'])('is said (%s); the grant lives', async (mood) => {
    const { target, server, call } = await imported();
    const front = await startFront(target.authorizationServerUrl);
    await importInto(server, { ...target.issueTokens(), authorizationServerUrl: front.url });
    target.expireAccessTokens();
    front.mood = mood;
    const failed = await call();
    expect(failed).toMatchObject({ status: 502, body: { code: 'SERVER_UNREACHABLE' } });
    expect(failed.body.message).toContain(`The token could not be refreshed at ${new URL(front.url).host}`);
    expect(failed.body.message).not.toMatch(/MCP server|\brt-|\n/);
    front.mood = 'well';
    expect(await call()).toMatchObject({ status: 200, body: heard });
    expect(target.refreshes).toBe(1);
  });

  test('does not stop calls while the token still lives', async () => {
    let now = Date.now();
    const ahead = await startForTest({ clock: () => now });
    const { target, server, call } = await imported({}, {}, ahead);
    const front = await startFront(target.authorizationServerUrl);
    await importInto(server, { ...target.issueTokens(), authorizationServerUrl: front.url });
    front.mood = 'cut';
    now += 3_590_000;
    expect(await call()).toMatchObject({ status: 200, body: heard });
    expect(target).toMatchObject({ refreshes: 0, unauthorized: 0 });
  });

  test.each(['named', 'found'])('with another issuer gets no refresh token (%s)', async (how) => {
    const { target, server, call } = await imported({ issuer: 'https://issuer.example.com' });
    const { authorizationServerUrl, ...issued } = target.issueTokens();
    await importInto(server, how === 'found' ? issued : { ...issued, authorizationServerUrl });
    target.expireAccessTokens();
    const refused = await call();
    expect(refused).toMatchObject({ status: 502, body: { code: 'SERVER_UNREACHABLE' } });
    expect(refused.body.message).toContain('issuer');
    expect(target.tokenRequests).toEqual([]);
  });

  test('that cannot be found is not guessed: the refresh token stays here', async () => {
    const asked: string[] = [];
    const { port, stop } = await listen(async (request, response) => {
      asked.push(`${request.url} ${await text(request)}`);
      sendJson(response, {}, request.url === '/mcp' ? 401 : 503);
    });
    onTestFinished(stop);
    const url = `http://127.0.0.1:${port}/mcp`;
    const server = await saveServer(service, { url });
    const tokens = { access_token: 'an-access-token', refresh_token: 'a-refresh-token' };
    await importInto(server, { serverUrl: url, clientInformation: { clientId: 'c' }, tokens });
    expect(await server.post('tools')).toMatchObject({ status: 502, body: { code: 'SERVER_UNREACHABLE' } });
    expect(asked.filter((request) => request.includes('oauth-protected-resource'))).not.toEqual([]);
    expect(asked.filter((request) => request.includes('a-refresh-token'))).toEqual([]);
  });
});

test('deleting a server deletes its tokens', async () => {
  const { server, call } = await imported();
  const [grant] = await rows('select sealed_id from oauth_grants where server_id = $1', [server.id]);
  const sealed = 'select encode(ciphertext, $2) as text from sealed_values where id = $1';
  const [kept] = await rows(sealed, [grant?.sealed_id, 'escape']);
  expect(kept?.text).toBeTruthy();
  expect(kept?.text).not.toMatch(/[ar]t-/);
  expect((await service.delete(server.path)).status).toBe(200);
  expect(await rows('select 1 from oauth_grants where server_id = $1', [server.id])).toEqual([]);
  expect(await rows(sealed, [grant?.sealed_id, 'escape'])).toEqual([]);
  expect(await call()).toMatchObject({ status: 404 });
});

test('no token reached the log', () => {
  const secret = /\b[ar]t-[0-9a-f]{8}-|rotating-secret|-token"/;
  expect(service.logs.length).toBeGreaterThan(50);
  expect(service.logs.filter((line) => secret.test(line))).toEqual([]);
});
