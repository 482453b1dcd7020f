// @module-tag long
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { saveServer } from './support/live.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';
import { scaled } from './support/slowdown.ts';
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
  await hostile?.stop();
});

async function examine(fields: object, options: object = {}): Promise<Answer['body']> {
  const { status, body } = await (await saveServer(service, fields)).post('doctor', options);
  expect(status).toBe(200);
  return body;
}

interface Behind {
  /** Metadata of the authorization server beyond the minimum. */
  metadata?: object;
  /** 401 without a header that leads to the metadata. */
  silent?: boolean;
  /** Answers without a token. */
  open?: boolean;
}

/** An MCP server, its resource metadata and its authorization server, all at one origin. */
async function startBehind({ metadata = {}, silent = false, open = false }: Behind): Promise<string> {
  const wellKnown = '/.well-known/oauth-protected-resource/mcp';
  const { port, stop } = await listen(async (request, response) => {
    const { rpc } = await readRpc(request);
    const origin = `http://127.0.0.1:${port}`;
    if (request.url === wellKnown)
      return sendJson(response, { resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (request.url === '/.well-known/oauth-authorization-server')
      return sendJson(response, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ['code'],
        ...metadata,
      });
    if (request.url !== '/mcp') return void response.writeHead(404).end();
    if (open) return answerLegacy({ request, response, rpc, path: '/mcp', origin });
    const challenge = `Bearer resource_metadata="${origin}${wellKnown}"`;
    sendJson(response, {}, 401, silent ? {} : { 'www-authenticate': challenge });
  });
  onTestFinished(stop);
  return `http://127.0.0.1:${port}/mcp`;
}

describe('OAuth in a report', () => {
  const dcr = { registration_endpoint: 'https://as.example.com/register' };
  const cimd = { client_id_metadata_document_supported: true };

  test.each<[string, Behind, object, string[]]>([
    ['required', {}, { required: true, optional: false }, ['preregistered']],
    ['required, with DCR', { metadata: dcr }, { required: true }, ['preregistered', 'dcr']],
    [
      'required, with DCR and CIMD',
      { metadata: { ...dcr, ...cimd } },
      { required: true },
      ['preregistered', 'dcr', 'cimd'],
    ],
    [
      'required, and nothing leads to it',
      { silent: true, metadata: dcr },
      { required: true },
      ['preregistered', 'dcr'],
    ],
    [
      'optional',
      { open: true, metadata: cimd },
      { required: false, optional: true },
      ['preregistered', 'cimd'],
    ],
  ])('%s', async (_, behind, expected, registrationStrategies) => {
    const url = await startBehind(behind);
    const { probe, checks } = await examine({ url });
    const resourceMetadataUrl = url.replace('/mcp', '/.well-known/oauth-protected-resource/mcp');
    expect(probe.oauth).toMatchObject({ ...expected, registrationStrategies, resourceMetadataUrl });
    expect(checks.probe.status).toBe(behind.open ? 'ok' : 'error');
  });

  test('not in play: nothing to register', async () => {
    const { probe } = await examine({ url: hostile.url('/get-405') });
    expect(probe.oauth).toEqual({ required: false, optional: false, registrationStrategies: [] });
  });

  test('the check is ok once there are tokens', async () => {
    const target = await startRotatingOAuth();
    onTestFinished(target.stop);
    const server = await saveServer(service, { url: target.url });
    const before = (await server.post('doctor')).body;
    expect(before).toMatchObject({ status: 'oauth_required', checks: { probe: { status: 'error' } } });
    await server.post('oauth/import-tokens', target.issueTokens());
    const after = (await server.post('doctor')).body;
    expect(after).toMatchObject({ status: 'ready', checks: { probe: { status: 'ok' } } });
    expect(after.checks.probe.detail).toContain('stored tokens are tried next');
  });
});

describe('a report', () => {
  test.each([
    ['/html', /^This URL is not an MCP server \(HTTP 200, text\/html/],
    ['/status/404', /^Nothing is served at this path/],
    ['/status/500', /HTTP status 500/],
    ['/redirect-away', /redirects to http:\/\/example\.invalid/],
  ])('says in probe.error what answers at %s', async (path, error) => {
    const { probe } = await examine({ url: hostile.url(path) });
    expect(probe).toMatchObject({ status: 'reachable', error: expect.stringMatching(error) });
  });

  test('holds the attempts, and what the server calls itself', async () => {
    const { probe, initInfo, target } = await examine({
      url: hostile.url('/get-405'),
      headers: { 'X-Key': 'tell-nobody' },
    });
    expect(target).toMatchObject({ kind: 'http', scope: 'hosted' });
    expect(probe).not.toHaveProperty('error');
    expect(initInfo.serverInfo).toEqual({ name: 'by-hand', version: '1.0.0' });
    expect(initInfo.serverInfo).toEqual(initInfo.serverVersion);
    const [discover, initialize] = probe.transport.attempts;
    expect(discover).toMatchObject({
      name: 'server/discover',
      request: {
        method: 'POST',
        url: hostile.url('/get-405'),
        headers: { 'mcp-method': 'server/discover', 'x-key': '[hidden]' },
        body: { jsonrpc: '2.0', id: 1, method: 'server/discover' },
      },
      response: { status: 200, contentType: 'application/json', body: expect.stringContaining('-32601') },
    });
    expect(initialize).toMatchObject({ name: 'initialize', response: { status: 200 } });
    expect(initialize).not.toHaveProperty('error');
  });

  test('of a token that the caller brings does not show it', async () => {
    const report = await examine({ url: hostile.url('/get-405') }, { oauthAccessToken: 'tell-nobody' });
    expect(report.probe.transport.attempts[0].request.headers.authorization).toBe('[hidden]');
    expect(JSON.stringify(report)).not.toContain('tell-nobody');
  });
});

// The two tests wait concurrently.
test.concurrent('a diagnosis ends after ten seconds, whatever is saved', async () => {
  const patient = await saveServer(service, { url: hostile.url('/hang'), timeout: 600_000 });
  const timed = async (operation: string) => {
    const started = performance.now();
    const { body } = await patient.post(operation);
    return { body, took: performance.now() - started };
  };
  const [validated, examined] = await Promise.all([timed('validate'), timed('doctor')]);
  expect(validated.body).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('within 10 s') });
  expect(examined.body.checks.connection.detail).toContain('a diagnosis waits at most 10 s.');
  for (const { took } of [validated, examined]) {
    expect(took).toBeGreaterThan(9_500);
    expect(took).toBeLessThan(14_000);
  }
});

