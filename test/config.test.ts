import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exposures, loadConfig } from '../src/platform/config/load.ts';
import { settingsReference } from '../src/surfaces/cli/commands/config.ts';
import { emptyPlace } from './support/process.ts';

test('docs/configuration.md is what the program prints', async () => {
  expect(await readFile('docs/configuration.md', 'utf8')).toBe(settingsReference());
});

async function withFile(content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-config-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'drydock.json');
  await writeFile(path, content);
  return path;
}

test('the environment wins over the file, the file over the default', async () => {
  const file = await withFile('{"port": 5000, "host": "0.0.0.0", "prot": 1}');
  const { config, sources, unknown } = loadConfig({
    DRYDOCK_CONFIG_FILE: file,
    DRYDOCK_PORT: '6000',
    DRYDOCK_HOTS: 'x',
  });
  expect(config).toMatchObject({ port: 6000, host: '0.0.0.0', bodyLimit: 1_048_576 });
  expect(sources).toMatchObject({ port: 'environment', host: 'file', bodyLimit: 'default' });
  expect(unknown).toEqual(['DRYDOCK_HOTS', 'prot']);
});

test.each(['{', '[]', '"x"'])('a file with %s is refused', async (content) => {
  const file = await withFile(content);
  expect(() => loadConfig({ DRYDOCK_CONFIG_FILE: file })).toThrow('configuration file');
});

test.each<[string, string | undefined, string[]]>([
  ['127.0.0.1', undefined, []],
  ['127.9.9.9', 'http://127.0.0.1:4700', []],
  ['::1', 'http://[::1]:4700', []],
  ['localhost', 'http://drydock.localhost', []],
  ['0.0.0.0', undefined, ['it listens on 0.0.0.0 (DRYDOCK_HOST)']],
  ['10.0.0.1', 'http://localhost', ['it listens on 10.0.0.1 (DRYDOCK_HOST)']],
  ['127.0.0.1.example.com', undefined, ['it listens on 127.0.0.1.example.com (DRYDOCK_HOST)']],
  [
    '127.0.0.1',
    'https://127.0.0.1.example.com',
    ['it is reached at 127.0.0.1.example.com (DRYDOCK_PUBLIC_URL)'],
  ],
  [
    '::',
    'https://drydock.example.com/path',
    ['it listens on :: (DRYDOCK_HOST)', 'it is reached at drydock.example.com (DRYDOCK_PUBLIC_URL)'],
  ],
])('listening on %s, reached at %s: %j says that others can call', (host, publicUrl, why) => {
  const { config } = loadConfig({
    DRYDOCK_HOST: host,
    ...(publicUrl !== undefined && { DRYDOCK_PUBLIC_URL: publicUrl }),
  });
  expect(exposures(config)).toEqual(why);
});

test.each([
  's3://key:hidden-word@bucket/prefix',
  's3://key@bucket',
  's3://b?endpoint=https://key:hidden-word@minio.example',
])('the address of blobs is shown, so %s is refused with the settings to use', (url) => {
  const load = (): unknown => loadConfig({ DRYDOCK_BLOBS_URL: url });
  expect(load).toThrow(/DRYDOCK_BLOBS_URL .*AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/);
  expect(load).not.toThrow('hidden-word');
});

test('drydock config shows that a secret is set and never the secret', async () => {
  const here = await emptyPlace();
  const { stdout } = await here.run(['config'], {
    DRYDOCK_DATABASE_URL: 'postgres://u:hidden-word@h/d',
    DRYDOCK_MASTER_KEY: 'ab'.repeat(32),
    OPENAI_API_KEY: 'hidden-word',
  });
  expect(stdout).toMatch(/DRYDOCK_DATABASE_URL +\(set\) +environment/);
  expect(stdout).toMatch(/OPENAI_API_KEY +\(set\) +environment/);
  expect(stdout).not.toContain('hidden-word');
  expect(stdout).not.toContain('abab');
});
