// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { saveServer } from './support/live.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { scaled } from './support/slowdown.ts';
import { type Hostile, startHostile } from './targets/hostile.ts';
import { type ModernOnly, modernOnlyStdio, startModernOnly } from './targets/modern-only.ts';
import { type Everything, everythingStdio, startEverything } from './targets/processes.ts';
import { type SelfSigned, startSelfSigned } from './targets/tls.ts';

let service: TestService;
let hostile: Hostile;
let modern: ModernOnly;
let sse: Everything;
let selfSigned: SelfSigned;

beforeAll(async () => {
  service = await startTestService();
  [hostile, modern, sse, selfSigned] = await Promise.all([
    startHostile(),
    startModernOnly(),
    startEverything('sse'),
    startSelfSigned(),
  ]);
});

afterAll(async () => {
  await dispose(service);
  await Promise.all([hostile?.stop(), modern?.stop(), sse?.stop(), selfSigned?.stop()]);
});

const order = 'probe connection initialization capabilities tools resources resourceTemplates prompts'.split(
  ' ',
);

type Settings = { url?: string; command?: string; args?: string[]; timeout?: number };
type Expected = [status: 'ok' | 'error' | 'skipped', detail: RegExp];

interface Row {
  name: string;
  /** Called when the targets run. */
  settings: () => Settings;
  options?: object;
  answers: [status: number, code: string, message: RegExp];
  /** The complete details; `server` is the saved server. */
  details: (server: { id: string; name: string; url: string }) => object;
  retryAfter?: string;
  doctor?: 'oauth_required';
  probe: Expected;
  connection: Expected;
}

const at = (path: string, timeout?: number) => () => ({
  url: hostile.url(path),
  ...(timeout !== undefined && { timeout }),
});
const run = (script: string, timeout?: number) => () => ({
  command: process.execPath,
  args: ['-e', script],
  ...(timeout !== undefined && { timeout }),
});
const because = (cause: string, upstreamStatus?: number) => () => ({
  cause,
  ...(upstreamStatus !== undefined && { upstreamStatus }),
});
const unreachable = (message: RegExp): Row['answers'] => [502, 'SERVER_UNREACHABLE', message];
const late = (message: RegExp): Row['answers'] => [504, 'TIMEOUT', message];
const notMcp = /Check the URL\. The path of an MCP server is often \/mcp\.$/;
const noAddress: Expected = ['skipped', /^A stdio server has no address to probe\.$/];
const notTried: Expected = ['skipped', /^Not tried without a token\.$/];
/** The probe and the connection report the same. */
const both = (detail: RegExp): { probe: Expected; connection: Expected } => ({
  probe: ['error', detail],
  connection: ['error', detail],
});
const needsOAuth = (server: { id: string; name: string; url: string }) => ({
  oauthRequired: true,
  serverId: server.id,
  serverName: server.name,
  serverUrl: server.url,
});

