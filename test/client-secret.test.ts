import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type SavedServer, saveServer } from './support/live.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';
import { listen, sendJson } from './targets/listen.ts';
import { type RotatingOAuth, startRotatingOAuth } from './targets/rotating-oauth.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));

const secret = 'rotating-secret';
/** The plain secret, and its encoding in a Basic authorization header. */
const forms = [secret, Buffer.from(`rotating-client:${secret}`).toString('base64')];

interface OtherIssuer {
  url: string;
  /** Everything that was sent to it, headers and bodies. */
  heard: () => string;
}

/** An authorization server that records each request and grants every token. */
async function startOtherIssuer(): Promise<OtherIssuer> {
  const heard: string[] = [];
  const issuer = { url: '', heard: () => heard.join('\n') };
  const { port, stop } = await listen(async (request, response) => {
    heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${await text(request)}`);
    if (request.url === '/token')
      return sendJson(response, { access_token: 'other-token', token_type: 'Bearer' });
    sendJson(response, {
      issuer: issuer.url,
      authorization_endpoint: `${issuer.url}/authorize`,
      token_endpoint: `${issuer.url}/token`,
      response_types_supported: ['code'],
    });
  });
  onTestFinished(stop);
  issuer.url = `http://127.0.0.1:${port}`;
  return issuer;
}

interface Scene {
  target: RotatingOAuth;
  server: SavedServer;
  /** Imports tokens without naming an issuer, which is then discovered from the server. */
  importFound: () => Promise<{ refreshToken: string }>;
  call: () => Promise<Answer>;
}

/** A server saved with the secret of its client, as its owner did. */
async function savedWithSecret(): Promise<Scene> {
  const target = await startRotatingOAuth({ requireClientSecret: true });
  onTestFinished(target.stop);
  const { clientInformation } = target.issueTokens();
  const server = await saveServer(service, { url: target.url, ...clientInformation });
  const importFound = async (): Promise<{ refreshToken: string }> => {
    const { serverUrl, tokens } = target.issueTokens();
    expect((await server.post('oauth/import-tokens', { serverUrl, tokens })).status).toBe(200);
    return { refreshToken: tokens.refresh_token };
  };
  const call = () => server.post('tools/call', { toolName: 'echo', parameters: { text: 'heard' } });
  return { target, server, importFound, call };
}

test('the secret of the import is used, or that of the server', async () => {
  const { target, server, importFound, call } = await savedWithSecret();
  await importFound();
  target.expireAccessTokens();
  expect((await call()).status).toBe(200);
  expect(target).toMatchObject({ refreshes: 1, refusedRefreshes: 0 });
  await service.patch(server.path, { clearClientSecret: true });
  expect((await server.post('oauth/import-tokens', target.issueTokens())).status).toBe(200);
  target.expireAccessTokens();
  expect((await call()).status).toBe(200);
  expect(target).toMatchObject({ refreshes: 2, refusedRefreshes: 0 });
});

test('a saved secret is not sent to an authorization server that the importer names', async () => {
  const { target, server, importFound, call } = await savedWithSecret();
  const other = await startOtherIssuer();
  const { refreshToken } = await importFound();
  const tokens = { access_token: 'mine', refresh_token: 'my-own-refresh-token' };
  const named = { serverUrl: target.url, authorizationServerUrl: other.url, tokens };
  expect((await server.post('oauth/import-tokens', named)).status).toBe(200);
  await call();
  // The other issuer was called, with the refresh token of the import.
  expect(other.heard()).toContain('my-own-refresh-token');
  const own = { clientId: 'mine', clientSecret: 'my-own-secret' };
  expect((await server.post('oauth/import-tokens', { ...named, clientInformation: own })).status).toBe(200);
  await call();
  expect(other.heard()).toContain(Buffer.from('mine:my-own-secret').toString('base64'));
  for (const hidden of [...forms, refreshToken]) expect(other.heard()).not.toContain(hidden);
});

test('a saved secret is bound to the issuer it was first sent to', async () => {
  const { target, server, importFound, call } = await savedWithSecret();
  const other = await startOtherIssuer();
  await importFound();
  target.expireAccessTokens();
  expect((await call()).status).toBe(200);
  expect(target).toMatchObject({ refreshes: 1, refusedRefreshes: 0 });

  target.nameIssuer(other.url);
  // Tokens imported earlier are still refreshed at the first issuer.
  target.expireAccessTokens();
  expect((await call()).status).toBe(200);
  // Newly imported tokens would be refreshed at the other issuer.
  const { refreshToken } = await importFound();
  target.expireAccessTokens();
  const refused = await call();
  expect(refused).toMatchObject({ status: 502, body: { code: 'SERVER_UNREACHABLE' } });
  expect(refused.body.message).toContain(`saved for ${target.authorizationServerUrl}`);
  expect(refused.body.message).toContain(`now names ${other.url}`);
  expect(refused.body.message).toContain('save `clientSecret` again');
  expect(other.heard()).toContain('/.well-known/');
  for (const hidden of [...forms, refreshToken, '/token ']) expect(other.heard()).not.toContain(hidden);

  // Saving the client secret again confirms the issuer. Another edit does not.
  await service.patch(server.path, { headers: { A: 'b' }, clientId: 'rotating-client' });
  await call();
  expect(other.heard()).not.toContain('/token ');
  await service.patch(server.path, { clientSecret: secret });
  await call();
  expect(other.heard()).toContain(refreshToken);
});

test('a secret that was removed is used no longer; the tokens live', async () => {
  const { target, server, importFound, call } = await savedWithSecret();
  await importFound();
  expect((await service.patch(server.path, { clearClientSecret: true })).body.hasClientSecret).toBe(false);
  target.expireAccessTokens();
  expect((await call()).body.message).toContain('Save `clientSecret` again');
  expect(target.tokenRequests).toEqual([]);
  await service.patch(server.path, { clientSecret: secret });
  expect((await call()).status).toBe(200);
  expect(target).toMatchObject({ refreshes: 1, refusedRefreshes: 0 });
});

test('an issuer that was learned is no edit of the server', async () => {
  const { target, server, importFound, call } = await savedWithSecret();
  const before = (await service.get(server.path)).body;
  await importFound();
  target.expireAccessTokens();
  expect((await call()).status).toBe(200);
  expect((await service.get(server.path)).body).toEqual(before);
  const client = await service.database.connect();
  const learned = 'select revision, client_secret_issuer from servers where id = $1';
  const { rows } = await client.query(learned, [server.id]);
  await client.end();
  expect(rows).toEqual([{ revision: 1, client_secret_issuer: target.authorizationServerUrl }]);
});