test.concurrent('a server that answers slowly at each step is examined in ten seconds', async (context) => {
  const { port, stop } = await listen(async (request, response) => {
    const { rpc } = await readRpc(request);
    await new Promise((resolve) => setTimeout(resolve, 2500));
    answerLegacy({ request, response, rpc, path: '', origin: '' });
  });
  context.onTestFinished(stop);
  const started = performance.now();
  const report = await examine({ url: `http://127.0.0.1:${port}/mcp`, timeout: 60_000 });
  expect(performance.now() - started).toBeLessThan(scaled(14_000));
  expect(report.probe.protocolVersion).toBe('2025-11-25');
  expect(report.status).toBe('error');
});

test('an export says how the server introduced itself, the same way each time', async () => {
  const server = await saveServer(service, { url: hostile.url('/odd') });
  const [first, second] = [await server.post('export'), await server.post('export')];
  const timeless = ({ text }: Answer): string => text.replace(/"exportedAt":"[^"]+"/, '');
  expect(timeless(second)).toBe(timeless(first));
  const { initInfo } = (await server.post('validate')).body;
  expect(first.body.initInfo).toEqual(initInfo);
  // The capabilities of the client do not change the content hash of the server.
  const otherwise = await server.post('export', { clientCapabilities: { sampling: {} } });
  expect(otherwise.body.initInfo.clientCapabilities).toEqual({ sampling: {} });
  expect(otherwise.body.contentHash).toBe(first.body.contentHash);
});
