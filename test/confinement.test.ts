import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../src/platform/config/load.ts';
import { confinementReached } from '../src/platform/confinement/confinement.ts';
import { saveServer } from './support/live.ts';
import { type Prober, saveProber } from './support/prober.ts';
import { processesWith } from './support/processes-with.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';
import { everythingStdio, filesystemStdio, memoryStdio } from './targets/processes.ts';

const { level, detail } = await confinementReached(loadConfig({}).config);
const inNamespaces = level === 'namespaces';
const needsNamespaces = `needs namespaces; here ${detail}`;
const root = process.getuid?.() === 0;

let service: TestService;
let open: TestService;
let folder: string;
let confined: Prober;
let unconfined: Prober;

beforeAll(async () => {
  folder = await mkdtemp(join(homedir(), '.drydock-test-'));
  [service, open] = await Promise.all([
    startTestService({
      env: { DRYDOCK_COMMAND_MEMORY: '512', DRYDOCK_COMMAND_HIDDEN: join(folder, 'hidden') },
    }),
    startTestService({ env: { DRYDOCK_CONFINE: 'off' } }),
  ]);
  await mkdir(join(folder, 'hidden'));
  await writeFile(join(folder, 'hidden', 'key'), 'secret');
  for (const { running } of [service, open]) {
    const { dataDir } = running.services.config;
    await mkdir(join(dataDir, 'blobs'), { recursive: true });
    await writeFile(join(dataDir, 'blobs', 'of-others'), 'secret');
  }
  [confined, unconfined] = await Promise.all([saveProber(service), saveProber(open)]);
});
afterAll(async () => {
  await Promise.all([dispose(service), dispose(open)]);
  await rm(folder, { recursive: true, force: true });
});

const inData = ({ running }: TestService, name: string): string =>
  JSON.stringify(join(running.services.config.dataDir, name));

/** What a hostile command would try, as expressions that are worth something where it succeeds. */
const attempts: Record<string, (service: TestService) => string> = {
  'the master key': (of) => `fs.readFileSync(${inData(of, 'master.key')}, 'utf8')`,
  'artifacts of others': (of) => `fs.readFileSync(${inData(of, 'blobs/of-others')}, 'utf8')`,
  'the environment of the service': () => `fs.readFileSync('/proc/${process.pid}/environ', 'utf8').length`,
  'a signal to the service': () => `process.kill(${process.pid}, 0)`,
  'other processes': () => `fs.readdirSync('/proc').filter(Number).length > 20 || 'none'`,
  'temporary files of others': () => `fs.readdirSync(${JSON.stringify(tmpdir())}).length > 3 || 'none'`,
  'the program of the service': () => `fs.accessSync('package.json', fs.constants.W_OK) ?? 'may write'`,
  'settings for the next start': () => `fs.accessSync('.', fs.constants.W_OK) ?? 'may write'`,
  'what the operator hides': () =>
    `fs.readFileSync(${JSON.stringify(join(folder, 'hidden', 'key'))}, 'utf8')`,
};

const refused = ['ENOENT', 'ESRCH', 'EROFS', 'none'];

describe.each(Object.entries(attempts))('%s', (_name, attempt) => {
  const code = (of: TestService): string => `const fs = require('fs'); (() => ${attempt(of)})()`;

  test('is within reach of a command that is not confined', async () => {
    expect(refused).not.toContain(await unconfined.evaluate(code(open)));
  });

  test.runIf(inNamespaces)(`is out of reach in namespaces`, async () => {
    expect(refused).toContain(await confined.evaluate(code(service)));
  });
});

test('some level is reached, which the log and the metrics name', async () => {
  await expect.poll(() => service.logs.join('')).toContain(`Confinement of commands: ${level}`);
  const { text } = await service.get('/metrics', { base: '' });
  expect(text).toContain(`drydock_command_confinement{level="${level}"} 1`);
  if (!inNamespaces) process.stderr.write(`Tests of namespaces are left out: ${detail}\n`);
});

test('servers that many use work as they did', async () => {
  const files = join(folder, 'files');
  await mkdir(files);
  const npx = { command: 'npx', args: ['--no-install', 'mcp-server-everything', 'stdio'] };
  const calls = [
    [everythingStdio(), 'echo', { message: 'hello' }],
    [npx, 'echo', { message: 'hello' }],
    [filesystemStdio(files), 'write_file', { path: join(files, 'note.txt'), content: 'hello' }],
    [
      memoryStdio(join(folder, 'memory.json')),
      'create_entities',
      {
        entities: [{ name: 'hello', entityType: 'word', observations: [] }],
      },
    ],
  ] as const;
  const answers = await Promise.all(
    calls.map(async ([server, toolName, parameters]) => {
      const saved = await saveServer(service, { ...server, timeout: 60_000 });
      return saved.post('tools/call', { toolName, parameters });
    }),
  );
  expect(answers.map(({ status, body }) => [status, body.isError ?? false])).toEqual(
    calls.map(() => [200, false]),
  );
  expect(await readFile(join(files, 'note.txt'), 'utf8')).toBe('hello');
  expect(await readFile(join(folder, 'memory.json'), 'utf8')).toContain('hello');
});

