// @module-tag long
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { watchWhile } from './support/bystander.ts';
import { Drydock, endDatabase, newDataDir } from './support/process.ts';
import { processesWith } from './support/processes-with.ts';
import { scriptOf } from './support/script.ts';
import { slowdown } from './support/slowdown.ts';
import { attackNames, attacks } from './targets/attacks.ts';

/**
 * A misbehaving server does not slow down others: the service runs as users run it, the attacker in another
 * process, and a bystander calls GET /me all the while.
 */

const attackFile = fileURLToPath(new URL('./targets/attacks.ts', import.meta.url));
const key = `sk_${'bystander'.repeat(4)}`;
/** Maximum resident memory of the service in megabytes. */
const maxMemory = 1_200;
/**
 * Milliseconds on idle cores. Other tests share the cores here, and a watch has a hundred requests, so its
 * p99 is a single one: `npm run bench -- hostile` measures p99; this test limits p95 and the longest stall.
 */
const slowest = 250;
const maxStall = 1_000;

let folder: string;
let service: Drydock;
let attacker: ChildProcess;
let port: string;
let project: string;

beforeAll(async () => {
  folder = await newDataDir();
  service = await new Drydock(['serve'], {
    DRYDOCK_DATA_DIR: folder,
    DRYDOCK_PORT: '0',
    DRYDOCK_RATE_LIMIT: 'off',
    DRYDOCK_BOOTSTRAP_KEY: key,
    DRYDOCK_WARM_PROCESSES: '4',
    DRYDOCK_ALLOW_STDIO: 'true',
    DRYDOCK_LOG_LEVEL: 'warn',
  }).ready();
  attacker = spawn(process.execPath, [scriptOf(attackFile), 'http'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  port = String(await once(attacker.stdout as NodeJS.ReadableStream, 'data')).trim();
  const { items } = await api<{ items: { id: string }[] }>('GET', '/projects');
  project = `/projects/${items[0]?.id}`;
  // Warm-up: loads the lazily imported modules.
  await api('POST', `${await save({ url: `http://127.0.0.1:${port}/calm` })}/validate`);
});

afterAll(async () => {
  await service?.end();
  attacker?.kill('SIGKILL');
  if (folder) {
    await endDatabase(folder, 'SIGQUIT');
    await rm(folder, { recursive: true, force: true });
  }
});

const me = (): string => `${service.baseUrl}/me`;

async function api<T = { answered: number }>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { ...((await response.json()) as object), answered: response.status } as T;
}

async function save(fields: object): Promise<string> {
  const name = `s${Math.random()}`;
  const { id } = await api<{ id: string }>('POST', `${project}/servers`, { name, timeout: 3_000, ...fields });
  return `${project}/servers/${id}`;
}

function residentMb(): number {
  const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

const operations: [string, object][] = [
  ['validate', {}],
  ['doctor', {}],
  ['tools', {}],
  ['tools/call', { toolName: 'x' }],
  ['prompts/get', { promptName: 'x' }],
  ['resources/read', { uri: 'x:/' }],
  ['export', {}],
];

/** Statuses that are right for a misbehaving server: never an internal error. */
const allowed = new Set([200, 400, 404, 422, 429, 502, 504]);

/** Calls all operations on the server while a bystander calls GET /me, and returns the violations. */
async function troubleWith(server: string): Promise<string[]> {
  const before = slowdown();
  const asked = Promise.all(
    operations.map(([operation, body]) => api('POST', `${server}/${operation}`, body)),
  );
  const { p95, longest } = await watchWhile(me(), key, asked);
  const statuses = (await asked).map(({ answered }) => answered);
  const slower = Math.max(before, slowdown());
  return [
    ...statuses.filter((status) => !allowed.has(status)).map((status) => `answered ${status}`),
    ...(residentMb() > maxMemory ? [`${residentMb()} MB`] : []),
    ...(p95 > slowest * slower ? [`p95 of a bystander ${p95} ms`] : []),
    ...(longest > maxStall * slower ? [`a stall of ${longest} ms`] : []),
  ];
}

const watched = { timeout: 120_000, retry: 1 };

test.each(attackNames)('a server that answers with %s does not slow down others', watched, async (name) => {
  const server = await save({
    url: `http://127.0.0.1:${port}/${encodeURIComponent(name)}`,
    ...patienceWith(name),
  });
  expect(await troubleWith(server)).toEqual([]);
});

/** Endless answers end at the deadline. It is short, because until then they keep two cores busy. */
function patienceWith(name: string): { timeout?: number } {
  return name.endsWith('without end') ? { timeout: 1_500 } : {};
}

const commands = ['notifications without end', ...Object.keys(attacks).slice(0, 3), 'one text, 31 MB'];

test.each(commands)('a command that answers with %s does not slow down others', watched, async (name) => {
  const server = await save({ command: process.execPath, args: [scriptOf(attackFile), 'stdio', name] });
  expect(await troubleWith(server)).toEqual([]);
});

test('a deleted server is left alone at once, and costs nothing any more', async () => {
  const name = encodeURIComponent('an answer, then more without end');
  const server = await save({ url: `http://127.0.0.1:${port}/${name}` });
  expect((await api('POST', `${server}/tools`)).answered).toBe(200);
  await api('DELETE', server);
  await expect.poll(() => busyShare()).toBeLessThan(0.3);
});

/** How much of a core the service has used in the last half second. */
async function busyShare(): Promise<number> {
  const before = cpuSeconds();
  await new Promise((resolve) => setTimeout(resolve, 500));
  return (cpuSeconds() - before) / 0.5;
}

function cpuSeconds(): number {
  const fields = readFileSync(`/proc/${service.child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

test('no more commands run than are allowed, whoever asks for them, and all of what they started ends', async () => {
  // Commands do not see the data directory.
  const place = await mkdtemp(join(tmpdir(), 'drydock-marks-'));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  // Commands of a service that runs as root run as another user.
  await chmod(place, 0o777);
  const marks = join(place, 'grandchildren');
  // Starts a child process that would outlive it and is found by an argument, then speaks MCP.
  const script = `
    const { spawn } = require('node:child_process');
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', process.argv[1] + '-child'], { stdio: 'ignore' });
    require('node:fs').appendFileSync(process.argv[1], 'started\\n');
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (id === undefined) return;
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'n', version: '1' } };
      const answer = method === 'initialize' ? { result } : { error: { code: -32601, message: 'no' } };
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
    });`;
  const server = await save({
    command: process.execPath,
    args: ['-e', script, marks],
    timeout: 60_000,
  });
  let most = 0;
  const counting = setInterval(() => (most = Math.max(most, childrenOf(service.child.pid as number))), 10);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => api<{ answered: number }>('POST', `${server}/validate`)),
  );
  clearInterval(counting);
  // The last ones in the queue may time out; all others are answered.
  const statuses = answers.map(({ answered }) => answered);
  expect(statuses.filter((status) => status !== 200 && status !== 504)).toEqual([]);
  expect(statuses).toContain(200);
  expect(most).toBeLessThanOrEqual(4);
  expect(await readFile(marks, 'utf8')).toContain('started');
  await expect.poll(() => processesWith(`${marks}-child`)).toEqual([]);
});

/** Number of commands that the service runs now, without its database. */
function childrenOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean);
  return children.filter((child) => {
    try {
      return readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('readline');
    } catch {
      return false;
    }
  }).length;
}