const rows: Row[] = [
  {
    name: 'connection refused',
    settings: () => ({ url: 'http://127.0.0.1:1/mcp' }),
    answers: unreachable(
      /^Could not reach the MCP server: nothing listens at 127\.0\.0\.1:1 \(ECONNREFUSED\)$/,
    ),
    details: because('refused'),
    ...both(/ECONNREFUSED\)\. Check that the server is running and that the port in the URL/),
  },
  {
    name: 'a host name that does not exist',
    settings: () => ({ url: 'http://nowhere.example.com/mcp' }),
    answers: unreachable(/^Could not reach the MCP server: the name nowhere\.example\.com does not resolve/),
    details: because('dns'),
    ...both(/Check the spelling of the host name in the URL\.$/),
  },
  {
    name: 'socket reset',
    settings: at('/reset'),
    answers: unreachable(/^Could not reach the MCP server: \S+ closed the connection \(ECONNRESET\)$/),
    details: because('reset'),
    ...both(/Check the log of the server/),
  },
  {
    name: 'a silent server',
    settings: at('/hang', 600),
    answers: late(/^The MCP server did not answer within 600 ms \(timed out\)$/),
    details: because('timeout'),
    ...both(/Check that the server is not stuck, or increase its `timeout`\.$/),
  },
  ...[500, 503].map((status) => ({
    name: `HTTP ${status}`,
    settings: at(`/status/${status}`),
    answers: unreachable(new RegExp(`^Could not reach the MCP server: .*HTTP status ${status}$`)),
    details: because('status', status),
    ...both(new RegExp(`HTTP status ${status}\\. Check the log of the server\\.$`)),
  })),
  {
    name: 'a page instead of an answer',
    settings: at('/html'),
    answers: unreachable(/not an MCP server: it sent text\/html/),
    details: because('not-mcp', 200),
    ...both(notMcp),
  },
  {
    name: 'broken JSON',
    settings: at('/bad-json'),
    answers: unreachable(/an answer that is not MCP: Unexpected end of JSON input$/),
    details: because('not-mcp'),
    ...both(notMcp),
  },
  {
    name: 'HTTP 404',
    settings: at('/status/404'),
    answers: unreachable(/HTTP status 404: nothing is served at this path/),
    details: because('status', 404),
    ...both(/[Nn]othing is served at this path.*often .*\/mcp/),
  },
  {
    name: 'HTTP 405',
    settings: at('/status/405'),
    answers: unreachable(/HTTP status 405: the path does not accept POST requests/),
    details: because('status', 405),
    ...both(/path (?:takes no|does not accept) POST requests.*often .*\/mcp/),
  },
  {
    name: 'HTTP 400',
    settings: at('/status/400'),
    answers: unreachable(/HTTP status 400: this path does not speak MCP/),
    details: because('status', 400),
    ...both(/often .*\/mcp/),
  },
  {
    name: '401 without a challenge',
    settings: at('/401-plain'),
    answers: [
      401,
      'OAUTH_REQUIRED',
      /^The server requires authorization\. Complete OAuth .*import the tokens$/,
    ],
    details: needsOAuth,
    doctor: 'oauth_required',
    // The server may want an API key instead: without a challenge, nothing says OAuth.
    probe: ['error', /import the tokens.*`headers`/],
    connection: notTried,
  },
  {
    name: '401 Basic',
    settings: at('/401-basic'),
    answers: [
      403,
      'FORBIDDEN',
      /requires Basic authorization\. Update the Authorization header of the server/,
    ],
    details: () => ({ cause: 'unauthorized', upstreamAuthRequired: true, upstreamStatus: 401 }),
    probe: ['error', /requires Basic authorization .* save it in `headers`\.$/],
    connection: ['error', /headers/],
  },
  {
    name: '401 with an OAuth challenge',
    settings: at('/401-oauth'),
    answers: [
      401,
      'OAUTH_REQUIRED',
      /^The server requires authorization\. Complete OAuth with the server "401 with /,
    ],
    details: (server) => ({
      ...needsOAuth(server),
      resourceMetadataUrl: hostile.url('/.well-known/oauth-protected-resource/401-oauth'),
      scopes: ['read', 'write'],
    }),
    doctor: 'oauth_required',
    probe: ['error', /^The server requires OAuth\. Complete it and import the tokens\.$/],
    connection: notTried,
  },
  {
    name: '401, and the metadata names another issuer',
    settings: at('/401-issuer'),
    answers: [401, 'OAUTH_REQUIRED', /Complete OAuth/],
    details: (server) => ({
      ...needsOAuth(server),
      resourceMetadataUrl: hostile.url('/.well-known/oauth-protected-resource/401-issuer'),
      scopes: ['read', 'write'],
    }),
    doctor: 'oauth_required',
    probe: [
      'error',
      /names another issuer\..*make `issuer` equal to http:\/\/127\.0\.0\.1:\d+\/as-elsewhere\.$/,
    ],
    connection: notTried,
  },
  {
    name: 'HTTP 403',
    settings: at('/status/403'),
    answers: [403, 'FORBIDDEN', /HTTP status 403/],
    details: () => ({ cause: 'forbidden', upstreamAuthRequired: true, upstreamStatus: 403 }),
    ...both(/HTTP status 403\)?\. .*credentials.*\.$/),
  },
  {
    name: '403 insufficient_scope',
    settings: at('/403-scope'),
    answers: [403, 'FORBIDDEN', /scope/],
    details: () => ({
      cause: 'scope',
      insufficientScope: true,
      scopes: ['admin'],
      resourceMetadataUrl: hostile.url('/.well-known/oauth-protected-resource/403-scope'),
      upstreamStatus: 403,
    }),
    probe: ['error', /403/],
    connection: ['error', /(?=.*\badmin\b).*Authorize again .*import the new tokens\.$/],
  },
  {
    name: '429 with Retry-After',
    settings: at('/status/429'),
    answers: [429, 'RATE_LIMITED', /The MCP server limits the rate of requests/],
    details: () => ({ cause: 'rate-limited', reason: 'TARGET_RATE_LIMITED', upstreamStatus: 429 }),
    retryAfter: '7',
    probe: ['error', /Try again later\.$/],
    connection: ['error', /Try again in 7 s\.$/],
  },
  {
    name: 'a redirect to another origin',
    settings: at('/redirect-away'),
    answers: unreachable(/redirects to http:\/\/example\.invalid\/mcp\. If that is the server, save its URL/),
    details: () => ({ cause: 'redirect', upstreamStatus: 307, location: 'http://example.invalid/mcp' }),
    probe: ['error', /(save its URL instead|the URL it points to)\.$/],
    // The advice appears once.
    connection: ['error', /^The server redirects to \S+\. If that is the server, save its URL instead\.$/],
  },
  {
    name: 'a redirect loop',
    settings: at('/redirect-loop'),
    answers: unreachable(/redirects in a loop/),
    details: because('status', 307),
    // There is no other URL to save.
    probe: ['error', /^(?!.*another address).*loop/],
    connection: ['error', /loop.*\. \w.*\.$/],
  },
  {
    name: 'a redirect to the metadata address',
    settings: at('/redirect-metadata'),
    answers: unreachable(/^(?!.*save its URL).*169\.254\.169\.254.*never contacted/),
    details: () => ({ cause: 'redirect', upstreamStatus: 307, location: 'http://169.254.169.254/latest' }),
    // The advice must not be to save that address.
    ...both(/^(?!.*([Ss]ave|[Uu]se) (its|the) URL)./),
  },
  {
    name: 'a revision that nobody speaks',
    settings: at('/old-version'),
    answers: unreachable(/protocol revision 1999-01-01, which is not supported/),
    details: because('version'),
    probe: ['error', /^Only supports protocol revision 1999-01-01.*Update the server/],
    connection: ['error', /Update the server, or set `mcpProtocolVersion`/],
  },
  {
    name: 'the new revision pinned, and a server of the old',
    settings: at('/odd'),
    options: { mcpProtocolVersion: '2026-07-28' },
    answers: unreachable(/2026-07-28/),
    details: because('version'),
    probe: ['ok', /^Supports 2025-11-25 and not yet 2026-07-28\.$/],
    connection: ['error', /set `mcpProtocolVersion` to a revision it supports\.$/],
  },
  {
    name: 'an old revision pinned, and a server of the new only',
    settings: () => ({ url: modern.url }),
    options: { mcpProtocolVersion: '2025-11-25' },
    answers: unreachable(/2025-11-25.*2026-07-28/),
    details: because('version'),
    probe: ['ok', /^Supports only 2026-07-28: clients with older revisions cannot use it\.$/],
    connection: ['error', /set `mcpProtocolVersion` to a revision it supports\.$/],
  },
  {
    name: 'an old revision pinned, and a server that chooses another',
    settings: at('/odd'),
    options: { mcpProtocolVersion: '2025-03-26' },
    // 2025-11-25 is supported; it is just not what was asked for.
    answers: unreachable(/^(?=.*2025-03-26)(?=.*2025-11-25)(?!.*not supported)/),
    details: because('version'),
    probe: ['ok', /^Supports 2025-11-25/],
    connection: ['error', /set `mcpProtocolVersion` to a revision it supports\.$/],
  },
  {
    name: 'an old revision pinned, and a command of the new only',
    settings: () => ({ ...modernOnlyStdio(), timeout: 10_000 }),
    options: { mcpProtocolVersion: '2025-11-25' },
    answers: unreachable(/2025-11-25.*2026-07-28/),
    details: because('version'),
    probe: noAddress,
    connection: ['error', /set `mcpProtocolVersion` to a revision it supports\.$/],
  },
  {
    name: 'a certificate nobody knows',
    settings: () => ({ url: selfSigned.url }),
    answers: unreachable(/the TLS connection to \S+ failed \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/),
    details: because('tls'),
    ...both(/Start the service with NODE_EXTRA_CA_CERTS set to the certificate of the authority\.$/),
  },
  {
    name: 'a command that does not exist',
    settings: () => ({ command: '/nowhere/command' }),
    answers: unreachable(/^Could not start the MCP server: the command \/nowhere\/command was not found$/),
    details: because('command'),
    probe: noAddress,
    connection: ['error', /without a shell, so use its full path\.$/],
  },
  {
    name: 'a command that ends at once and says why',
    settings: run('console.error("Cannot find the license"); process.exit(3)'),
    answers: unreachable(/^The command exited before the MCP handshake\. stderr: Cannot find the license$/),
    details: because('closed'),
    probe: noAddress,
    connection: ['error', /stderr: Cannot find the license\. \w.*\.$/],
  },
  {
    name: 'a silent command',
    settings: run('setInterval(() => {}, 1000)', 900),
    answers: late(/^The MCP server did not answer within 900 ms \(timed out\)$/),
    details: because('timeout'),
    probe: noAddress,
    connection: ['error', /Check that the server is not stuck, or increase its `timeout`\.$/],
  },
];

