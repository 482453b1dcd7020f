import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { putInDirectory, readOnce, serverJson } from './support/registry.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';
import { ok } from './support/studies.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ worker: false });
});
afterAll(() => dispose(service));

const directory = '/registry/directory-servers';
const remote = (url: string, more: object = {}) => ({ type: 'streamable-http', url, ...more });
const npm = (more: object = {}) => ({
  registryType: 'npm',
  identifier: '@example/weather',
  version: '1.2.3',
  transport: { type: 'stdio' },
  ...more,
});

async function newProject(): Promise<string> {
  return `/projects/${(await service.post('/projects', { name: 'Registry' })).body.id}`;
}

async function entry(name: string, more: object = {}): Promise<Record<string, unknown>> {
  await putInDirectory(service, [serverJson(name, more)]);
  const { body, status } = await service.get(`${directory}/${encodeURIComponent(`com.example/${name}`)}`);
  expect(status).toBe(200);
  return body;
}

describe('the directory', () => {
  beforeAll(async () => {
    await putInDirectory(
      service,
      [
        serverJson('io.github.someone/weather-mcp', {
          title: 'Weather',
          description: 'Forecasts for sailors',
        }),
        serverJson('tides', { description: 'Water levels, and a word on the weather' }),
        serverJson('Ärger', { name: 'com.example/umlaut', title: 'ÄRGER 天気' }),
        ...Array.from({ length: 25 }, (_, n) => serverJson(`many-${n}`, { description: 'crowd' })),
      ],
      'words',
    );
  });

  const found = async (query: string): Promise<string[]> =>
    (ok(await service.get(`${directory}?source=words&${query}`)).items as { serverName: string }[]).map(
      ({ serverName }) => serverName,
    );

  test('finds words of names, titles and descriptions, their beginnings too, the best first', async () => {
    expect(await found('q=weather')).toEqual(['io.github.someone/weather-mcp', 'com.example/tides']);
    expect(await found('q=WEATH')).toEqual(['io.github.someone/weather-mcp', 'com.example/tides']);
    expect(await found('q=sailors%20forecast')).toEqual(['io.github.someone/weather-mcp']);
    expect(await found('q=io.github.someone/weather-mcp')).toEqual(['io.github.someone/weather-mcp']);
    expect(await found(`q=${encodeURIComponent('ärg')}`)).toEqual(['com.example/umlaut']);
    expect(await found(`q=${encodeURIComponent('天')}`)).toEqual(['com.example/umlaut']);
    // Prefixes that nearly all names share are not searchable.
    expect(await found('q=git')).toEqual([]);
    expect(await found('q=nothing-like-this')).toEqual([]);
  });

  test.each(["'", '\\', ':*', '& | !', "a'b", "x' | 'y", '<->', '%00x', '(', '...'])(
    'a query of %s is only words',
    async (q) => {
      const { status } = await service.get(`${directory}?q=${q.startsWith('%') ? q : encodeURIComponent(q)}`);
      expect(status).toBe(q.startsWith('%00') ? 400 : 200);
    },
  );

  test('pages hold everything once, in the same order, and belong to their filters', async () => {
    for (const asked of ['source=words', 'source=words&q=crowd', 'source=words&q=crowd&rowType=remote']) {
      const names: string[] = [];
      let cursor = '';
      do {
        const page = ok(await service.get(`${directory}?${asked}&limit=4${cursor && `&cursor=${cursor}`}`));
        names.push(...page.items.map((item: { serverName: string }) => item.serverName));
        cursor = page.nextCursor ?? '';
      } while (cursor !== '');
      expect(new Set(names).size).toBe(names.length);
      expect(names).toEqual(await found(asked.replace('source=words&', '').replace('source=words', '')));
    }
    const { nextCursor } = ok(await service.get(`${directory}?source=words&q=crowd&limit=1`));
    for (const other of ['q=weather', 'q=crowd', 'source=words', 'source=words&q=crowd&rowType=remote'])
      expect((await service.get(`${directory}?${other}&cursor=${nextCursor}`)).status).toBe(400);
  });

  test('filters are all kept', async () => {
    await putInDirectory(
      service,
      [
        serverJson('f-fixed'),
        serverJson('f-tenant', { remotes: [remote('https://{tenant}.example.com/mcp')] }),
        serverJson('f-package', { remotes: [], packages: [npm()] }),
        serverJson('f-pypi', { remotes: [], packages: [npm({ registryType: 'pypi' })] }),
      ],
      'filters',
    );
    const names = async (query: string) =>
      (ok(await service.get(`${directory}?source=filters&${query}`)).items as { serverName: string }[]).map(
        ({ serverName }) => serverName.replace('com.example/f-', ''),
      );
    expect(await names('')).toEqual(['fixed', 'package', 'pypi', 'tenant']);
    expect(await names('rowType=package')).toEqual(['package', 'pypi']);
    expect(await names('endpointKind=tenant')).toEqual(['tenant']);
    expect(await names('verifiedTier=unverified')).toHaveLength(4);
    expect(await names('verifiedTier=bundled')).toEqual([]);
    expect(await names('connectableOnly=true')).toEqual(['fixed', 'package', 'tenant']);
    expect(await names('connectableOnly=true&q=about')).toEqual(['fixed', 'package', 'tenant']);
  });

  test('a name is read with its source, and rather from one that is kept up to date', async () => {
    await putInDirectory(service, [serverJson('twice', { description: 'old' })], 'bundled');
    await putInDirectory(service, [serverJson('twice', { description: 'new' })], 'words');
    const path = `${directory}/com.example%2Ftwice`;
    expect(ok(await service.get(path))).toMatchObject({ source: 'words', description: 'new' });
    const bundled = ok(await service.get(`${path}?source=bundled`));
    expect(bundled).toMatchObject({ source: 'bundled', description: 'old' });
    expect(bundled.id).toMatch(/^[0-9a-f]{32}$/);
    expect(ok(await service.get(`${directory}/${bundled.id}`))).toEqual(bundled);
    for (const missing of [
      `${path}?source=elsewhere`,
      `${directory}/nothing`,
      `${directory}/${'0'.repeat(32)}`,
    ])
      expect(await service.get(missing)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  test('the bundled servers are there without anybody being asked', async () => {
    const row = await readOnce(service, { name: 'bundled', kind: 'bundled', location: 'bundled' });
    expect(row).toMatchObject({ lastError: null, skipped: 0 });
    expect(row.liveCount).toBeGreaterThanOrEqual(12);
    const { items } = ok(await service.get(`${directory}?source=bundled&q=everything`));
    expect(items[0]).toMatchObject({
      rowType: 'package',
      endpointKind: 'package',
      verifiedTier: 'bundled',
      command: ['npx', '-y', expect.stringMatching(/^@modelcontextprotocol\/server-everything@/)],
    });
    const { items: listed } = ok(await service.get('/registry/directory-sources'));
    expect(listed).toContainEqual(expect.objectContaining({ source: 'bundled', liveCount: row.liveCount }));
  });
});

describe('installing from the directory', () => {
  test('saves a server once, however often it is asked for', async () => {
    const project = await newProject();
    const { id, latestContentHash } = await entry('once', { title: 'Once' });
    await service.post(`${project}/servers`, { name: 'once', url: 'https://e.example.com' });
    const body = { catalogServerId: id, expectedContentHash: latestContentHash };
    const first = await service.post(`${project}/registry/directory-installs`, body);
    expect(first).toMatchObject({ status: 201, body: { outcome: 'created', serverName: 'Once 2' } });
    const again = await service.post(`${project}/registry/directory-installs`, {
      catalogServerId: 'com.example/once',
    });
    expect(again.body).toEqual({ ...first.body, outcome: 'reconnected' });
    expect(ok(await service.get(`${project}/servers/${first.body.serverId}`))).toMatchObject({
      url: 'https://once.example.com/mcp',
      transportType: 'http',
    });
    const { items } = ok(await service.get(`${project}/registry/connections`));
    expect(items).toEqual([
      expect.objectContaining({
        kind: 'catalog',
        catalogServerId: id,
        serverId: first.body.serverId,
        endpointUrl: 'https://once.example.com/mcp',
        endpointKind: 'fixed',
      }),
    ]);
    ok(await service.delete(`${project}/servers/${first.body.serverId}`));
    expect(ok(await service.get(`${project}/registry/connections`)).items).toEqual([]);
    expect((await service.post(`${project}/registry/directory-installs`, body)).body.outcome).toBe('created');
  });

  test('of many at once one makes the server and the others find it', async () => {
    const project = await newProject();
    const { id } = await entry('race');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        service.post(`${project}/registry/directory-installs`, { catalogServerId: id }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(answers.filter(({ body }) => body.outcome === 'created')).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.serverId)).size).toBe(1);
    expect(ok(await service.get(`${project}/servers`)).items).toHaveLength(1);
  });

  test('a stale hash is refused with the one in force, and nothing is written', async () => {
    const project = await newProject();
    const { id, latestContentHash: old } = await entry('stale');
    const { latestContentHash } = await entry('stale', { version: '2.0.0' });
    const answer = await service.post(`${project}/registry/directory-installs`, {
      catalogServerId: id,
      expectedContentHash: old,
    });
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', details: { code: 'CONTENT_CHANGED', latestContentHash } },
    });
    expect(ok(await service.get(`${project}/servers`)).items).toEqual([]);
  });

  test('one that has moved takes the saved server along, without what was stored for the old place', async () => {
    const project = await newProject();
    const { id } = await entry('moves');
    const installs = `${project}/registry/directory-installs`;
    const { serverId } = ok(await service.post(installs, { catalogServerId: id }));
    const server = `${project}/servers/${serverId}`;
    ok(await service.patch(server, { headers: { authorization: 'Bearer old-place' } }));
    await entry('moves', { remotes: [remote('https://elsewhere.example.com/mcp')] });
    expect(ok(await service.post(installs, { catalogServerId: id })).outcome).toBe('reconnected');
    expect(ok(await service.get(server))).toMatchObject({
      url: 'https://elsewhere.example.com/mcp',
      headerNames: [],
    });
    // A URL that a user has changed stays.
    ok(await service.patch(server, { url: 'https://mine.example.com/mcp' }));
    expect(await service.post(installs, { catalogServerId: id })).toMatchObject({
      status: 409,
      body: {
        details: { code: 'ALREADY_CONNECTED', connectedUrl: 'https://mine.example.com/mcp', serverId },
      },
    });
  });

  test('of several addresses one is chosen, and kept', async () => {
    const project = await newProject();
    const installs = `${project}/registry/directory-installs`;
    const [eu, us] = ['https://eu.example.com/mcp', 'https://us.example.com/mcp'];
    const listed = await entry('options', { remotes: [remote(eu), remote(us)] });
    expect(listed).toMatchObject({ endpointKind: 'options', remoteUrlOptions: [eu, us] });
    const catalogServerId = listed['id'];
    for (const endpointUrl of [undefined, 'https://evil.example.com/mcp', `${eu}/`]) {
      const answer = await service.post(installs, { catalogServerId, endpointUrl });
      expect(answer).toMatchObject({ status: 400, body: { details: { code: 'ENDPOINT_URL' } } });
      expect(answer.body.message).toContain(eu);
    }
    const { serverId } = ok(await service.post(installs, { catalogServerId, endpointUrl: eu }));
    expect(ok(await service.post(installs, { catalogServerId, endpointUrl: eu })).serverId).toBe(serverId);
    expect(await service.post(installs, { catalogServerId, endpointUrl: us })).toMatchObject({
      status: 409,
      body: { details: { connectedUrl: eu, serverId } },
    });
    await entry('options', { remotes: [remote('https://ap.example.com/mcp'), remote(us)] });
    expect(ok(await service.post(installs, { catalogServerId, endpointUrl: us })).outcome).toBe(
      'reconnected',
    );
  });

  test('an address with a part of one`s own has to fit', async () => {
    const project = await newProject();
    const installs = `${project}/registry/directory-installs`;
    const variables = { tenant: { description: 'Your workspace' } };
    const listed = await entry('tenant', {
      remotes: [remote('https://{tenant}.example.com/mcp', { variables })],
    });
    expect(listed).toMatchObject({
      endpointKind: 'tenant',
      remoteUrlHint: 'https://{tenant}.example.com/mcp; tenant: Your workspace',
    });
    const catalogServerId = listed['id'];
    const regex = new RegExp(listed['remoteUrlRegex'] as string);
    for (const wrong of [
      'https://evil.com/.example.com/mcp',
      'https://evil.com#.example.com/mcp',
      'https://a@evil.com?.example.com/mcp',
      'https://.example.com/mcp',
      'http://a.example.com/mcp',
      'https://a.example.com/mcp/',
      'https://a.example.comx/mcp',
    ]) {
      expect(regex.test(wrong)).toBe(false);
      expect((await service.post(installs, { catalogServerId, endpointUrl: wrong })).status).toBe(400);
    }
    expect(ok(await service.get(`${project}/servers`)).items).toEqual([]);
    const endpointUrl = 'https://acme.example.com/mcp';
    expect(regex.test(endpointUrl)).toBe(true);
    expect(ok(await service.post(installs, { catalogServerId, endpointUrl })).outcome).toBe('created');
  });

  test('a package becomes a stdio server for those who may save one, and never through a shell', async () => {
    const project = await newProject();
    const packageArguments = [
      { type: 'positional', value: 'start' },
      { type: 'named', name: '--x', value: '1; ls' },
    ];
    const listed = await entry('pack', { remotes: [], packages: [npm({ packageArguments })] });
    expect(listed['command']).toEqual(['npx', '-y', '@example/weather@1.2.3', 'start', '--x', '1; ls']);
    const installs = `${project}/registry/directory-installs`;
    const body = { catalogServerId: listed['id'] };
    const { key } = await service.member('member');
    expect(await service.post(installs, body, { key })).toMatchObject({ status: 403 });
    const { serverId } = ok(await service.post(installs, body));
    expect(ok(await service.get(`${project}/servers/${serverId}`))).toMatchObject({
      transportType: 'stdio',
      url: null,
    });
    await entry('pack', { remotes: [], packages: [npm({ version: '1.3.0' })] });
    expect(ok(await service.post(installs, body))).toMatchObject({ serverId, outcome: 'reconnected' });
  });

  test('where commands are not allowed a package says so, and is not installed', async () => {
    const other = await startForTest({ worker: false, env: { DRYDOCK_ALLOW_STDIO: 'false' } });
    await putInDirectory(other, [serverJson('pack', { remotes: [], packages: [npm()] })]);
    const { items } = ok(await other.get(directory));
    expect(items[0].unavailableReason).toContain('stdio servers are not allowed');
    expect(items[0]).not.toHaveProperty('endpointKind');
    expect(ok(await other.get(`${directory}?connectableOnly=true`)).items).toEqual([]);
    const path = `/projects/${await other.defaultProject()}/registry/directory-installs`;
    expect((await other.post(path, { catalogServerId: items[0].id })).status).toBe(403);
  });

  test.each<[string, object, string]>([
    ['pypi', { registryType: 'pypi' }, 'offered as pypi'],
    ['env', { environmentVariables: [{ name: 'API_KEY', isRequired: true }] }, 'variables: API_KEY'],
    ['argument', { packageArguments: [{ type: 'positional', valueHint: 'dir', isRequired: true }] }, 'dir'],
    ['template', { packageArguments: [{ type: 'positional', value: '{dir}' }] }, 'requires arguments: '],
    ['runtime', { runtimeArguments: [{ type: 'named', name: '-c', value: 'ls' }] }, 'arguments for npx'],
    ['option', { identifier: '--registry=http://evil.example.com' }, 'offered as npm'],
    ['git', { identifier: 'git+ssh://evil.example.com/x' }, 'offered as npm'],
    ['path', { identifier: '../evil' }, 'offered as npm'],
    ['range', { version: '^1.0.0' }, 'offered as npm'],
    ['tag', { version: 'latest' }, 'offered as npm'],
    ['registry', { registryBaseUrl: 'https://evil.example.com' }, 'offered as npm'],
  ])('a package with %s is not installed, and the reason is told', async (name, more, reason) => {
    const project = await newProject();
    const listed = await entry(`not-${name}`, { remotes: [], packages: [npm(more)] });
    expect(listed).not.toHaveProperty('endpointKind');
    expect(listed['unavailableReason']).toContain(reason);
    const answer = await service.post(`${project}/registry/directory-installs`, {
      catalogServerId: listed['id'],
    });
    expect(answer).toMatchObject({ status: 400, body: { details: { code: 'NOT_INSTALLABLE' } } });
    expect(answer.body.message).toContain(reason);
  });

  test('an address that may not be saved is not installed either', async () => {
    const project = await newProject();
    const { id } = await entry('metadata', { remotes: [remote('http://169.254.169.254/mcp')] });
    expect(
      await service.post(`${project}/registry/directory-installs`, { catalogServerId: id }),
    ).toMatchObject({
      status: 400,
      body: { details: { code: 'URL_NOT_ALLOWED' } },
    });
    expect(ok(await service.get(`${project}/servers`)).items).toEqual([]);
  });
});
