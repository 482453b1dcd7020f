// @module-tag long
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Drydock, newDataDir, place } from './support/process.ts';

/** The package as users get it: packed from the build, and installed in an empty folder elsewhere. */

const run = promisify(execFile);
const root = new URL('..', import.meta.url).pathname;
const tsc = join(root, 'node_modules/.bin/tsc');

/** npm has every dependency in its cache. Many installations allow no scripts. */
const quietly = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];

interface Packed {
  filename: string;
  size: number;
  unpackedSize: number;
  files: { path: string }[];
}

let folder: string;
let packed: Packed;
let tarball: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-package-'));
  await run(process.execPath, ['scripts/package.mjs'], { cwd: root });
  const pack = ['pack', './dist/package', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: root });
  [packed] = JSON.parse(stdout) as [Packed];
  tarball = await readFile(join(folder, packed.filename));
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const install = ['install', ...quietly, `./${packed.filename}`];
  await run('npm', install, { cwd: folder });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the package holds what a user needs, and nothing else', async () => {
  const needed = [
    /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md)$/,
    /^docs\/[\w-]+\.md$/,
    /^deploy\/(?:[\w-]+\/)*[\w.-]+$/,
    /^dist\/program\/(?:main|suite-file-thread|pipe-filter|[\w-]+-[A-Z0-9]{8})\.js$/,
    /^dist\/program\/(?:THIRD-PARTY-LICENSES\.txt|sbom\.json|self-test\.cjs)$/,
    /^dist\/program\/conformance\/(?:lockdown\.cjs|suite\/suite\.cjs|requirements\/[\w.-]+)$/,
    /^dist\/console\/(?:(?:index|visit|shared)\.html|theme\.js|icon\.svg)(?:\.gz)?$/,
    /^dist\/console\/assets\/[\w.-]+-[\w-]{8}\.(?:js|css)(?:\.gz)?$/,
    /^dist\/console\/THIRD-PARTY-LICENSES\.txt$/,
    /^dist\/client\/(?:index\.js|(?:index|calls|schemas|options|error|pages)\.d\.ts)$/,
  ];
  const paths = packed.files.map(({ path }) => path);
  expect(paths.filter((path) => !needed.some((pattern) => pattern.test(path)))).toEqual([]);
  expect(paths).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'dist/program/main.js',
      'dist/program/suite-file-thread.js',
      'dist/program/pipe-filter.js',
      'dist/program/conformance/suite/suite.cjs',
      'dist/program/THIRD-PARTY-LICENSES.txt',
      'dist/program/sbom.json',
      'dist/console/index.html',
      'dist/client/index.js',
      'dist/client/index.d.ts',
    ]),
  );
  const { stdout } = await run('du', ['-sk', join(folder, 'node_modules')]);
  const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  const sizes = [packed.size, packed.unpackedSize, Number.parseInt(stdout, 10) * 1024].map(mebibytes);
  process.stdout.write(`package: ${sizes[0]} packed, ${sizes[1]} unpacked, ${sizes[2]} installed\n`);
  expect(packed.size).toBeLessThan(5 * 2 ** 20);
});

test('the image installs what the lock beside the package pins, and the bill of materials names it', async () => {
  const place = await mkdtemp(join(folder, 'image-'));
  for (const name of ['package.json', 'package-lock.json'])
    await copyFile(join(root, 'dist/package', name), join(place, name));
  await run('npm', ['ci', '--omit=dev', ...quietly], { cwd: place });
  const read = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));
  const { packages } = (await read(join(place, 'node_modules/.package-lock.json'))) as {
    packages: Record<string, { version: string }>;
  };
  const { components } = (await read(join(root, 'dist/program/sbom.json'))) as {
    components: { purl: string }[];
  };
  const purls = Object.entries(packages).map(
    ([path, { version }]) =>
      `pkg:npm/${path.replace(/^.*node_modules\//, '').replace('@', '%40')}@${version}`,
  );
  expect(purls.length).toBeGreaterThan(30);
  expect(components.map(({ purl }) => purl)).toEqual(expect.arrayContaining(purls));
});