describe.each(rows)('$name', (row) => {
  /** Far below the default timeout of ten seconds. */
  const soon = 5000;

  test('validate', async () => {
    const settings = row.settings();
    const server = await saveServer(service, { name: row.name, ...settings });
    const started = performance.now();
    const { status, body, headers } = await server.post('validate', row.options);
    expect(performance.now() - started).toBeLessThan(scaled(soon));
    const [expectedStatus, code, message] = row.answers;
    const details = row.details({ id: server.id, name: row.name, url: settings.url ?? '' });
    expect({ status, body }).toEqual({
      status: expectedStatus,
      body: { code, message: expect.stringMatching(message), details },
    });
    expect(headers.get('retry-after')).toBe(row.retryAfter ?? null);
  });

  test('doctor', async () => {
    const server = await saveServer(service, row.settings());
    const started = performance.now();
    const { status, body } = await server.post('doctor', row.options);
    expect(performance.now() - started).toBeLessThan(scaled(soon));
    expect(status).toBe(200);
    expect(body.status).toBe(row.doctor ?? 'error');
    expect(body.error.code).toBe(row.answers[1]);
    expect(Object.keys(body.checks)).toEqual(order);
    const { probe, connection, ...later } = body.checks;
    const check = ([status, detail]: Expected) => ({ status, detail: expect.stringMatching(detail) });
    expect({ probe, connection }).toEqual({ probe: check(row.probe), connection: check(row.connection) });
    const skipped = { status: 'skipped', detail: expect.stringMatching(/^Not tried.*\.$/) };
    expect(Object.values(later)).toEqual(order.slice(2).map(() => skipped));
    expect(body.connection.detail).toBe(connection.detail);
    expect(JSON.stringify(body)).not.toContain('undefined');
  });
});

