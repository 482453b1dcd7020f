import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../src/platform/config/load.ts';
import { Confinement, confinementReached } from '../src/platform/confinement/confinement.ts';
import { folderOf } from './support/folder.ts';
import { commandUser, giveToCommands } from './support/for-commands.ts';
import { saveServer } from './support/live.ts';
import { type Prober, proberFile, saveProber } from './support/prober.ts';
import { processesWith } from './support/processes-with.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';
import { everythingStdio, filesystemStdio, memoryStdio } from './targets/processes.ts';

const { level } = await confinementReached(loadConfig({}).config);
const root = process.getuid?.() === 0;

let service: TestService;
let open: TestService;
let folder: string;
let confined: Prober;
let unconfined: Prober;

beforeAll(async () => {
  // Namespaces hide the temporary folder; without them, the command user may not enter the home folder.
  folder = await mkdtemp(join(level === 'namespaces' ? homedir() : tmpdir(), '.drydock-test-'));
  [service, open] = await Promise.all([
    startTestService({
      env: { DRYDOCK_COMMAND_MEMORY: '768', DRYDOCK_COMMAND_HIDDEN: join(folder, 'hidden') },
    }),
    startTestService({ env: { DRYDOCK_CONFINE: 'off', ...(root && { DRYDOCK_COMMAND_USER: 'root' }) } }),
  ]);
  await mkdir(join(folder, 'hidden'));
  await writeFile(join(folder, 'hidden', 'key'), 'secret');
  await giveToCommands(folder, join(folder, 'hidden'), join(folder, 'hidden', 'key'));
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

/** Attempts of a hostile command, as expressions that return a value where they succeed. */
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

const refused = ['ENOENT', 'EACCES', 'ESRCH', 'EROFS', 'none'];

describe.each(Object.entries(attempts))('%s', (_name, attempt) => {
  const code = (of: TestService): string => `const fs = require('fs'); (() => ${attempt(of)})()`;

  test('is within reach of a command that is not confined', async () => {
    expect(refused).not.toContain(await unconfined.evaluate(code(open)));
  });

  test(`is out of reach in namespaces`, { tags: ['bubblewrap'] }, async () => {
    expect(refused).toContain(await confined.evaluate(code(service)));
  });
});

test('some level is reached, which the log and the metrics name', async () => {
  await expect.poll(() => service.logs.join('')).toContain(`Confinement of commands: ${level}`);
  const { text } = await service.get('/metrics', { base: '' });
  expect(text).toContain(`drydock_command_confinement{level="${level}"} 1`);
});

test('servers that many use work as they did', async () => {
  const files = join(folder, 'files');
  await mkdir(files);
  await giveToCommands(files);
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
    // Filled, so that the memory is used and not just reserved.
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
  // Only its length is read: saved values are redacted from answers.
  expect(await prober.evaluate('[process.env.LD_PRELOAD.length, process.env.SAVED]')).toEqual([19, 'yes']);
  // The dynamic loader prints an error in each process that has the variable.
  const { body } = await prober.server.post('tools/call', {
    toolName: 'evaluate',
    parameters: { code: '1' },
  });
  expect(body.content[0].text).toBe('1');
});

describe('in namespaces', { tags: ['bubblewrap'] }, () => {
  test.runIf(commandUser)('a folder that only root may enter gives what a command needs of it', async () => {
    const program = `require('./prober.cjs')`;
    const place = await folderOf({
      'program.cjs': program,
      'prober.cjs': await readFile(proberFile),
      'notes.txt': 'for all',
      'key.txt': 'for root',
    });
    await chmod(join(place, 'key.txt'), 0o600);
    await symlink('notes.txt', join(place, 'link.txt'));
    await symlink(join(folder, 'hidden', 'key'), join(place, 'away.txt'));
    const inPlace = (name: string): string =>
      `require('fs').readFileSync(${JSON.stringify(join(place, name))}, 'utf8')`;
    const prober = await saveProber(service, { program: join(place, 'program.cjs') });
    expect(await prober.evaluate(inPlace('notes.txt'))).toBe('for all');
    expect(await prober.evaluate(inPlace('link.txt'))).toBe('for all');
    expect(await prober.evaluate(inPlace('key.txt'))).toBe('EACCES');
    expect(await prober.evaluate(inPlace('away.txt'))).toMatch(/^E(?:ACCES|NOENT)$/);
  });

  test('a folder that is exchanged for a link while a command starts is not given', async () => {
    const place = await folderOf({ 'named/other': '', 'hidden/key': 'secret' });
    const [named, hidden] = [join(place, 'named'), join(place, 'hidden')];
    for (const path of [place, named, hidden]) await chmod(path, 0o755);
    const { config } = service.running.services;
    const confinement = new Confinement({ ...config, commandHidden: [hidden] });
    const cat = { command: '/bin/cat', args: [join(named, 'key')], env: { PATH: '/usr/bin:/bin' } };
    const { command, args, env } = await confinement.launch(cat);
    await rename(named, join(place, 'aside'));
    await symlink(hidden, named);
    const ran = spawnSync(command, args, { env, encoding: 'utf8' });
    expect([ran.stdout, ran.status]).toEqual(['', 126]);
    expect(ran.stderr).toContain('A folder was replaced while the command was starting');
  });

  test('nothing that is saved with a command opens what is hidden', async () => {
    const { dataDir } = service.running.services.config;
    for (const env of [
      { HOME: join(dataDir, 'blobs') },
      { HOME: dataDir },
      { FOLDER: join(dataDir, 'blobs') },
    ]) {
      const prober = await saveProber(service, { env, args: [join(dataDir, 'blobs')] });
      expect(
        await prober.evaluate(`const fs = require('fs'); ${attempts['artifacts of others']?.(service)}`),
      ).toMatch(/^E/);
    }
    const inside = await saveServer(service, { command: join(dataDir, 'blobs', 'of-others') });
    expect((await inside.post('tools')).status).toBe(502);
  });

  test.runIf(commandUser)('a folder of somebody else stays closed, also when it is named', async () => {
    const place = await folderOf({ 'theirs/notes.txt': 'for them' });
    await chmod(place, 0o755);
    await chown(join(place, 'theirs'), 65_001, 65_001);
    await chmod(join(place, 'theirs'), 0o700);
    const { server } = await saveProber(service, { args: [join(place, 'theirs', 'notes.txt')] });
    expect((await server.post('tools')).text).toContain(`who cannot read ${join(place, 'theirs')}`);
  });

  test('a command may name the folder that the data directory is in', async () => {
    const place = await folderOf({
      'notes.txt': 'for all',
      'data/master.key': 'secret',
      'data/postgres/run/x': '',
    });
    const dataDir = join(place, 'data');
    await chmod(place, 0o755);
    await chmod(join(dataDir, 'postgres'), 0o700);
    const confinement = new Confinement({ ...service.running.services.config, dataDir });
    const files = [join(place, 'notes.txt'), join(dataDir, 'master.key')];
    const cat = { command: '/bin/cat', args: files, env: { PATH: '/usr/bin:/bin' } };
    const { command, args, env } = await confinement.launch(cat);
    expect(spawnSync(command, args, { env, encoding: 'utf8' })).toMatchObject({
      status: 1,
      stdout: 'for all',
    });
  });

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
    await giveToCommands(join(folder, 'moved'), join(folder, 'moved', 'work'));
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
    // The private home folder holds only programs.
    const seen = await there.evaluate(`require('fs').readdirSync(process.env.HOME)`);
    expect(seen).not.toContain('.npm');
    const { status } = await (await saveServer(strict, everythingStdio())).post('tools');
    expect(status).toBe(200);
  });
});

