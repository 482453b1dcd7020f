import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { nameSourcesHandler } from '../src/domain/registry/sync/jobs.ts';
import { defaultLimits } from '../src/domain/registry/sync/read-registry.ts';
import { loadConfig, shownSetting } from '../src/platform/config/load.ts';
import type { RegistrySource } from '../src/platform/config/values.ts';
import type { SourceRow } from '../src/platform/database/queries/registry-sources.ts';
import type { Commit } from '../src/platform/leases/holder.ts';
import { readOnce, serverJson } from './support/registry.ts';
import { RegistryServer } from './support/registry-server.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';

let service: TestService;
/** Milliseconds that the clock of the service is ahead; tests advance it. */
let ahead = 0;
const hour = 3_600_000;

beforeAll(async () => {
  service = await startTestService({ worker: false, clock: () => Date.now() + ahead });
});
afterAll(() => dispose(service));

let count = 0;
async function newRegistry(): Promise<{ registry: RegistryServer; source: RegistrySource }> {
  const registry = await RegistryServer.start();
  return { registry, source: { name: `r${++count}`, kind: 'url', location: registry.url } };
}

/** Names in the directory without their common prefix. */
async function namesIn({ name }: RegistrySource): Promise<string[]> {
  const { items } = (await service.get(`/registry/directory-servers?source=${name}&limit=200`)).body;
  return items.map((item: { serverName: string }) => item.serverName.replace('com.example/', ''));
}

const read = (source: RegistrySource, limits: Partial<typeof defaultLimits> = {}, signal?: AbortSignal) =>
  readOnce(service, source, { ...defaultLimits, ...limits }, signal);

const numbered = (n: number): string => `s${String(n).padStart(4, '0')}`;

function publishMany(registry: RegistryServer, many: number): void {
  for (let n = 0; n < many; n++) registry.publish(serverJson(numbered(n)), { updatedAt: 0 });
}

const npmWith = (argument: object) => ({
  registryType: 'npm',
  identifier: '@example/odd',
  version: '1.2.3',
  transport: { type: 'stdio' },
  packageArguments: [argument],
});

