import { buffer } from 'node:stream/consumers';
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { bucketCredentials, startBucket, type TestBucket } from '../../../test/support/s3.ts';
import { newId } from '../ids.ts';
import { openBlobs } from './open.ts';
import { s3PlaceOf } from './s3.ts';
import { type BlobStore, BlobTooLarge } from './store.ts';

let bucket: TestBucket;
let blobs: BlobStore;

beforeAll(async () => {
  for (const [name, value] of Object.entries(bucketCredentials)) vi.stubEnv(name, value);
  bucket = await startBucket();
  blobs = openBlobs({ blobsUrl: bucket.url, dataDir: '/nowhere' });
});
afterAll(async () => {
  await bucket?.stop();
  vi.unstubAllEnvs();
});

const mebibyte = Buffer.alloc(1024 * 1024, 'b');

async function* chunks(count: number, then?: Error): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < count; n++) yield mebibyte;
  if (then) throw then;
}

async function* text(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}

test('what goes in comes out, with its size and digest', async () => {
  const id = newId('blb');
  expect(await blobs.put(id, text('hello blob'), 100)).toEqual({
    size: 10,
    sha256: 'e997afd18e5f6be004fc193aed2c90291e68ab2c7599a62538c935b7fca6ab0f',
  });
  expect((await buffer(blobs.read(id))).toString()).toBe('hello blob');
  expect((await buffer(blobs.read(id, { start: 6, end: 7 }))).toString()).toBe('bl');
  await blobs.remove(id);
  await expect(buffer(blobs.read(id))).rejects.toThrow('ENOENT');
  await blobs.remove(id);
});

test('a blob of several parts arrives whole, and an empty one too', async () => {
  const [large, empty] = [newId('blb'), newId('blb')];
  expect((await blobs.put(large, chunks(12), 12 * mebibyte.length)).size).toBe(12 * mebibyte.length);
  expect((await buffer(blobs.read(large))).equals(Buffer.concat(Array(12).fill(mebibyte) as Buffer[]))).toBe(
    true,
  );
  expect(await blobs.put(empty, chunks(0), 10)).toMatchObject({ size: 0 });
  expect(await buffer(blobs.read(empty))).toHaveLength(0);
});

test.each([
  ['too much', 12, undefined, BlobTooLarge],
  ['a sender that hangs up', 7, new Error('hung up'), /hung up/],
] as const)('%s leaves nothing behind', async (_, count, then, error) => {
  const id = newId('blb');
  await expect(blobs.put(id, chunks(count, then), 8 * mebibyte.length)).rejects.toThrow(error);
  await expect(buffer(blobs.read(id))).rejects.toThrow();
});

test('removing a blob ends the uploads of it that a killed process began', async () => {
  const id = newId('blb');
  const { endpoint, region, prefix } = s3PlaceOf(bucket.url) as {
    endpoint: string;
    region: string;
    prefix: string;
  };
  const client = new S3Client({ endpoint, region, forcePathStyle: true });
  onTestFinished(() => client.destroy());
  for (const key of [id, `${id}0`])
    await client.send(new CreateMultipartUploadCommand({ Bucket: 'blobs', Key: `${prefix}${key}` }));
  await blobs.remove(id);
  const { Uploads } = await client.send(
    new ListMultipartUploadsCommand({ Bucket: 'blobs', Prefix: `${prefix}${id}` }),
  );
  expect(Uploads?.map(({ Key }) => Key)).toEqual([`${prefix}${id}0`]);
});

test('a store that lists no uploads removes blobs all the same', async () => {
  const plain = await startBucket({ listsUploads: false });
  onTestFinished(() => plain.stop());
  const inPlain = openBlobs({ blobsUrl: plain.url, dataDir: '/nowhere' });
  const id = newId('blb');
  await inPlain.put(id, text('short'), 9);
  await inPlain.remove(id);
  await expect(buffer(inPlain.read(id))).rejects.toThrow('ENOENT');
});

test('a wrong secret is refused by the store', async () => {
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another');
  onTestFinished(() => void vi.stubEnv('AWS_SECRET_ACCESS_KEY', bucketCredentials.AWS_SECRET_ACCESS_KEY));
  const wrong = openBlobs({ blobsUrl: bucket.url, dataDir: '/nowhere' });
  await expect(wrong.put(newId('blb'), text('x'), 9)).rejects.toThrow('SignatureDoesNotMatch');
});

test('an id cannot leave the place', async () => {
  await expect(blobs.put('../escape', text('x'), 9)).rejects.toThrow('not a blob id');
});