test('registries and type checkers find nothing wrong with it', async () => {
  const bytes = new Uint8Array(tarball);
  const { messages } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  expect(messages).toEqual([]);
  const checked = await checkPackage(createPackageFromTarballData(bytes));
  // The package is ESM only, which every supported version of Node can load.
  const expected = ['NoResolution node10', 'CJSResolvesToESM node16-cjs'];
  const problems = ('problems' in checked ? checked.problems : []).map((problem) =>
    'resolutionKind' in problem ? `${problem.kind} ${problem.resolutionKind}` : problem.kind,
  );
  expect(problems.filter((problem) => !expected.includes(problem))).toEqual([]);
});

test('it runs where it was installed, below a folder only its owner may enter, and the examples of the guide compile and work', async () => {
  const home = await place(join(folder, 'data'));
  const entry = join(folder, 'node_modules/.bin/drydock');
  const drydock = new Drydock(['serve'], home.env, { entry, cwd: folder });
  onTestFinished(() => void drydock.child.kill('SIGKILL'));
  const [programs] = await Promise.all([compiledExamples(), drydock.ready()]);
  const env = { ...process.env, ...home.env, DRYDOCK_URL: drydock.baseUrl, DRYDOCK_API_KEY: drydock.key };

  const evals = await run('npx', ['drydock', 'evals', 'run', 'demo', '--wait'], { cwd: folder, env }).catch(
    (error: { code: number; stdout: string }) => error,
  );
  // One case of the demo fails, and the command says so.
  expect(evals).toMatchObject({ code: 1, stdout: expect.stringContaining('failed') });

  const said: Record<string, string> = {};
  for (const [title, file] of programs)
    said[title] = (await run(process.execPath, [file], { cwd: folder, env })).stdout;
  expect(said).toEqual({
    'Call an operation': expect.stringMatching(/^Saved weather-\d+ as srv_\w+\n$/),
    'Read lists': expect.stringMatching(/^Default: \S+\n {2}\w+\n {2}\w+/),
    'Read streams': expect.stringMatching(/^1\/\d+ .*\n[\s\S]*The run failed\n$/),
    'Send and receive bytes': 'text/html <h1>Report</h1>\n',
    'Handle errors': expect.stringMatching(/^404 No such project \(req_\w+\)\n$/),
    'Configure retries and timeouts': 'Acting as owner@drydock.local\n',
    'Use the types': expect.stringMatching(/^Saved and deleted srv_\w+\n$/),
  });
  expect((await drydock.end()).code).toBe(0);
});

/** Needs permission to mount, as a container engine has. */
test('it runs as in the container: a plain user, nothing to write to but its data and /tmp', {
  tags: ['mounts'],
}, async () => {
  const data = await newDataDir();
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  // A user in /etc/passwd, like the one of the image.
  await run('chown', ['-R', 'nobody:nogroup', data]);
  const account = ['--reuid=nobody', '--regid=nogroup', '--clear-groups'];
  const privileges = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'];
  const script = [
    'set -e',
    'mount -t tmpfs tmpfs /mnt && mkdir /mnt/node_modules',
    `mount --bind ${folder}/node_modules /mnt/node_modules && mount --bind ${data} /srv`,
    'mount -t tmpfs -o mode=1777 tmpfs /tmp && mount -o remount,ro /mnt',
    'mount -o remount,bind,ro / && mount -o remount,bind,ro /mnt/node_modules',
    'cd /srv && ! touch /opt/x 2> /dev/null',
    `exec setpriv ${[...account, ...privileges].join(' ')} "$0" /mnt/node_modules/drydock/dist/program/main.js "$@"`,
  ].join('\n');
  const confined = ['--mount', '--propagation', 'private', 'sh', '-c', script, process.execPath];
  const env = { PATH: process.env['PATH'], HOME: '/srv', DRYDOCK_DATA_DIR: '/srv', DRYDOCK_PORT: '0' };
  const service = spawn('unshare', [...confined, 'serve'], { env });
  onTestFinished(() => void service.kill('SIGKILL'));
  const ended = once(service, 'close');
  let said = '';
  const started = new Promise<void>((resolve) => {
    for (const stream of [service.stdout, service.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (/API +http/.test(said)) resolve();
      });
  });
  await Promise.race([started, ended]);
  expect(said).toMatch(/API +http/);
  const port = new URL(/API +(\S+)/.exec(said)?.[1] as string).port;

  const health = await run('unshare', [...confined, 'health', '--ready'], {
    env: { ...env, DRYDOCK_PORT: port },
  });
  expect(health.stdout).toBe(`http://127.0.0.1:${port}/readyz 200 {"status":"ready"}\n`);
  service.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  const dead = run('unshare', [...confined, 'health'], { env: { ...env, DRYDOCK_PORT: port } });
  await expect(dead).rejects.toMatchObject({ code: 4, stderr: expect.stringContaining('No response') });
});

