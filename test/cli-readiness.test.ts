// @module-tag long
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readJunit } from '../src/reports/junit.ts';
import { folderOf } from './support/folder.ts';
import { Drydock } from './support/process.ts';
import { declared, saveListable, startWithListable } from './support/readiness.ts';
import { dispose, type TestService } from './support/service.ts';
import { goodTool, type Listable } from './targets/listable.ts';

let service: TestService;
let target: Listable;
let server: string;
beforeAll(async () => {
  ({ service, target } = await startWithListable());
  server = (await saveListable(service, target.url, { name: 'ships' })).id;
});
afterAll(async () => {
  await dispose(service);
  await target.stop();
});

const readiness = (...args: string[]) =>
  new Drydock(['readiness', '--service', service.origin, ...args], {
    DRYDOCK_API_KEY: service.key,
  }).outcome();

test('a server is looked at, and the exit code says whether it is ready', async () => {
  const folder = await folderOf({ 'declared.json': JSON.stringify(declared), 'list.json': '[]' });
  const at = (name: string): string => join(folder, name);

  const ready = await readiness(
    '--server',
    'ships',
    '--directory',
    'claude',
    '--declared',
    at('declared.json'),
    '--wait',
  );
  expect(ready).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\nREADY: all deciding checks are satisfied\.\n$/),
  });
  expect(ready.stdout).toMatch(/^runtime-compatibility: ready\n {2}ok {3}The server uses HTTPS\n/);

  const open = await readiness('--server', server, '--directory', 'openai', '--wait');
  expect(open).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/INCOMPLETE: 0 violated, .*declared\.name/),
  });

  target.behaviour = { ...target.good, tools: [{ ...goodTool, name: 'bare\u001b[2J', title: undefined }] };
  const junit = at('out.xml');
  const broken = await readiness('--server', 'ships', '--directory', 'claude', '--wait', '--junit', junit);
  expect(broken.code).toBe(1);
  expect(broken.stdout).toContain('FAIL Every tool has a title\n');
  expect(broken.stdout).toContain('Add `title`, or `annotations.title`.');
  expect(broken.stdout).not.toContain('\u001b');
  const results = JSON.stringify(readJunit(await readFile(junit, 'utf8')));
  expect(results).toContain('claude.tools.title-present');

  const begun = await readiness('--server', 'ships', '--directory', 'claude');
  expect(begun).toMatchObject({ code: 0, stdout: expect.stringMatching(/^rdy_\w+\n$/) });

  const wrong = await readiness('--server', 'ships', '--directory', 'claude', '--declared', at('list.json'));
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('does not contain a JSON object') });
  expect((await readiness('--server', 'ships', '--directory', 'elsewhere')).code).toBe(2);
});
