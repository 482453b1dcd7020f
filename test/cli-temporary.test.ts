// @module-tag long
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { Drydock, program } from './support/process.ts';
import { processesWith } from './support/processes-with.ts';

/** An empty folder of a repository on a machine that has no service, with a folder for temporary files of its own. */
async function emptyFolder() {
  const root = await mkdtemp(join(tmpdir(), 'drydock-ci-'));
  await chmod(root, 0o711);
  const [cwd, temporary] = [join(root, 'work'), join(root, 'tmp')];
  for (const folder of [cwd, temporary]) await mkdir(folder);
  await chmod(temporary, 0o1777);
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return {
    cwd,
    temporary,
    start: (args: string[], env: Record<string, string> = {}) =>
      new Drydock(args, { TMPDIR: temporary, ...env }, { cwd }),
    /** Asserts that a command leaves no files, no database and no server. */
    expectClean: async (...kept: string[]) => {
      expect((await readdir(cwd)).toSorted()).toEqual(kept.toSorted());
      expect(await readdir(temporary)).toEqual([]);
      // A server has removed its files just before it ends.
      await expect.poll(() => processesWith(root), { timeout: 10_000 }).toEqual([]);
    },
  };
}

const demo = { command: process.execPath, args: [program, 'demo-server', '--stdio'] };
const secret = 'sesame-7f3a91';

function suite(server: object, prompt = 'List a few ships of the harbour.') {
  return stringify({
    schemaVersion: '2',
    suite: { id: 'harbour', name: 'Harbour' },
    servers: { harbour: server },
    target: { servers: [{ name: 'harbour' }] },
    defaults: { model: 'drydock/rehearsal', iterations: 1, passThreshold: 1 },
    cases: [
      {
        id: 'lists',
        title: 'Lists ships',
        steps: [{ id: 'ask', kind: 'prompt', prompt }],
        assertions: [{ type: 'toolCalledAtLeastOnce', toolName: 'list_ships' }],
      },
    ],
  });
}

test('a suite file that brings a stdio server runs in an empty folder, and leaves nothing and no secret behind', async () => {
  const here = await emptyFolder();
  const file = join(here.cwd, 'suite.yaml');
  await writeFile(file, suite({ ...demo, env: { HARBOUR_TOKEN: '${HARBOUR_TOKEN}' } }));
  const unset = await here.start(['evals', 'run', 'suite.yaml']).outcome();
  expect(unset).toMatchObject({ code: 2, stdout: '' });
  expect(unset.stderr).toMatch(
    /suite\.yaml:\d+:\d+: servers\.harbour\.env\.HARBOUR_TOKEN: The environment variable HARBOUR_TOKEN is not set/,
  );
  const reports = ['--json', 'out.json', '--junit', 'out.xml'];
  const run = await here
    .start(['evals', 'run', 'suite.yaml', ...reports], { HARBOUR_TOKEN: secret })
    .outcome();
  expect(run.stderr).toMatch(/^Saved: server harbour\nCreated: suite Harbour /);
  expect(run.stdout).toMatch(/PASSED \(1 of 1 cases passed\)\n$/);
  // The startup log of the service is not printed.
  expect(run.stderr).not.toContain('"level"');
  expect(run.code).toBe(0);
  await here.expectClean('suite.yaml', 'out.json', 'out.xml');
  const written = await Promise.all(
    ['out.json', 'out.xml'].map((name) => readFile(join(here.cwd, name), 'utf8')),
  );
  expect([run.stdout, run.stderr, ...written].join('\n')).not.toContain(secret);
});

test('a server that does not start is no verdict, and nothing is left behind', async () => {
  const here = await emptyFolder();
  await writeFile(join(here.cwd, 'suite.yaml'), suite({ command: join(here.cwd, 'no-such-program') }));
  const run = await here.start(['evals', 'run', 'suite.yaml']).outcome();
  expect([1, 3]).toContain(run.code);
  expect(run.stdout).not.toContain('PASSED');
  await here.expectClean('suite.yaml');
});

test.each([
  ['while the database starts', /^$/],
  ['while a case runs', /Created: suite/],
])('Ctrl-C %s ends it with 130, and nothing is left behind', async (_, when) => {
  const here = await emptyFolder();
  await writeFile(join(here.cwd, 'suite.yaml'), suite(demo, 'Flood the dock for 50 seconds.'));
  const running = here.start(['evals', 'run', 'suite.yaml']);
  const begun = async (): Promise<boolean> =>
    when.source === '^$' ? (await readdir(here.temporary)).length > 0 : when.test(running.stderr);
  await expect.poll(begun, { timeout: 60_000, interval: 20 }).toBe(true);
  const ended = await running.end('SIGINT');
  expect(ended.code).toBe(130);
  await here.expectClean('suite.yaml');
});

test('check -- COMMAND compares a stdio server with a file, in an empty folder', async () => {
  const here = await emptyFolder();
  const words = ['--', demo.command, ...demo.args];
  const check = (...options: string[]) => here.start(['check', ...options, ...words]).outcome();
  const nothing = await check();
  expect(nothing.code).toBe(2);
  expect(nothing.stderr).toContain('drydock check --baseline FILE --update -- ');
  const elsewhere = await check('--baseline', 'b.json', '--service', 'http://127.0.0.1:9');
  expect(elsewhere.stderr).toContain('runs on this machine');
  const updated = await check('--baseline', 'b.json', '--update', '--name', 'harbour');
  expect(updated).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Wrote b\.json: harbour with 5 tools/),
  });
  const path = join(here.cwd, 'b.json');
  const baseline = JSON.parse(await readFile(path, 'utf8')) as { tools: { name: string }[] };
  await writeFile(
    path,
    JSON.stringify({ ...baseline, tools: [...baseline.tools, { ...baseline.tools[0], name: 'gone' }] }),
  );
  const failed = await check('--baseline', 'b.json');
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('FAILED: 1 breaking') });
  await here.expectClean('b.json');
});
