// @module-tag long
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../src/surfaces/client/index.ts';
import { Drydock, type Outcome } from './support/process.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { Terminal } from './support/terminal.ts';

let service: TestService;
let home: string;
let env: Record<string, string>;

beforeAll(async () => {
  service = await startTestService();
  home = await mkdtemp(join(tmpdir(), 'drydock-home-'));
  env = {
    DRYDOCK_URL: new URL(service.running.baseUrl).origin,
    DRYDOCK_API_KEY: service.key,
    XDG_CONFIG_HOME: home,
  };
  const api = createClient({ baseUrl: service.running.baseUrl, apiKey: service.key });
  const { items } = await api.listProjects({});
  const projectId = items[0]?.id ?? '';
  for (const name of ['weather', 'harbour', 'a name with words', 'an evil [2J name'])
    await api.createProjectServer({ projectId, body: { name, url: 'https://example.com/mcp' } });
});
afterAll(async () => {
  await dispose(service);
  await rm(home, { recursive: true, force: true });
});

const run = (args: string[], more: Record<string, string> = {}, input?: string): Promise<Outcome> => {
  const drydock = new Drydock(args, { ...env, ...more }, { cwd: home });
  drydock.child.stdin?.end(input ?? '');
  return drydock.outcome();
};

test('a table fits the terminal, is coloured there, and is whole and plain elsewhere', async () => {
  for (const columns of [120, 60, 40]) {
    const terminal = Terminal.drydock(['servers', 'list'], { env, columns });
    expect(await terminal.ended()).toBe(0);
    expect(Math.max(...terminal.lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(terminal.screen).toContain('\u001B[1mid\u001B[22m');
    expect(terminal.lines.find((line) => line.includes('weather') || columns === 40)).toBeDefined();
  }
  const plain = Terminal.drydock(['servers', 'list'], { env: { ...env, NO_COLOR: '1' } });
  await plain.ended();
  expect(plain.screen).not.toContain('\u001B[');
  const piped = await run(['servers', 'list']);
  expect(piped.stdout).toMatch(/weather +https:\/\/example\.com\/mcp +true +http /);
  expect(piped.stdout).not.toContain('\u001B');
});

test('names stand for ids, fields are picked, and what is misspelt is recognized', async () => {
  const shown = await run(['servers', 'get', 'WEATHER', '--json']);
  const { id, name } = JSON.parse(shown.stdout) as { id: string; name: string };
  expect(name).toBe('weather');
  expect((await run(['servers', 'get', id, '--jq', '.name'])).stdout).toBe('weather\n');
  const names = await run(['servers', 'list', '--limit', '1', '--all', '--jq', '.items[].name']);
  expect(names.stdout.split('\n').slice(0, 2)).toEqual(['weather', 'harbour']);
  const wrong = await run(['servers', 'get', 'wether']);
  expect(wrong).toEqual({
    code: 2,
    stdout: '',
    stderr: 'drydock: No server named "wether". Did you mean "weather"?\n',
  });
  expect((await run(['severs', 'list'])).stderr).toContain('Did you mean servers?');
  expect((await run(['servers', 'lsit'])).stderr).toContain('Did you mean list?');
});

test('bodies come from flags, from a file and from the standard input, and flags win', async () => {
  await writeFile(
    join(home, 'server.json'),
    JSON.stringify({ name: 'from-file', url: 'https://example.com/a', enabled: true }),
  );
  const made = await run([
    'servers',
    'create',
    '--data',
    '@server.json',
    '--no-enabled',
    '--headers',
    'X-One=1',
    '--headers',
    'X-Two=2=2',
    '--json',
  ]);
  expect(JSON.parse(made.stdout)).toMatchObject({
    name: 'from-file',
    enabled: false,
    headerNames: ['X-One', 'X-Two'],
  });
  const typed = await run(
    ['servers', 'update', 'from-file', '--data', '-', '--jq', '.name'],
    {},
    '{"name": "typed"}',
  );
  expect(typed.stdout).toBe('typed\n');
  expect(await run(['servers', 'delete', 'typed', '--jq', '.deleted'])).toEqual({
    code: 0,
    stdout: 'true\n',
    stderr: '',
  });
  const bad = await run(['servers', 'create', '--data', '{"name": sk_secret}']);
  expect(bad).toMatchObject({ code: 2, stderr: expect.stringMatching(/^drydock: --data is not valid JSON/) });
  expect(bad.stderr).not.toContain('sk_secret');
});

test('a refusal says its code, what to do and the request id, to a script as JSON; the exit code tells them apart', async () => {
  const missing = await run(['servers', 'create']);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toMatch(
    /^drydock: name: Required \(VALIDATION_ERROR\)\n {2}Set it with --name or in --data\.\n {2}Request ID: req_\w+\n$/,
  );
  const told = await run(['servers', 'create', '--json']);
  expect(JSON.parse(told.stderr)).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: 'name: Required',
    requestId: expect.stringMatching(/^req_/),
  });
  const stranger = await run(['servers', 'list'], { DRYDOCK_API_KEY: 'sk_nobody_nobody_nobody_nobody' });
  expect(stranger).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Log in again: drydock login'),
  });
  const nobody = await run(['servers', 'list'], { DRYDOCK_URL: 'http://127.0.0.1:1' });
  expect(nobody).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/^drydock: No service responds at http:\/\/127\.0\.0\.1:1/),
  });
  const nowhere = await run(['servers', 'list'], { DRYDOCK_URL: '', DRYDOCK_API_KEY: '' });
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('drydock login URL') });
});

