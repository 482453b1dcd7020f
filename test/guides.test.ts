import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { guideList } from '../src/surfaces/docs/guides/list.ts';
import { createDatabase } from './support/database.ts';
import { blocksOf } from './support/guides/blocks.ts';
import { Session } from './support/guides/session.ts';
import { isRanElsewhere, isRun, matches, runStory } from './support/guides/story.ts';
import { Drydock, databaseHome, endDatabase, newDataDir } from './support/process.ts';
import { startRotatingOAuth } from './targets/rotating-oauth.ts';

/** Runs every command and program of the README and the guides with the built program. */

/** The guide of the client is run with the installed package, by test/package.test.ts. */
const guides = guideList.filter(({ name }) => name !== 'client');
const pages = ['README.md', ...guides.map(({ name }) => `docs/${name}.md`)];

/** Maximum number of blocks that are not run. */
const notRunAtMost = 7;

let folder: string;
let shared: Drydock;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-guides-'));
  await rename(await newDataDir(), join(folder, 'shared'));
  const env = { DRYDOCK_DATA_DIR: join(folder, 'shared'), DRYDOCK_PORT: '0', DRYDOCK_RATE_LIMIT: 'off' };
  shared = await new Drydock(['serve'], env, { cwd: folder }).ready();
});
afterAll(async () => {
  await shared.end();
  await rm(databaseHome(join(folder, 'shared')), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
});

interface Scene {
  env: Record<string, string>;
  stop?: () => Promise<void>;
}

/** Pages that need another setup than the shared service. */
const scenes: Record<string, () => Promise<Scene>> = {
  'docs/quick-start.md': () => Promise.resolve({ env: {} }),
  // A CI job has no service.
  'docs/ci.md': () => Promise.resolve({ env: {} }),
  'docs/oauth.md': async () => {
    const target = await startRotatingOAuth({ requireClientSecret: true });
    const { tokens, clientInformation } = target.issueTokens();
    const env = {
      SERVER_URL: target.url,
      ACCESS_TOKEN: tokens.access_token,
      REFRESH_TOKEN: tokens.refresh_token,
      CLIENT_ID: clientInformation.clientId,
      CLIENT_SECRET: clientInformation.clientSecret ?? '',
    };
    return { env: { ...sharedService(), ...env }, stop: target.stop };
  },
  'docs/self-hosting.md': async () => {
    const database = await createDatabase({ empty: true });
    return { env: { DATABASE_URL: database.url }, stop: () => database.drop() };
  },
};

function sharedService(): Record<string, string> {
  return { DRYDOCK_DATA_DIR: join(folder, 'shared'), DRYDOCK_PORT: new URL(shared.baseUrl).port };
}

/** The pages that a newcomer reads first. */
const first = ['README.md', 'docs/quick-start.md'];

describe.each([
  ['first', [], first],
  ['further', ['long'], pages.filter((page) => !first.includes(page))],
])('pages read %s', (_, tags, read) => {
  test.each(read.filter((page) => blocksOf(page).length > 0))(
    '%s does what it says',
    { tags },
    doesWhatItSays,
  );
});

async function doesWhatItSays(page: string): Promise<void> {
  const { env, stop } = (await scenes[page]?.()) ?? { env: sharedService() };
  const place = await mkdtemp(join(folder, 'page-'));
  onTestFinished(async () => {
    await stop?.();
    const folders = (await readdir(place, { withFileTypes: true })).filter((entry) => entry.isDirectory());
    for (const dataDir of folders.map(({ name }) => join(place, name))) {
      await endDatabase(dataDir, 'SIGQUIT');
      await rm(databaseHome(dataDir), { recursive: true, force: true });
    }
  });
  const blocks = blocksOf(page);
  expect(await runStory(blocks, place, env)).toBe(blocks.filter(isRun).length);
}

test('few blocks are not run, and each says why', () => {
  const blocks = pages.flatMap(blocksOf);
  const left = blocks.filter(({ notRun }) => notRun !== undefined);
  const elsewhere = blocks.filter(isRanElsewhere);
  process.stdout.write(
    [
      '',
      `${blocks.length} blocks, ${left.length} not run:`,
      ...left.map(({ page, line, notRun }) => `  ${page}:${line} ${notRun}`),
      `${elsewhere.length} run by other tests and by CI:`,
      ...elsewhere.map(({ page, line, text }) => `  ${page}:${line} ${text.split('\n', 1).join()}`),
      '',
    ].join('\n'),
  );
  expect(left.length).toBeLessThanOrEqual(notRunAtMost);
});

test('programs in TypeScript are written as the types demand', async () => {
  const programs = pages.flatMap(blocksOf).filter(({ language }) => language === 'ts');
  const place = join(folder, 'programs');
  await mkdir(join(place, 'node_modules'), { recursive: true });
  const root = new URL('..', import.meta.url).pathname;
  await symlink(root, join(place, 'node_modules/drydock'));
  await symlink(join(root, 'node_modules/@types'), join(place, 'node_modules/@types'));
  await Promise.all(programs.map(({ text }, i) => writeFile(join(place, `program-${i}.mts`), text)));
  const options = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
  };
  await writeFile(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
  const tsc = promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', place]);
  expect(await tsc.catch(({ stdout }: { stdout: string }) => ({ stdout, failed: true }))).toEqual({
    stdout: '',
    stderr: '',
  });
});

test('output that is shown is compared, and a block that fails ends the page', async () => {
  expect(matches('id  name\n1   demo', 'id    name\n…   demo')).toBe(true);
  expect(matches('a\nb\nc', 'a\n…\nc')).toBe(true);
  expect(matches('a\nb', 'a')).toBe(false);
  expect(matches('demo', 'demo.')).toBe(false);
  const session = new Session(folder, { PATH: process.env['PATH'] ?? '' });
  onTestFinished(() => session.end());
  await session.run('export KEPT=1; cd /');
  expect(await session.run('printf "%s %s" "$KEPT" "$PWD"')).toEqual({ stdout: '1 /', stderr: '' });
  await session.start('echo one; echo two; sleep 60', (printed) => printed === 'one\ntwo');
  await expect(session.run('echo before; false | true; echo after')).rejects.toThrow(/failed\nbefore\n$/);
});