/** Command prefixes that start the service with fewer privileges. Root can use each. */
const plain = ['setpriv', '--reuid=12345', '--regid=12345', '--clear-groups'];
/** A process whose user has no ID in its user namespace cannot create further namespaces. */
const withoutNamespaces = [...plain, 'unshare', '--user', '--'];
const fewFiles = [...plain, 'prlimit', '--nofile=1024', '--'];
const asRoot = { DRYDOCK_COMMAND_USER: 'root' };
/** Another file is mounted over it, or its folder is not there. */
const hidden = expect.stringMatching(/^(?:EACCES|ENOENT)$/);
const kernel = expect.stringMatching(/^(?:EACCES|EROFS)$/);
const inside = {
  level: 'namespaces',
  settings: hidden,
  capabilities: 0,
  kernel,
  devices: 'EROFS',
  seen: 2,
  escaped: '',
};
const unprivileged = { ...inside, uid: commandUser?.uid, home: 'written', processes: 512 };

const arrangements: [string, string[], Record<string, string>, object][] = [
  ['root', [], {}, { ...unprivileged, key: 'ENOENT' }],
  ['root, commands as root', [], asRoot, { ...inside, key: 'ENOENT', uid: 0, kernel: 'EROFS' }],
  ['root, commands as another user', [], { DRYDOCK_COMMAND_USER: 'nobody' }, { ...unprivileged, uid: 65534 }],
  ['root, with private files', [], { DRYDOCK_COMMAND_FILES: 'private' }, { ...unprivileged, key: 'ENOENT' }],
  [
    'root, as the conformance suite is confined',
    [],
    { CONFINED_TO: '/nowhere' },
    { ...unprivileged, key: 'ENOENT' },
  ],
  ['a plain user', plain, {}, { ...inside, key: 'ENOENT', uid: 12345, processes: 512 }],
  [
    'a plain user, whose home is the data directory',
    plain,
    { HOME: 'the data directory' },
    { level: 'namespaces', key: 'ENOENT', home: 'written' },
  ],
  [
    'a plain user, who may open few files',
    fewFiles,
    {},
    { level: 'namespaces', files: 1024, missing: [expect.stringContaining('"Max open files"')] },
  ],
  [
    'a plain user without namespaces',
    withoutNamespaces,
    {},
    { level: 'limits only', capabilities: 0, memory: 2048, missing: [expect.stringContaining('namespaces')] },
  ],
  [
    'root without SYS_ADMIN',
    ['setpriv', '--bounding-set=-sys_admin'],
    {},
    { level: 'own user', key: 'EACCES', uid: commandUser?.uid, capabilities: 0, memory: 2048 },
  ],
  ['root, not confined', [], { DRYDOCK_CONFINE: 'off' }, { level: 'own user', key: 'EACCES' }],
  [
    'root, not confined, commands as root',
    [],
    { DRYDOCK_CONFINE: 'off', ...asRoot },
    { level: 'none', key: 'secret', settings: '{}' },
  ],
];