test.skipIf(level === 'none')('a command gets no more than its share', async () => {
  const hog = await saveProber(service);
  const inTurn = [
    // Written to, not just reserved.
    `const held = []; for (let i = 0; i < 16; i++) held.push(Buffer.alloc(64 * 1024 * 1024, 1)); held.length`,
    `const fs = require('fs'); const file = fs.openSync(process.env.HOME + '/.drydock-test-large', 'w');
     fs.unlinkSync(process.env.HOME + '/.drydock-test-large'); fs.ftruncateSync(file, 3 * 1024 ** 3)`,
    `const files = []; for (let i = 0; i < 10000; i++) files.push(require('fs').openSync('/dev/null'))`,
  ];
  const outcomes = [];
  for (const code of inTurn) outcomes.push(await hog.evaluate(code));
  expect(outcomes).toEqual([expect.stringMatching(/memory|allocation/i), 'EFBIG', 'EMFILE']);
});

test('a command that is not there is told from one that ends', async () => {
  const missing = await saveServer(service, { command: 'no-such-command-here' });
  const answer = await missing.post('tools');
  expect(answer).toMatchObject({ status: 502, body: { details: { cause: 'command' } } });
  expect(answer.text).toContain('no-such-command-here was not found');
});

test('variables that load code are for the command alone', async () => {
  const prober = await saveProber(service, { env: { LD_PRELOAD: '/no/such/library.so', SAVED: 'yes' } });
  expect(await prober.evaluate('[process.env.LD_PRELOAD, process.env.SAVED]')).toEqual([
    '/no/such/library.so',
    'yes',
  ]);
  // The loader complains in each process that has the variable.
  const { body } = await prober.server.post('tools/call', {
    toolName: 'evaluate',
    parameters: { code: '1' },
  });
  expect(body.content[0].text).toBe('1');
});

describe.runIf(inNamespaces)(`in namespaces (${needsNamespaces})`, () => {
  test('what left the process group ends with the connection too', async () => {
    const mark = `mark${process.pid}x${Date.now()}`;
    const prober = await saveProber(service);
    await prober.evaluate(
      `require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '${mark}'],
       { detached: true, stdio: 'ignore' }).unref()`,
    );
    await expect.poll(() => processesWith(mark).length).toBe(1);
    await service.delete(prober.server.path);
    await expect.poll(() => processesWith(mark)).toEqual([]);
  });

  test('what is hidden cannot be moved out from under its cover, nor the folder that it is in', async () => {
    const dataDir = join(folder, 'moved', 'work', 'data');
    await mkdir(dataDir, { recursive: true });
    const inHome = await startForTest({ dataDir });
    const prober = await saveProber(inHome, { args: [folder] });
    const move = (from: string): Promise<unknown> =>
      prober.evaluate(
        `require('fs').renameSync(${JSON.stringify(from)}, ${JSON.stringify(`${from}-2`)}) ?? 'moved'`,
      );
    const tried = [dataDir, join(dataDir, '..'), join(dataDir, '..', '..')];
    const outcomes = [];
    for (const path of tried) outcomes.push(await move(path));
    expect(outcomes).toEqual(['EBUSY', 'EBUSY', 'EBUSY']);
  });

  test('a command is asked to end before it is ended', async () => {
    const note = join(folder, 'ended.txt');
    const prober = await saveProber(service, { args: [folder] });
    await prober.evaluate(
      `process.on('SIGTERM', () => { require('fs').writeFileSync('${note}', 'asked'); process.exit() });
       setInterval(() => {}, 1000); 1`,
    );
    await service.delete(prober.server.path);
    await expect.poll(() => existsSync(note) && readFileSync(note, 'utf8')).toBe('asked');
  });

  test('with private files and no network, nothing of the machine changes and nothing is reached', async () => {
    const strict = await startForTest({
      env: { DRYDOCK_COMMAND_FILES: 'private', DRYDOCK_COMMAND_NETWORK: 'none' },
    });
    const [here, there] = await Promise.all([saveProber(service), saveProber(strict, { args: [folder] })]);
    const reach = `new Promise((resolve) => require('net').connect(${new URL(strict.origin).port}, '127.0.0.1')
      .on('connect', function () { this.destroy(); resolve('reached') }).on('error', ({ code }) => resolve(code)))`;
    const write = (place: string): string =>
      `require('fs').writeFileSync(${place} + '/.drydock-test-strict', '1') ?? 'written'`;
    expect([await here.evaluate(reach), await there.evaluate(reach)]).toEqual(['reached', 'ECONNREFUSED']);
    expect([
      await there.evaluate(write('process.env.HOME')),
      await there.evaluate(write(`'${folder}'`)),
    ]).toEqual(['written', 'ENOENT']);
    expect(existsSync(join(homedir(), '.drydock-test-strict'))).toBe(false);
    // Its own home is empty but for programs.
    const seen = await there.evaluate(`require('fs').readdirSync(process.env.HOME)`);
    expect(seen).not.toContain('.npm');
    const { status } = await (await saveServer(strict, everythingStdio())).post('tools');
    expect(status).toBe(200);
  });
});

