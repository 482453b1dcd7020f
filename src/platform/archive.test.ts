import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { expect, onTestFinished, test } from 'vitest';
import { readBundle } from './archive.ts';
import { readFolder } from './folder.ts';

const bounds = { files: 10, bytes: 1000 };

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'drydock-archive-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** Creates an archive with exactly these names. A name that ends with a slash is a folder. */
async function archiveOf(entries: [name: string, content: string][]): Promise<string> {
  const tar = pack();
  for (const [name, content] of entries)
    tar.entry({ name, type: name.endsWith('/') ? 'directory' : 'file' }, content);
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar.pipe(createGzip())) chunks.push(chunk as Buffer);
  const file = join(await folder(), 'bundle.tar.gz');
  await writeFile(file, Buffer.concat(chunks));
  return file;
}

test('an archive made by tar holds what its folder holds', async () => {
  const root = await folder();
  const inside = join(root, 'pack');
  await promisify(execFile)('mkdir', ['-p', join(inside, 'skills/a')]);
  await writeFile(join(inside, 'plugin.json'), '{}');
  await writeFile(join(inside, 'skills/a/SKILL.md'), 'text');
  const file = join(root, 'pack.tgz');
  await promisify(execFile)('tar', ['-czf', file, '-C', root, 'pack']);
  expect(await readBundle(file, bounds)).toEqual(await readFolder(inside, bounds));
  await promisify(execFile)('tar', ['-czf', file, '-C', inside, '.']);
  expect(await readBundle(file, bounds)).toEqual(await readFolder(inside, bounds));
  expect(await readBundle(inside, bounds)).toEqual(await readFolder(inside, bounds));
});

const times = (count: number, name: (n: number) => string): [string, string][] =>
  Array.from({ length: count }, (_, n) => [name(n), '']);

test.each<[string, [string, string][], string]>([
  [
    'a way out',
    [
      ['plugin.json', '{}'],
      ['../etc/x', ''],
    ],
    'invalid name',
  ],
  ['an absolute name', [['/etc/x', '']], 'invalid name'],
  ['too many files', times(11, (n) => `${n}`), 'more than 10 files'],
  ['too many files of one name', times(11, () => 'same'), 'more than 10 files'],
  ['too many folders', times(11, (n) => `${n}/`), 'more than 10 folders'],
  ['too many folders of one name', times(11, () => 'same/'), 'more than 10 folders'],
  ['too much', [['big', 'x'.repeat(1001)]], 'more than 1000 bytes'],
])('%s is refused', async (_, entries, message) => {
  await expect(readBundle(await archiveOf(entries), bounds)).rejects.toThrow(message);
});

test('as many files and as many folders as allowed are taken', async () => {
  const entries = [...times(10, (n) => `${n}/`), ...times(10, (n) => `${n}/file`)];
  expect((await readBundle(await archiveOf(entries), bounds)).size).toBe(10);
});

test('a folder of too many folders is refused, however they are nested', async () => {
  const root = await folder();
  for (const name of ['a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'b/3', 'c/1', 'c/2'])
    await mkdir(join(root, name), { recursive: true });
  await expect(readBundle(root, bounds)).rejects.toThrow('more than 10 folders');
});

test('links, other files and nothing at all are refused', async () => {
  const root = await folder();
  await symlink('/etc/passwd', join(root, 'users'));
  const file = join(root, 'links.tgz');
  await promisify(execFile)('tar', ['-czf', file, '-C', root, 'users']);
  await expect(readBundle(file, bounds)).rejects.toThrow('a link');
  await writeFile(join(root, 'text'), 'not an archive');
  await expect(readBundle(join(root, 'text'), bounds)).rejects.toThrow('not a .tar.gz');
  await expect(readBundle(join(root, 'nothing'), bounds)).rejects.toThrow('ENOENT');
});