// The prefix of one character keeps the argument from being recognized as a folder.
const look = `const fs = require('fs'); const data = process.argv[1].slice(1);
  const attempt = (read) => { try { return read() } catch (error) { return error.code } };
  const limit = (name) => Number(new RegExp(name + ' +([0-9]+)').exec(fs.readFileSync('/proc/self/limits', 'utf8'))?.[1]);
  console.log(JSON.stringify({
    key: attempt(() => fs.readFileSync(data + '/master.key', 'utf8')),
    settings: attempt(() => fs.readFileSync(data + '/../settings.json', 'utf8')),
    home: attempt(() => fs.writeFileSync(process.env.HOME + '/.npm-test', '') ?? 'written'),
    kernel: attempt(() => fs.accessSync('/proc/sys/kernel/hostname', fs.constants.W_OK) ?? 'may write'),
    files: limit('Max open files'),
    devices: attempt(() => fs.writeFileSync('/dev/x', '') ?? 'written'),
    seen: fs.readdirSync('/proc').filter(Number).length,
    escaped: require('child_process').spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c',
      'umount "$1" && cat "$1/master.key"; umount /proc/sys && echo /proc/sys; mount -t proc none /proc && echo /proc',
      'sh', data], { encoding: 'utf8' }).stdout,
    uid: process.getuid(), memory: limit('Max data size') / 2 ** 20, processes: limit('Max processes'),
    capabilities: parseInt(/CapEff:\\s*(\\S+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1], 16),
  }))`;

describe.runIf(root)('the level, and what a command is then', { tags: ['bubblewrap', 'long'] }, () => {
  const run = promisify(execFile);
  const program = new URL('./support/confined.ts', import.meta.url).pathname;

  async function confinedAs(
    prefix: string[],
    settings: Record<string, string>,
  ): Promise<Record<string, unknown>> {
    // Removed here: with concurrent tests, `onTestFinished` cannot tell which one is running.
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
    const owner = prefix.includes('--reuid=12345') ? 12345 : 0;
    await run('install', ['-d', '-o', String(owner), '-m', '700', dataDir]);
    await run('chmod', ['755', home]);
    const key = join(dataDir, 'master.key');
    await writeFile(key, 'secret', { mode: 0o600 });
    await run('chown', [String(owner), key]);
    await writeFile(join(home, 'settings.json'), '{}');
    const [command, ...args] = [...prefix, process.execPath, '--import', 'tsx', program, look, `@${dataDir}`];
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
