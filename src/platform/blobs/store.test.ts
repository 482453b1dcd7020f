import { existsSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startForTest } from '../../../test/support/service.ts';
import { statement } from '../../../test/support/statement.ts';
import { housekeeping } from '../../domain/retention/housekeeping.ts';
import * as blobRows from '../database/queries/blobs.ts';
import { newId } from '../ids.ts';
import { FileBlobStore } from './files.ts';
import { BlobTooLarge } from './store.ts';

async function* chunks(...parts: string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

async function store(): Promise<{ blobs: FileBlobStore; root: string }> {
  const root = await mkdtemp(join(tmpdir(), 'drydock-blobs-'));
  onTestFinished(() => rm(root, { recursive: true }));
  return { blobs: new FileBlobStore(root), root };
}

test('what goes in comes out, with its size and digest', async () => {
  const { blobs } = await store();
  const id = newId('blb');
  expect(await blobs.put(id, chunks('hello ', 'blob'), 100)).toEqual({
    size: 10,
    sha256: 'e997afd18e5f6be004fc193aed2c90291e68ab2c7599a62538c935b7fca6ab0f',
  });
  expect((await buffer(blobs.read(id))).toString()).toBe('hello blob');
  expect((await buffer(blobs.read(id, { start: 6, end: 7 }))).toString()).toBe('bl');
  await blobs.remove(id);
  await expect(buffer(blobs.read(id))).rejects.toThrow('ENOENT');
  await blobs.remove(id);
});

test('an acknowledged blob has its name on disk, and so has every folder above it', async () => {
  const { root: parent } = await store();
  const root = join(parent, 'a', 'blobs');
  const id = newId('blb');
  const path = join(root, id.slice(-2), id);
  const handle = await open(parent);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const synced: { inode: number; named: boolean }[] = [];
  const sync = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    synced.push({ inode: (await this.stat()).ino, named: existsSync(path) });
  });
  onTestFinished(() => sync.mockRestore());
  await new FileBlobStore(root).put(id, chunks('x'), 100);
  const inodeOf = async (folder: string): Promise<number> => (await stat(folder)).ino;
  const file = await inodeOf(path);
  expect(synced.filter(({ named }) => !named).map(({ inode }) => inode)).toContain(file);
  for (const folder of [join(root, id.slice(-2)), root])
    expect(synced).toContainEqual({ inode: await inodeOf(folder), named: true });
  for (const folder of [root, join(parent, 'a'), parent])
    expect(synced.map(({ inode }) => inode)).toContain(await inodeOf(folder));
});

test('what a killed process had written is removed with the blob, and does not keep it from being written', async () => {
  const { blobs, root } = await store();
  const id = newId('blb');
  let begun = (): void => {};
  const underWay = new Promise<void>((resolve) => (begun = resolve));
  void blobs.put(
    id,
    (async function* () {
      yield Buffer.from('half');
      begun();
      await new Promise<never>(() => {});
    })(),
    100,
  );
  await underWay;
  const files = async () => (await readdir(root)).filter((name) => name.startsWith('.'));
  expect(await files()).toHaveLength(1);
  await blobs.remove(id);
  expect(await files()).toEqual([]);
  await blobs.put(id, chunks('whole'), 100);
  expect((await buffer(blobs.read(id))).toString()).toBe('whole');
});

test('too much is refused and leaves nothing behind', async () => {
  const { blobs, root } = await store();
  await expect(blobs.put(newId('blb'), chunks('12345', '67890'), 9)).rejects.toThrow(BlobTooLarge);
  const files = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  expect(files).toEqual([]);
});

test('an id cannot leave the folder', async () => {
  const { blobs } = await store();
  await expect(blobs.put('../escape', chunks('x'), 9)).rejects.toThrow('not a blob id');
});

test('files of deleted blobs are removed after their time of grace, and only those', async () => {
  const service = await startForTest({ worker: false });
  const { blobs, db } = service.running.services;
  const organizationId = (await service.get('/organizations')).body.items[0].id as string;
  const [old, recent, kept] = [newId('blb'), newId('blb'), newId('blb')];
  for (const id of [old, recent, kept]) {
    const stored = await blobs.put(id, chunks(id), 100);
    await db.run(blobRows.insert, {
      id,
      organizationId,
      projectId: null,
      contentType: 'text/plain',
      ...stored,
    });
  }
  await db.run(statement('test.delete', 'delete from blobs where id = any(:ids)'), { ids: [old, recent] });
  await db.run(
    statement('test.age', "update blob_garbage set since = now() - interval '2 hours' where blob_id = :id"),
    { id: old },
  );
  const sweep = housekeeping(service.running.services).find(({ kind }) => kind === 'sweep-blobs');
  const commit = await sweep?.handle({}, AbortSignal.timeout(5_000));
  if (commit) await db.transaction(commit);
  await expect(buffer(blobs.read(old))).rejects.toThrow('ENOENT');
  for (const id of [recent, kept]) expect((await buffer(blobs.read(id))).toString()).toBe(id);
  expect(await db.rows(statement('test.left', 'select blob_id from blob_garbage'))).toEqual([
    { blob_id: recent },
  ]);
});
