import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runsAsRoot } from '../accounts.ts';
import { loadConfig } from '../config/load.ts';
import { Confinement } from './confinement.ts';

/** In the service's folder, as the default `.drydock` is. */
let dataDir: string;

beforeAll(() => {
  dataDir = mkdtempSync(join(process.cwd(), '.drydock-test-'));
  writeFileSync(join(dataDir, 'master.key'), 'secret');
});
afterAll(() => rmSync(dataDir, { recursive: true }));

/** Runs a command as the owner of the data directory, so that file permissions do not protect it. */
async function run(
  args: string[],
  settings: Record<string, string>,
): Promise<{ stdout: string; stderr: string }> {
  const { config } = loadConfig({
    DRYDOCK_DATA_DIR: dataDir,
    ...(runsAsRoot() && { DRYDOCK_COMMAND_USER: 'root' }),
    ...settings,
  });
  const confinement = new Confinement(config);
  expect((await confinement.reached()).level).toBe('namespaces');
  const launch = await confinement.launch({ command: '/bin/cat', args, env: { PATH: '/usr/bin:/bin' } });
  return spawnSync(launch.command, launch.args, { env: launch.env, encoding: 'utf8' });
}

const tags = ['bubblewrap'];

test('a hidden folder with the folder of the service in it hides what that keeps there', {
  tags,
}, async () => {
  const files = [join(process.cwd(), 'package.json'), join(dataDir, 'master.key')];
  const { stdout, stderr } = await run(files, { DRYDOCK_COMMAND_HIDDEN: dirname(process.cwd()) });
  expect(stdout).toContain('"name": "drydock"');
  expect(stdout).not.toContain('secret');
  expect(stderr).toContain('master.key: No such file');
});

test('the first process in the namespaces has the limits of the command', { tags }, async () => {
  const { stdout } = await run(['/proc/1/limits'], { DRYDOCK_COMMAND_MEMORY: '512' });
  expect(stdout).toMatch(new RegExp(`^Max data size +${512 * 2 ** 20} `, 'm'));
  expect(stdout).toMatch(/^Max open files +4096 /m);
});