describe('servers that work', () => {
  const all = 'ok ok ok ok ok ok ok ok';
  const asCommand = `skipped${all.slice(2)}`;
  test.each([
    ['only the new revision', () => ({ url: modern.url }), all, /^Supports only 2026-07-28:/, '2026-07-28'],
    [
      'only the old ones',
      at('/get-405'),
      'ok ok ok ok ok skipped skipped skipped',
      /not yet 2026-07-28/,
      '2025-11-25',
    ],
    ['only HTTP+SSE', () => ({ url: sse.url }), all, /HTTP\+SSE.*Offer Streamable HTTP\.$/, '2025-11-25'],
    ['only the new revision, as a command', () => modernOnlyStdio(), asCommand, noAddress[1], '2026-07-28'],
    ['only the old ones, as a command', () => everythingStdio(), asCommand, noAddress[1], '2025-11-25'],
  ])('%s', async (_, settings, statuses, era, revision) => {
    const server = await saveServer(service, settings());
    const [validated, { body }] = [await server.post('validate'), await server.post('doctor')];
    expect(validated).toMatchObject({
      status: 200,
      body: { success: true, status: 'connected', initInfo: { protocolVersion: revision } },
    });
    expect(body).toMatchObject({ status: 'ready', error: null, connection: { status: 'connected' } });
    expect(Object.keys(body.checks)).toEqual(order);
    expect(order.map((name) => body.checks[name].status).join(' ')).toBe(statuses);
    expect(body.checks.probe.detail).toMatch(era);
    expect(body.checks.initialization.detail).toContain(`speaks ${revision}.`);
  });
});
