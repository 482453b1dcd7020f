// @module-tag long
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { announceService, serviceIn, withdrawService } from '../src/platform/local-service.ts';
import { complete } from '../src/surfaces/cli/completion/complete.ts';
import { profileNamed, readProfiles, saveProfile } from '../src/surfaces/cli/connect/profiles.ts';
import { theOne } from '../src/surfaces/cli/find.ts';
import { wrapped } from '../src/surfaces/cli/screen/text.ts';
import { createClient, eachItem } from '../src/surfaces/client/index.ts';
import { Drydock } from './support/process.ts';
import { typed } from './support/surfaces.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, path: string) => unknown;
interface Hostile {
  origin: string;
  asked: string[];
}

const project = { id: `prj_${'0'.repeat(26)}`, name: 'Default' };
const evil = 'x\u001B[2J\u001B]8;;http://evil\u0007\u009B2J\u202E\ndrydock: faked';
/** Terminal control sequences and characters that reorder text. */
const obeyed = /[\p{Cc}\p{Cf}]/u;

function visible(text: string): string {
  return text.replaceAll('\n', '');
}

/** A service that answers everything but the list of projects with this: JSON, or whatever the function does. */
async function hostile(answer: Answer): Promise<Hostile> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://x').pathname;
    asked.push(`${request.method} ${path}`);
    if (path === '/api/v1/projects') return void response.end(JSON.stringify({ items: [project] }));
    const said = answer(request, response, path);
    if (said !== undefined) response.end(typeof said === 'string' ? said : JSON.stringify(said));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'drydock-attacks-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

function onTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const before = Object.getOwnPropertyDescriptor(stream, 'isTTY');
    Object.defineProperty(stream, 'isTTY', { value: true, configurable: true });
    onTestFinished(() => {
      if (before) Object.defineProperty(stream, 'isTTY', before);
      else Reflect.deleteProperty(stream, 'isTTY');
    });
  }
  vi.stubEnv('NO_COLOR', '1');
  onTestFinished(() => void vi.unstubAllEnvs());
}