/** How a service may be started, as what goes in front of it; as root each can be tried. */
const plain = ['setpriv', '--reuid=12345', '--regid=12345', '--clear-groups'];
const withoutNamespaces = [
  ...['unshare', '--user', '--map-root-user', 'sh', '-c'],
  'echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-all --inh-caps=-all "$@"',
  'sh',
];
const nobody = { DRYDOCK_COMMAND_USER: 'nobody' };
/** A file of its own covers it, or its folder is not there. */
const hidden = expect.stringMatching(/^(?:EACCES|ENOENT)$/);

const arrangements: [string, string[], Record<string, string>, object][] = [
  ['root', [], {}, { level: 'namespaces', key: 'ENOENT', uid: 0, settings: hidden, capabilities: 0 }],
  [
    'root, commands as another user',
    [],
    nobody,
    { level: 'namespaces', uid: 65534, settings: hidden, processes: 512 },
  ],
  [
    'a plain user',
    plain,
    {},
    { level: 'namespaces', key: 'ENOENT', uid: 12345, settings: hidden, processes: 512 },
  ],
  [
    'a plain user, whose home is the data directory',
    plain,
    { HOME: 'the data directory' },
    { level: 'namespaces', key: 'ENOENT', home: 'written' },
  ],
  ['root without namespaces', withoutNamespaces, {}, { level: 'limits only', capabilities: 0, memory: 2048 }],
  [
    'root without SYS_ADMIN, commands as another user',
    ['setpriv', '--bounding-set=-sys_admin'],
    nobody,
    { level: 'own user', key: 'EACCES', uid: 65534, capabilities: 0, memory: 2048 },
  ],
  ['root, not confined', [], { DRYDOCK_CONFINE: 'off' }, { level: 'none', key: 'secret', settings: '{}' }],
];

const look = `const fs = require('fs');
  const attempt = (read) => { try { return read() } catch (error) { return error.code } };
  const limit = (name) => Number(new RegExp(name + ' +([0-9]+)').exec(fs.readFileSync('/proc/self/limits', 'utf8'))?.[1]);
  console.log(JSON.stringify({
    key: attempt(() => fs.readFileSync(process.argv[1] + '/master.key', 'utf8')),
    settings: attempt(() => fs.readFileSync(process.argv[1] + '/../settings.json', 'utf8')),
    home: attempt(() => fs.writeFileSync(process.env.HOME + '/.npm-test', '') ?? 'written'),
    uid: process.getuid(), memory: limit('Max data size') / 2 ** 20, processes: limit('Max processes'),
    capabilities: parseInt(/CapEff:\\s*(\\S+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1], 16),
  }))`;

describe.runIf(root && inNamespaces)('the level, and what a command is then', () => {
  const run = promisify(execFile);
  const program = new URL('./support/confined.ts', import.meta.url).pathname;

  async function confinedAs(
    prefix: string[],
    settings: Record<string, string>,
  ): Promise<Record<string, unknown>> {
    // Removed here: a hook of the running test is not known when several run at once.
    const home = await mkdtemp(join(tmpdir(), 'drydock-level-'));
    try {
      return await lookFrom(home, prefix, settings);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  }

  async function lookFrom(
    home: string,
    prefix: string[],
    settings: Record<string, string>,
  ): Promise<Record<string, unknown>> {
    const dataDir = join(home, 'data');
    const owner = prefix === plain ? 12345 : 0;
    await run('install', ['-d', '-o', String(owner), '-m', '700', dataDir]);
    await run('chmod', ['755', home]);
    const key = join(dataDir, 'master.key');
    await writeFile(key, 'secret', { mode: 0o600 });
    await run('chown', [String(owner), key]);
    await writeFile(join(home, 'settings.json'), '{}');
    const [command, ...args] = [...prefix, process.execPath, '--import', 'tsx', program, look, dataDir];
    const env = {
      ...{ PATH: process.env['PATH'], HOME: home, TSX_DISABLE_CACHE: '1' },
      ...{ DRYDOCK_DATA_DIR: dataDir, DRYDOCK_CONFIG_FILE: join(home, 'settings.json'), ...settings },
      ...(settings['HOME'] !== undefined && { HOME: dataDir }),
    };
    const { stdout } = await run(command, args, { env, timeout: 60_000 });
    const outcome = JSON.parse(stdout) as { stdout: string };
    return { ...outcome, ...(JSON.parse(outcome.stdout || '{}') as object) };
  }

  test.concurrent.each(arrangements)('%s', async (_name, prefix, settings, expected) => {
    const seen = await confinedAs(prefix, settings);
    expect(seen).toMatchObject(expected);
  });

  test('where namespaces are required and there are none, nothing is started, and it says why', async () => {
    const outcome = confinedAs(withoutNamespaces, { DRYDOCK_CONFINE: 'require' });
    await expect(outcome).rejects.toThrow(/DRYDOCK_CONFINE=require allows .*Allow user namespaces/);
  });
});