test('Ctrl-C ends a command that waits at once, with 130, and the service sees it go', async () => {
  const silent = createServer();
  const asked = once(silent, 'request') as Promise<[IncomingMessage]>;
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const terminal = Terminal.drydock(['account', 'get'], {
    env: { ...env, DRYDOCK_URL: `http://127.0.0.1:${port}` },
  });
  const [request] = await asked;
  const gone = once(request.socket, 'close');
  request.on('error', () => {});
  terminal.type('\u0003');
  expect(await terminal.ended()).toBe(130);
  expect(terminal.lines.join('')).toBe('^C');
  await gone;
});

test('a person is asked before something is deleted', async () => {
  await run(['servers', 'create', '--name', 'doomed', '--url', 'https://example.com']);
  const kept = Terminal.drydock(['servers', 'delete', 'doomed'], { env });
  await kept.shows(/servers delete doomed: are you sure\? \[y\/N\] /);
  kept.type('\r');
  expect(await kept.ended()).toBe(0);
  expect((await run(['servers', 'get', 'doomed', '--jq', '.name'])).stdout).toBe('doomed\n');
  const gone = Terminal.drydock(['servers', 'delete', 'doomed'], { env });
  await gone.shows(/\[y\/N\] /);
  gone.type('y\r');
  expect(await gone.ended()).toBe(0);
  expect((await run(['servers', 'get', 'doomed'])).code).toBe(2);
});

test('a login is typed unseen, kept for its owner alone, used by its name, and forgotten', async () => {
  const alone = { DRYDOCK_URL: '', DRYDOCK_API_KEY: '' };
  const origin = new URL(service.running.baseUrl).origin;
  const terminal = Terminal.drydock(['login', origin, '--profile', 'team'], {
    env: { ...env, ...alone },
    cwd: home,
  });
  await terminal.shows(/Key for http/);
  terminal.type(`${service.key}\r`);
  expect(await terminal.ended()).toBe(0);
  expect(terminal.screen).not.toContain(service.key);
  const path = join(home, 'drydock', 'profiles.json');
  onTestFinished(() => rm(path, { force: true }));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, 'utf8')).toContain(service.key);
  expect((await run(['whoami'], alone)).stdout).toContain(`at ${origin} (the profile team)`);
  expect((await run(['servers', 'get', 'weather', '--profile', 'team', '--jq', '.name'], alone)).stdout).toBe(
    'weather\n',
  );
  expect((await run(['profiles', 'list'], alone)).stdout).toMatch(/team +http\S+ +- +file +yes/);
  const refused = await run(
    ['login', origin, '--profile', 'wrong'],
    alone,
    'sk_wrong_wrong_wrong_wrong_wrong',
  );
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('The login was not saved.') });
  expect((await run(['servers', 'list', '--profile', 'wrong'], alone)).stderr).toContain('Available: team');
  expect((await run(['logout'], alone)).code).toBe(0);
  expect(await readFile(path, 'utf8')).not.toContain(service.key);
});

test('bash completes groups, verbs and flags by itself, and names by asking the service', async () => {
  const script = join(home, 'completion.bash');
  await writeFile(script, (await run(['completion', 'bash'])).stdout);
  const program = new URL('../dist/program/main.js', import.meta.url).pathname;
  const ask = (...words: string[]): string[] => [
    'bash',
    '--norc',
    '-c',
    `drydock() { ${process.execPath} ${program} "$@"; }; source ${script}; COMP_WORDS=(drydock ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _drydock; printf '%s|' "\${COMPREPLY[@]}"`,
  ];
  const completed = async (...words: string[]): Promise<string[]> => {
    const terminal = new Terminal(ask(...words), { env, cwd: home });
    await terminal.ended();
    return terminal.lines.join('').split('|').filter(Boolean);
  };
  expect(await completed('serv')).toEqual([
    'serve',
    'servers',
    'server-checks',
    'server-connections',
    'server-groups',
  ]);
  expect(await completed('servers', 'd')).toEqual(['delete', 'doctor', 'delete-contract-baseline']);
  expect(await completed('servers', 'get', '--j')).toEqual(['--json', '--jq']);
  expect(await completed('servers', 'get', 'we')).toEqual(['weather']);
  expect(await completed('servers', 'get', 'a')).toEqual([
    'a\\ name\\ with\\ words',
    'an\\ evil\\ \\[2J\\ name',
  ]);
  expect(await completed('servers', 'create', '--transport-type', 's')).toEqual(['stdio']);
});
