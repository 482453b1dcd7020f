import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SavedServer, saveServer } from './support/live.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';
import { type Hostile, startHostile } from './targets/hostile.ts';

let service: TestService;
let home: Hostile;
let elsewhere: Hostile;

beforeAll(async () => {
  [service, home, elsewhere] = await Promise.all([startTestService(), startHostile(), startHostile()]);
});
afterAll(async () => {
  await dispose(service);
  await Promise.all([home?.stop(), elsewhere?.stop()]);
});

const all = ['headers', 'env', 'clientSecret'];
const secrets = {
  headers: { 'X-Key': 'given-key' },
  env: { KEY: 'given-key' },
  clientSecret: 'given-secret',
};
const http = { url: 'https://e.com/mcp', ...secrets };
const stdio = { command: 'node', args: ['server.js'], ...secrets };
const resource = { ...http, oauthResourceUrl: 'https://resource.e.com/a' };
const xaa = { ...http, xaaAuthzIssuer: 'https://issuer.e.com' };

function edit(server: SavedServer, change: object): Promise<Answer> {
  return service.patch(server.path, change);
}

/** Kinds of secrets that are stored, as answers show them. */
function storedOf({ headerNames, envNames, hasClientSecret }: Answer['body']): string[] {
  const there = [headerNames.length > 0, envNames.length > 0, hasClientSecret];
  return all.filter((_, index) => there[index]);
}

describe('stored values stay with whom they were given to', () => {
  test.each<[what: string, saved: object, change: object, dropped: string[], kept?: string[]]>([
    ['another host', http, { url: 'https://f.com/mcp' }, all],
    ['another scheme', http, { url: 'http://e.com/mcp' }, all],
    ['another port', http, { url: 'https://e.com:8443/mcp' }, all],
    ['the port that was meant anyway', http, { url: 'https://E.com:443/mcp' }, []],
    ['another path and query', http, { url: 'https://e.com/other?a=b' }, []],
    ['another command', stdio, { command: 'deno' }, all],
    ['other arguments', stdio, { args: ['-e', 'console.log(process.env)'] }, all],
    ['no arguments', stdio, { args: [] }, all],
    ['the same command and arguments', stdio, { command: 'node', args: ['server.js'] }, []],
    ['from a URL to a command', http, { transportType: 'stdio', command: 'node' }, all],
    ['from a command to a URL', stdio, { transportType: 'http', url: 'https://e.com/mcp' }, all],
    ['arguments that a URL does not use', http, { args: ['x'] }, []],
    ['another resource', resource, { oauthResourceUrl: 'https://f.com/a' }, ['clientSecret']],
    ['the first resource', http, { oauthResourceUrl: 'https://f.com/a' }, ['clientSecret']],
    ['a resource on the same origin', http, { oauthResourceUrl: 'https://e.com/a' }, []],
    ['another issuer of assertions', xaa, { xaaAuthzIssuer: 'https://f.com' }, ['clientSecret']],
    ['no issuer of assertions', xaa, { clearXaaConfig: true }, ['clientSecret']],
    ['another host, new headers', http, { url: 'https://f.com', headers: { A: '1' } }, all.slice(1)],
    ['another host, new env', http, { url: 'https://f.com', env: {} }, ['headers', 'clientSecret'], []],
    ['another host, new secret', http, { url: 'https://f.com', clientSecret: 'new' }, all.slice(0, 2)],
    [
      'another host, secret cleared',
      http,
      { url: 'https://f.com', clearClientSecret: true },
      all.slice(0, 2),
      [],
    ],
    ['another host, all anew', http, { ...secrets, url: 'https://f.com' }, []],
    ['another name', http, { enabled: false, useOAuth: true, clientId: 'c', timeout: 5 }, []],
  ])('%s', async (_, saved, change, dropped, kept) => {
    const server = await saveServer(service, saved);
    const { status, body } = await edit(server, change);
    expect(status).toBe(200);
    expect(body.droppedSecrets).toEqual(dropped.length > 0 ? dropped : undefined);
    expect(storedOf(body)).toEqual(kept ?? all.filter((name) => !dropped.includes(name)));
    const { droppedSecrets: _dropped, ...shown } = body;
    expect((await service.get(server.path)).body).toEqual(shown);
  });

  test('what was not stored is not dropped', async () => {
    const server = await saveServer(service, { url: 'https://e.com', headers: {} });
    expect((await edit(server, { url: 'https://f.com' })).body).not.toHaveProperty('droppedSecrets');
  });

  test('a refused edit drops nothing', async () => {
    const server = await saveServer(service, http);
    expect((await edit(server, { url: 'http://169.254.169.254/' })).status).toBe(400);
    expect(storedOf((await service.get(server.path)).body)).toEqual(all);
  });
});

test('a server that moved is called without the headers, until they are sent again', async () => {
  const server = await saveServer(service, { url: home.url('/get-405'), headers: secrets.headers });
  expect((await server.post('tools')).status).toBe(200);
  expect(home.seen.map(({ headers }) => headers['x-key'])).toContain('given-key');
  await edit(server, { url: elsewhere.url('/get-405') });
  for (const operation of ['tools', 'validate', 'doctor'])
    expect((await server.post(operation)).status).toBe(200);
  const keys = () => new Set(elsewhere.seen.splice(0).map(({ headers }) => headers['x-key']));
  expect(keys()).toEqual(new Set([undefined]));
  await edit(server, { headers: { 'X-Key': 'for-the-new-place' } });
  expect((await server.post('tools')).status).toBe(200);
  expect(keys()).toEqual(new Set(['for-the-new-place']));
});

test('a command with other arguments runs without the variables', async () => {
  const say = (text: string) => ['-e', `console.error(${text}); process.exit(1)`];
  const env = { KEY: 'given-key' };
  const server = await saveServer(service, { command: process.execPath, args: say('"first"'), env });
  await edit(server, { args: say('"key: " + process.env.KEY') });
  expect((await server.post('validate')).body.message).toContain('key: undefined');
});