test('a mistake in a call does not compile, and the compiler says which', async () => {
  const wrong = [
    "import { createClient } from 'drydock/client';",
    "const drydock = createClient({ baseUrl: 'http://127.0.0.1', apiKey: 'sk_' });",
    "drydock.createProject({ body: { nam: 'x' } });",
    "drydock.getEvalRun({ projectId: 'p' });",
    'drydock.getMe().then(({ mail }) => mail);',
    "for await (const event of drydock.watchEvalRun({ projectId: 'p', runId: 'r' })) event.type === 'x';",
  ].join('\n');
  const { stdout } = await compile('wrong', { 'wrong.ts': wrong }).then(
    () => ({ stdout: '' }),
    (error: { stdout: string }) => error,
  );
  const lines = stdout.split('\n').filter((line) => line.startsWith('wrong'));
  expect(lines).toEqual([
    expect.stringMatching(/^wrong\/wrong\.ts\(3,.*'nam' does not exist in type 'ProjectCreateRequest'/),
    expect.stringMatching(/^wrong\/wrong\.ts\(4,.*'runId' is missing/),
    expect.stringMatching(/^wrong\/wrong\.ts\(5,.*'mail' does not exist on type 'Me'/),
    expect.stringMatching(/^wrong\/wrong\.ts\(6,.*no overlap/),
  ]);
});

/** The code blocks of the guide, each as a program, by heading. */
async function compiledExamples(): Promise<[string, string][]> {
  const guide = await readFile(join(root, 'docs/client.md'), 'utf8');
  const blocks = [...guide.matchAll(/^## (.+)\n(?:(?!^## )[\s\S])*?^```ts\n([\s\S]*?)^```/gm)];
  expect(blocks).toHaveLength(guide.split('```ts').length - 1);
  const names = blocks.map((_, n) => `example-${n}`);
  await compile('examples', Object.fromEntries(blocks.map(([, , text = ''], n) => [`${names[n]}.ts`, text])));
  return blocks.map(([, title = ''], n) => [title, join(folder, 'examples', `${names[n]}.js`)]);
}

/** Compiles with every check on, including those of declaration files. */
async function compile(name: string, sources: Record<string, string>): Promise<void> {
  await mkdir(join(folder, name));
  for (const [file, text] of Object.entries(sources)) await writeFile(join(folder, name, file), text);
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    lib: ['es2023'],
    typeRoots: [join(root, 'node_modules/@types')],
    types: ['node'],
  };
  const config = { compilerOptions, files: Object.keys(sources).map((file) => `${name}/${file}`) };
  await writeFile(join(folder, `${name}.json`), JSON.stringify(config));
  await run(tsc, ['-p', `${name}.json`, '--pretty', 'false'], { cwd: folder });
}
