import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandAccount } from '../accounts.ts';
import { loadConfig } from '../config/load.ts';
import { Confinement } from './confinement.ts';
import { probe, SelfTestIncomplete } from './probe.ts';
import { findTools } from './tools.ts';
import type { Wrapped } from './wrap.ts';

let folder: string;
let standIn: string;
const user = commandAccount(undefined);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'drydock-probe-'));
  standIn = join(folder, 'open', 'core_pattern');
  for (const name of ['open', 'home', 'data']) mkdirSync(join(folder, name));
  for (const path of [standIn, join(folder, 'data', 'master.key')]) writeFileSync(path, 'secret');
  if (user) for (const path of [join(folder, 'open'), standIn]) chownSync(path, user.uid, user.gid);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The options that `Confinement` passes, with folders that commands may change. */
function wrapped(writable: string[]): Wrapped {
  const { config } = loadConfig({ DRYDOCK_DATA_DIR: join(folder, 'data') });
  return {
    user: user && { ...user, home: join(folder, 'home') },
    network: 'shared',
    view: { ...config, files: 'shared', writable },
    bounds: { memory: 2 * 1024 ** 3, processes: 512, commands: 16 },
  };
}

const { bwrap } = findTools();

test('the self-test finds a file of the kernel that can be opened for writing', async ({ skip }) => {
  skip(bwrap === undefined, 'needs bubblewrap');
  const { facilities, broken } = await probe(wrapped([]));
  expect([facilities.namespaces, broken]).toEqual([true, []]);
  // Uses a file of our own in place of one in /proc/sys, which no test should be able to open.
  expect(await probe(wrapped([join(folder, 'open')]), [standIn])).toMatchObject({
    facilities: { namespaces: true },
    broken: [`${standIn} can be changed`],
  });
  expect((await probe(wrapped([]), [standIn])).broken).toEqual([]);
});

test('namespaces that do not hold are not said to be there', async ({ skip }) => {
  skip(bwrap === undefined, 'needs bubblewrap');
  const { config } = loadConfig({ DRYDOCK_DATA_DIR: join(folder, 'data'), DRYDOCK_CONFINE: 'require' });
  const confinement = new Confinement(config, async () => ({
    ...(await probe(wrapped([]))),
    broken: ['/proc/sys/kernel/core_pattern can be changed'],
  }));
  const { level, detail } = await confinement.reached();
  expect([level, detail]).toEqual([
    user ? 'own user' : 'limits only',
    expect.stringContaining('namespaces do not hold here: /proc/sys/kernel/core_pattern can be changed'),
  ]);
  await expect(confinement.launch({ command: 'true', args: [], env: {} })).rejects.toThrow('core_pattern');
});

test('a self-test without a result starts no command and is repeated for the next one', async () => {
  const { config } = loadConfig({ DRYDOCK_DATA_DIR: join(folder, 'data'), DRYDOCK_CONFINE: 'auto' });
  let tests = 0;
  const confinement = new Confinement(config, async () => {
    tests++;
    if (tests === 1) throw new SelfTestIncomplete('The self-test took too long');
    return probe(wrapped([]));
  });
  const command = { command: 'true', args: [], env: { PATH: '/usr/bin:/bin' } };
  await expect(confinement.launch(command)).rejects.toThrow('The self-test took too long');
  expect(confinement.level).toBeUndefined();
  await confinement.launch(command);
  expect(tests).toBe(2);
});

test('a program that answers anything in place of the self-test is no proof of namespaces', async ({
  skip,
}) => {
  skip(bwrap === undefined, 'needs bubblewrap');
  // Each exits successfully, but prints something other than a list of sentences.
  for (const printed of ['done', '{"ok": true}', '[1]']) {
    const { facilities, problem } = await probe(wrapped([]), [], ['sh', '-c', `echo '${printed}'`]);
    expect([facilities.namespaces, problem]).toEqual([
      false,
      'the self-test printed something else than its result',
    ]);
  }
});