test.each<[string, string[], unknown, number]>([
  ['a list without items', ['servers', 'get', 'one'], {}, 4],
  ['items that are none', ['servers', 'get', 'one'], { items: [null] }, 4],
  ['names that are numbers', ['servers', 'get', 'one'], { items: [{ id: 'a', name: 5 }] }, 4],
  ['values too deep to print', ['servers', 'list'], `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 4],
  ['the same cursor', ['servers', 'list', '--all'], { items: [{ id: 'a' }], nextCursor: 'b' }, 4],
  ['no JSON', ['servers', 'list'], evil, 4],
  ['events that are no JSON', ['eval-runs', 'watch', 'r'], `data: ${evil}\n\n`, 4],
])('a service that answers with %s is said to be none, in a line', async (_, words, answer, code) => {
  const service = await hostile((_request, response) => {
    response.setHeader('content-type', words[1] === 'watch' ? 'text/event-stream' : 'application/json');
    return answer;
  });
  const printed = await typed(words, service, 'sk_x');
  expect(printed.code).toBe(code);
  expect(printed.stderr).toMatch(/^drydock: .*\n$/);
  expect(visible(printed.stderr)).not.toMatch(obeyed);
});

test.each<[string, string[], unknown]>([
  ['a time that is none', ['servers', 'list'], { items: [{ id: 'a', createdAt: 1e300 }] }],
  ['a cursor that is null', ['servers', 'list', '--all'], { items: [{ id: 'a' }], nextCursor: null }],
  [
    'more rows than a call takes arguments',
    ['servers', 'list'],
    { items: Array.from({ length: 150_000 }, () => ({ id: 'a' })) },
  ],
  [
    'items with nothing in common',
    ['servers', 'list'],
    { items: Array.from({ length: 3000 }, (_, i) => ({ [`a${i}`]: 1, [`b${i}`]: 1, [`c${i}`]: 1 })) },
  ],
])('%s is printed', async (_, words, answer) => {
  const service = await hostile(() => answer);
  const printed = await typed(words, service, 'sk_x');
  expect(printed).toMatchObject({ code: undefined, stderr: '' });
});

test('pages that go round in a circle, and empty ones without end, are left', async () => {
  let page = 0;
  const circle = await hostile(() => ({ items: [{ id: 'a' }], nextCursor: `c${page++ % 7}` }));
  expect((await typed(['servers', 'list', '--all'], circle, 'sk_x')).stderr).toContain('Pagination stopped');
  expect(circle.asked.length).toBeLessThan(40);
  const empty = await hostile(() => ({ items: [], nextCursor: `c${page++}` }));
  const client = createClient({ baseUrl: empty.origin, apiKey: 'sk_x' });
  const all = eachItem(client.listProjectServers, { projectId: project.id });
  await expect(all.next()).rejects.toThrow('Pagination stopped');
});

test('nothing that a service says does anything to a terminal, or passes for a line of ours', async () => {
  onTerminal();
  const service = await hostile((_request, response, path) => {
    if (path.endsWith('/me')) return { email: evil, id: 'u', name: evil };
    if (path.endsWith('/organizations')) return { items: [{ id: 'o', name: evil }] };
    if (path.endsWith('/servers')) return { items: [{ id: evil, name: 'one' }] };
    response.setHeader('content-type', 'text/plain');
    if (path.includes('/artifacts') || path.includes('storage')) return evil;
    response.statusCode = 400;
    return { code: `C${evil}`, message: evil, details: null };
  });
  vi.stubEnv('DRYDOCK_URL', service.origin);
  for (const words of [
    ['whoami'],
    ['whoami', '--json'],
    ['servers', 'get', 'two'],
    ['eval-runs', 'get', 'r'],
    ['eval-runs', 'get', 'r', '--json'],
    ['eval-ingest', 'download', 'storage'],
  ]) {
    vi.stubEnv('DRYDOCK_API_KEY', 'sk_x');
    vi.stubEnv('DRYDOCK_URL', service.origin);
    const { stdout, stderr } = await typed(words, service, 'sk_x');
    expect(visible(stdout + stderr)).not.toMatch(obeyed);
    expect(`${words.join(' ')}: ${stderr}`).not.toMatch(/\ndrydock: /);
    expect(stdout + stderr).toContain('http://evil');
  }
});

test('a redirect is not followed: neither the key nor the body reach another address', async () => {
  const other = await hostile(() => ({}));
  const service = await hostile((_request, response) => {
    response.writeHead(307, { location: `${other.origin}/api/v1/steal` });
    return '';
  });
  const printed = await typed(['servers', 'create', '--name', 'a', '--url', 'https://e.x'], service, 'sk_x');
  expect(printed.stderr).toContain(`redirects to ${other.origin}`);
  expect(other.asked).toEqual([]);
});

test('a key that cannot be sent is not shown', async () => {
  const service = await hostile(() => ({}));
  for (const key of ['sk_top\nsecret', 'sk_top…secret']) {
    const printed = await typed(['servers', 'list'], service, key);
    expect(printed).toMatchObject({ code: 2, stdout: '' });
    expect(printed.stderr).not.toMatch(/top|secret|\n {4}at/);
  }
});

test('a service that is always busy with a key is not asked as fast as it answers', async () => {
  const service = await hostile((_request, response) => {
    response.writeHead(409, { 'retry-after': '0' });
    return { code: 'CONFLICT', message: 'm', details: { reason: 'IDEMPOTENCY_KEY_IN_USE' } };
  });
  const client = createClient({ baseUrl: service.origin, apiKey: 'sk_x', maxWait: 900 });
  await expect(client.createProjectServer({ projectId: 'p', body: { name: 'a' } })).rejects.toThrow('m');
  expect(service.asked.length).toBeLessThanOrEqual(4);
});

test('a stream that ends after each event is not taken up as fast as it can end', async () => {
  let id = 0;
  const service = await hostile((_request, response) => {
    response.setHeader('content-type', 'text/event-stream');
    return `id: ${++id}\ndata: {}\n\n`;
  });
  const client = createClient({ baseUrl: service.origin, apiKey: 'sk_x' });
  const ended = AbortSignal.timeout(1000);
  const watch = async (): Promise<void> => {
    const events = client.watchEvalRun({ projectId: 'p', runId: 'r' }, { signal: ended });
    for await (const event of events) expect(event).toEqual({});
  };
  await expect(watch()).rejects.toThrow();
  expect(service.asked.length).toBeLessThan(8);
});

test('a text of megabytes is wrapped in time that grows with it', () => {
  const lines = wrapped('word '.repeat(600_000), 60, '  ').split('\n');
  expect(lines.length).toBe(50_000);
  expect(wrapped('ab cdefgh ijklmnop 😀😀😀😀😀😀', 10, '')).toBe('ab cdefgh\nijklmnop\n😀😀😀😀😀\n😀');
});

test('words that are no command but that every object has are refused', async () => {
  for (const word of ['constructor', '__proto__', 'toString']) {
    const printed = await typed([word], { origin: 'http://127.0.0.1:1' }, 'sk_x');
    expect(printed).toMatchObject({ code: 2, stderr: expect.stringContaining('unknown command') });
  }
});

test('what is completed is no flag, no control character and no second line', async () => {
  const items = [
    { id: 'srv_1', name: '--service=http://evil' },
    { id: 'srv_2', name: 'a\tb' },
    { id: 'a\nrm', name: '' },
    { id: 'srv_3', name: '$(touch x)' },
  ];
  const service = await hostile(() => ({ items }));
  vi.stubEnv('DRYDOCK_URL', service.origin);
  vi.stubEnv('DRYDOCK_API_KEY', 'sk_x');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await complete(['servers', 'get', ''])).toEqual(['srv_1', 'srv_2', '$(touch x)']);
});

test('completion ends in time when the service does not answer', async () => {
  const service = await hostile(() => undefined);
  const env = { DRYDOCK_URL: service.origin, DRYDOCK_API_KEY: 'sk_x' };
  const began = Date.now();
  expect(await new Drydock(['__complete', 'servers', 'get', ''], env).outcome()).toMatchObject({ code: 0 });
  expect(Date.now() - began).toBeLessThan(10_000);
});

test('a reader that goes away ends a command without a stack', async () => {
  const items = Array.from({ length: 50_000 }, (_, i) => ({ id: `srv_${i}`, name: 'name'.repeat(10) }));
  const service = await hostile(() => ({ items }));
  const drydock = new Drydock(['servers', 'list', '--json'], {
    DRYDOCK_URL: service.origin,
    DRYDOCK_API_KEY: 'sk_x',
  });
  drydock.child.stdout?.once('data', () => drydock.child.stdout?.destroy());
  expect(await drydock.outcome()).toMatchObject({ code: 3, stderr: '' });
});

test('a file that is written replaces a file and nothing else', async () => {
  const home = await folder();
  const service = await hostile((_request, response) => {
    response.setHeader('content-type', 'text/plain');
    return 'new';
  });
  const download = (output: string) =>
    typed(['eval-ingest', 'download', 's', '--output', output], service, 'sk_x');
  const [file, link, pipe] = ['file', 'link', 'pipe'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(file, 'old');
  await chmod(file, 0o600);
  await symlink(file, link);
  await promisify(execFile)('mkfifo', [pipe]);
  expect((await download(link)).code).toBeUndefined();
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(await readFile(file, 'utf8')).toBe('new');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const [read] = await Promise.all([readFile(pipe, 'utf8'), download(pipe)]);
  expect(read).toBe('new');
  expect((await lstat(pipe)).isFIFO()).toBe(true);
  for (const wrong of [home, '', join(file, 'below')])
    expect(await download(wrong)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^drydock: .*\n$/),
    });
  expect((await readdir(home)).toSorted()).toEqual(['file', 'link', 'pipe']);
});

test('a download that is ended leaves nothing behind', async () => {
  const home = await folder();
  const service = await hostile((_request, response) => void response.write('begun'));
  const env = { DRYDOCK_URL: service.origin, DRYDOCK_API_KEY: 'sk_x' };
  const drydock = new Drydock(['eval-ingest', 'download', 's', '--output', 'file'], env, { cwd: home });
  await vi.waitFor(async () => expect(await readdir(home)).toHaveLength(1), 10_000);
  expect(await drydock.end('SIGTERM')).toMatchObject({ code: 130, stderr: '' });
  expect(await readdir(home)).toEqual([]);
});

test('a name that is nothing like any other brings no suggestion', () => {
  const find = () => theOne('server', 'a'.repeat(5000), [{ id: 'srv_1', name: 'weather' }]);
  expect(find).toThrow('Available: weather (srv_1)');
});

test('a login of any name is kept, in a file that nobody else can have prepared; a broken file is said', async () => {
  const home = await folder();
  vi.stubEnv('XDG_CONFIG_HOME', home);
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of ['__proto__', '../x', 'a'])
    await saveProfile(name, { url: 'http://127.0.0.1:1' }, `sk_${name}`);
  for (const name of ['__proto__', '../x', 'a'])
    expect((await profileNamed(name))?.profile.apiKey).toBe(`sk_${name}`);
  expect(await readdir(join(home, 'drydock'))).toEqual(['profiles.json']);
  for (const text of ['{', '[]', 'null', '{"profiles":{"a":null}}', '{"profiles":{"a":{"url":5}}}']) {
    await writeFile(join(home, 'drydock', 'profiles.json'), text);
    await expect(readProfiles()).rejects.toThrow('does not contain profiles');
  }
});

test('a service is found only while its very process runs, and only in a file of the own', async () => {
  const home = await folder();
  const path = join(home, 'service.json');
  await announceService(home, { url: 'http://127.0.0.1:1', token: 'local_x' });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(serviceIn(home)).toMatchObject({ token: 'local_x', pid: process.pid });
  const text = await readFile(path, 'utf8');
  // Another process has the number now: it began at another time.
  await writeFile(path, text.replace(`"pid":${process.pid}`, `"pid":${process.ppid}`));
  expect(serviceIn(home)).toBeUndefined();
  for (const pid of ['0', '-1', '"x"', 'null']) {
    await writeFile(path, text.replace(`"pid":${process.pid}`, `"pid":${pid}`));
    expect(serviceIn(home)).toBeUndefined();
  }
  await writeFile(path, text);
  await chmod(path, 0o666);
  expect(serviceIn(home)).toBeUndefined();
  await chmod(path, 0o600);
  expect(serviceIn(home)).toBeDefined();
  withdrawService(home);
  expect(await readdir(home)).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'a process that nobody asked for its end is no service',
  async () => {
    const home = await folder();
    // The shell becomes a program that asks for no child's end, before the child ends: the shell would ask.
    const parent = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 60']);
    onTestFinished(() => void parent.kill());
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(String(line));
    const state = (): Promise<string> => readFile(`/proc/${pid}/stat`, 'utf8');
    await vi.waitFor(async () => expect(await state()).toContain(') Z '), 10_000);
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    const began = `${boot} ${(await state()).split(') ')[1]?.split(' ')[19]}`;
    const service = { url: 'http://127.0.0.1:1', token: 'local_x', pid, began };
    await writeFile(join(home, 'service.json'), JSON.stringify(service), { mode: 0o600 });
    expect(serviceIn(home)).toBeUndefined();
  },
);