describe('a registry', () => {
  test('is read page by page, then only for what changed, then not at all while nothing does', async () => {
    const { registry, source } = await newRegistry();
    publishMany(registry, 250);
    expect(await read(source)).toMatchObject({ liveCount: 250, skipped: 0, lastError: null, cursor: null });
    expect(registry.asked.map(({ url }) => url.searchParams.get('cursor'))).toEqual([
      null,
      'at-100',
      'at-200',
    ]);
    expect(registry.asked[0]?.url.searchParams.get('limit')).toBe('100');
    const asked = async (): Promise<object> => {
      registry.asked.length = 0;
      ahead += hour;
      await read(source);
      return registry.asked.map(({ url, status, tag }) => ({
        since: url.searchParams.has('updated_since'),
        status,
        tagged: tag !== undefined,
      }));
    };
    expect(await asked()).toEqual([{ since: true, status: 200, tagged: false }]);
    expect(await asked()).toEqual([{ since: true, status: 304, tagged: true }]);
    expect(await asked()).toEqual([{ since: true, status: 304, tagged: true }]);
    registry.publish(serverJson(numbered(7), { description: 'Other words' }), {
      updatedAt: Date.now() + ahead,
    });
    registry.publish(serverJson('new'), { updatedAt: Date.now() + ahead });
    registry.publish(serverJson(numbered(8)), { updatedAt: Date.now() + ahead, status: 'deleted' });
    expect(await asked()).toEqual([{ since: true, status: 200, tagged: true }]);
    const row = await read(source);
    expect(row.liveCount).toBe(250);
    const found = await service.get(`/registry/directory-servers?source=${source.name}&q=other%20words`);
    expect(found.body.items).toHaveLength(1);
    expect(await namesIn(source)).not.toContain(numbered(8));
    expect(await namesIn(source)).not.toContain('nothing');
    const sources = (await service.get('/registry/directory-sources')).body.items;
    expect(sources).toContainEqual({
      source: source.name,
      liveCount: 250,
      lastSyncedAt: row.lastSyncedAt,
      upstreamFetchedAt: row.upstreamFetchedAt,
    });
  });

  test('is read as a whole once a day, and what vanished without a word is gone', async () => {
    const { registry, source } = await newRegistry();
    publishMany(registry, 3);
    await read(source);
    registry.published.delete(`com.example/${numbered(1)}`);
    ahead += hour;
    await read(source);
    expect(await namesIn(source)).toHaveLength(3);
    ahead += 24 * hour;
    expect(await read(source)).toMatchObject({ liveCount: 2 });
    expect(await namesIn(source)).toEqual([numbered(0), numbered(2)]);
  });

  test('keeps only the latest version of each server', async () => {
    const { registry, source } = await newRegistry();
    registry.publish(serverJson('old'), { isLatest: false });
    registry.publish(serverJson('latest'));
    await read(source);
    expect(await namesIn(source)).toEqual(['latest']);
  });

  test('with malformed entries loses those, and nothing else', async () => {
    const { registry, source } = await newRegistry();
    const deep = JSON.parse(`${'['.repeat(30)}${']'.repeat(30)}`) as object;
    const wrong: unknown[] = [
      null,
      7,
      'text',
      [],
      {},
      { server: null },
      { server: { name: 'no-slash', version: '1' } },
      { server: { name: 'a/b' } },
      { server: serverJson('x', { name: 'a/b c' }) },
      { server: serverJson('x', { name: `a/${'b'.repeat(300)}` }) },
      { server: serverJson('x', { remotes: 'https://e.example.com' }) },
      { server: serverJson('x', { remotes: [{ type: 'sse' }] }) },
      {
        server: serverJson('x', { remotes: Array.from({ length: 500 }, () => ({ type: 'sse', url: 'x' })) }),
      },
      { server: serverJson('x', { padding: 'x'.repeat(100_000) }) },
      JSON.parse('{"server":{"__proto__":{"remotes":[]},"name":"a/b","version":"1"}}'),
      { server: serverJson('x'), _meta: { 'io.modelcontextprotocol.registry/official': 'yes' } },
      { server: serverJson('x'), _meta: { 'io.modelcontextprotocol.registry/official': { status: 'a\0' } } },
      {
        server: serverJson('x', {
          remotes: ['a', '\ud800'].map((end) => ({ type: 'sse', url: `https://e.example.com/${end}` })),
        }),
      },
      {
        server: serverJson('x', {
          remotes: [],
          packages: [npmWith({ type: 'named', name: '--a\0', value: 'b' })],
        }),
      },
    ];
    const odd = [
      { server: serverJson('nul', { description: 'a\0b \u202e\u001b[31m \ud800', deep }) },
      { server: serverJson('empty', { remotes: [] }) },
      { server: serverJson('script', { remotes: [{ type: 'sse', url: 'javascript:alert(1)' }] }) },
      {
        server: serverJson('unseen', {
          remotes: [],
          packages: [npmWith({ type: 'named', name: '--a\u001b', value: 'b\u202e' })],
        }),
      },
      { server: serverJson('whole', { remotes: [{ type: 'sse', url: '{url}' }] }) },
    ];
    registry.instead = (_url, response) => {
      response.end(JSON.stringify({ servers: [...wrong, ...odd], metadata: {} }));
      return true;
    };
    expect(await read(source)).toMatchObject({
      liveCount: odd.length,
      skipped: wrong.length,
      lastError: null,
    });
    const { items } = (await service.get(`/registry/directory-servers?source=${source.name}`)).body;
    const nul = items.find(({ serverName }: { serverName: string }) => serverName.endsWith('nul'));
    expect(nul.description).toMatch(/^a b \[31m/);
    expect(nul.description).not.toMatch(/[\p{Cc}\u202e]/u);
    for (const name of ['empty', 'script', 'whole', 'unseen'])
      expect(items).toContainEqual(
        expect.objectContaining({ serverName: `com.example/${name}`, unavailableReason: expect.any(String) }),
      );
  });
});

describe('what a registry must not do', () => {
  const troubles: [string, RegistryServer['instead'], Partial<typeof defaultLimits>, RegExp][] = [
    ['answers with an error', (_, response) => !!response.writeHead(500).end('x'), {}, /HTTP status 500/],
    ['is no registry', (_, response) => !!response.end('<html>'), {}, /No list of servers/],
    [
      'answers with another document',
      (_, response) => !!response.end('{"servers":{}}'),
      {},
      /No list of servers/,
    ],
    ['hangs up', (_, response) => !!response.destroy(), {}, /unreachable/],
    ['says nothing', () => true, { pageTime: 200 }, /Timed out/],
    [
      'answers without end',
      (_, response) => {
        const more = (): void => void (response.destroyed || response.write('x'.repeat(65_536), more));
        more();
        return true;
      },
      { pageBytes: 500_000 },
      /too large/,
    ],
    [
      'sends a page as slowly as it can',
      (_, response) => {
        const drip = setInterval(() => response.write(' '), 20);
        response.once('close', () => clearInterval(drip));
        return true;
      },
      { pageTime: 300 },
      /Timed out/,
    ],
    [
      'sends JSON that is nothing but brackets',
      (_, response) => !!response.end(`{"servers":[${'[],'.repeat(300_000)}1]}`),
      {},
      /too large/,
    ],
    [
      'redirects to itself',
      (url, response) => !!response.writeHead(302, { location: url.href }).end(),
      {},
      /Too many redirects/,
    ],
    [
      'redirects to where nobody may go',
      (_, response) => !!response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
      {},
      /network of the source is not allowed/,
    ],
    [
      'has pages that repeat',
      (_, response) => !!response.end('{"servers":[],"metadata":{"nextCursor":"again"}}'),
      {},
      /repeat/,
    ],
    [
      'has pages without end',
      (url, response) => {
        const n = Number(url.searchParams.get('cursor') ?? 0);
        const servers = [{ server: serverJson(`endless-${n}`) }];
        response.end(JSON.stringify({ servers, metadata: { nextCursor: String(n + 1) } }));
        return true;
      },
      { pages: 30 },
      /exceeds the size limit/,
    ],
    [
      'lists too many',
      (_, response) =>
        !!response.end(JSON.stringify(Array.from({ length: 60 }, (__, n) => serverJson(`too-many-${n}`)))),
      { entries: 50 },
      /exceeds the size limit/,
    ],
  ];

  test.each(troubles)('one that %s is noted, and what was there stays', async (_, instead, limits, words) => {
    const { registry, source } = await newRegistry();
    publishMany(registry, 3);
    await read(source);
    const before = await namesIn(source);
    registry.instead = instead;
    ahead += 25 * hour;
    const row = await read(source, limits);
    expect(row.lastError).toMatch(words);
    expect(row.lastError).not.toContain('127.0.0.1');
    expect(await namesIn(source)).toEqual(expect.arrayContaining(before));
    // Once the registry recovers, the next sync is complete.
    registry.instead = () => false;
    ahead += hour;
    expect(await read(source)).toMatchObject({ lastError: null, liveCount: 3 });
    expect(await namesIn(source)).toEqual(before);
  });
});

test('a reading that is cut off goes on where it was, and loses nothing meanwhile', async () => {
  const { registry, source } = await newRegistry();
  publishMany(registry, 350);
  await read(source);
  registry.publish(serverJson(numbered(340), { description: 'Changed at the end' }), { updatedAt: 0 });
  registry.published.delete(`com.example/${numbered(0)}`);
  ahead += 25 * hour;
  registry.asked.length = 0;
  const stop = new AbortController();
  registry.instead = (url) => {
    if (url.searchParams.get('cursor') !== 'at-200') return false;
    stop.abort();
    return true;
  };
  await expect(read(source, {}, stop.signal)).rejects.toThrow();
  const half = (await service.get('/registry/directory-sources')).body.items;
  expect(half).toContainEqual(expect.objectContaining({ source: source.name, liveCount: 350 }));
  expect(await namesIn(source)).toContain(numbered(0));
  registry.instead = () => false;
  registry.asked.length = 0;
  expect(await read(source)).toMatchObject({ liveCount: 349, lastError: null });
  expect(registry.asked.map(({ url }) => url.searchParams.get('cursor'))).toEqual(['at-200', 'at-300']);
  expect(await namesIn(source)).not.toContain(numbered(0));
});

test('a file is read when it has changed; one that is broken or gone leaves what was there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-registry-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const location = join(folder, 'servers.json');
  const source: RegistrySource = { name: 'file', kind: 'file', location };
  const write = (content: unknown): Promise<void> =>
    writeFile(location, typeof content === 'string' ? content : JSON.stringify(content));
  await write([serverJson('one'), serverJson('two'), 7]);
  expect(await read(source)).toMatchObject({ liveCount: 2, skipped: 1 });
  await write({ servers: [{ server: serverJson('two') }, { server: serverJson('three') }] });
  const row: SourceRow = await read(source);
  expect(row).toMatchObject({ liveCount: 2, pass: 2 });
  expect(await namesIn(source)).toEqual(['three', 'two']);
  expect(await read(source)).toMatchObject({ pass: 2 });
  await write('{ "servers": [');
  expect((await read(source)).lastError).toMatch(/^No list/);
  await rm(location);
  const { lastError } = await read(source);
  expect(lastError).toBe('The file cannot be read (ENOENT)');
  expect(await namesIn(source)).toEqual(['three', 'two']);
});

test('the jobs read every source by themselves, and forget one that is taken from the settings', async () => {
  const registry = await RegistryServer.start();
  publishMany(registry, 5);
  const first = await startForTest({ env: { DRYDOCK_REGISTRY_SOURCES: `bundled,team=${registry.url}/` } });
  const sources = async (of: TestService): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await of.get('/registry/directory-sources')).body.items.map(
        ({ source, liveCount }: { source: string; liveCount: number }) => [source, liveCount],
      ),
    );
  await expect.poll(() => sources(first), { timeout: 10_000 }).toMatchObject({ team: 5 });
  await expect.poll(async () => (await sources(first))['bundled'], { timeout: 10_000 }).toBeGreaterThan(10);
  const { services } = first.running;
  const without = { ...services, config: { ...services.config, registrySources: [] } };
  const commit = (await nameSourcesHandler(without).handle({}, new AbortController().signal)) as Commit;
  await services.db.transaction(commit);
  expect(await sources(first)).toEqual({});
  expect((await first.get('/registry/directory-servers')).body.items).toEqual([]);
});

test.each([
  'x',
  'all=/a',
  'bundled=/a',
  'a=',
  'A=/a',
  'a=/a,a=/b',
  'a=ftp://e.example.com',
  'a=https://u:p@e.example.com',
  'a=https://e.example.com?x=1',
  'a b=/x',
])('the setting %s is refused', (value) => {
  expect(() => loadConfig({ DRYDOCK_REGISTRY_SOURCES: value })).toThrow('DRYDOCK_REGISTRY_SOURCES');
});

test('sources are named in the settings', () => {
  const { config } = loadConfig({
    DRYDOCK_REGISTRY_SOURCES: 'bundled, official=https://registry.example.com/, f=/a/b.json',
  });
  expect(config.registrySources).toEqual([
    { name: 'bundled', kind: 'bundled', location: 'bundled' },
    { name: 'official', kind: 'url', location: 'https://registry.example.com' },
    { name: 'f', kind: 'file', location: '/a/b.json' },
  ]);
  expect(shownSetting('registrySources', config.registrySources)).toBe(
    'bundled,official=https://registry.example.com,f=/a/b.json',
  );
  expect(loadConfig({}).config.registrySources.map(({ name }) => name)).toEqual(['bundled']);
  expect(loadConfig({ DRYDOCK_REGISTRY_SOURCES: 'off' }).config.registrySources).toEqual([]);
});
