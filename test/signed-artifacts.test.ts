import { afterAll, beforeAll, expect, test } from 'vitest';
import { artifactUrl } from '../src/domain/artifacts/read.ts';
import { named } from './support/ingesting.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

/** Addresses that let whoever has them read one picture or recording. */

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));

async function stored(): Promise<{ projectId: string; url: (age?: number) => string }> {
  const projectId = (await service.post('/projects', { name: named('artifacts') })).body.id as string;
  const upload = { body: Buffer.from('0123456789'), headers: { 'content-type': 'video/webm' } };
  const path = `/projects/${projectId}/eval-ingest/artifacts`;
  const blobId = (await service.request('POST', path, upload)).body.storageId as string;
  const { services, address } = service.running;
  // Made so much earlier.
  const url = (age = 0): string => {
    const occasion = { ...services, origin: () => address, clock: () => Date.now() - age };
    return artifactUrl(occasion, blobId);
  };
  return { projectId, url };
}

const read = (url: string, range?: string): Promise<Response> =>
  fetch(url, range === undefined ? {} : { headers: { range } });

test('the bytes come without a key, whole, and as nothing a browser would run', async () => {
  const answer = await read((await stored()).url());
  expect([answer.status, await answer.text()]).toEqual([200, '0123456789']);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'video/webm',
    'content-length': '10',
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
});

test.each([
  ['bytes=2-4', '234', 'bytes 2-4/10'],
  ['bytes=7-', '789', 'bytes 7-9/10'],
  ['bytes=-2', '89', 'bytes 8-9/10'],
  ['bytes=5-500', '56789', 'bytes 5-9/10'],
])('a player that asks for %s gets that part', async (range, text, described) => {
  const answer = await read((await stored()).url(), range);
  expect([answer.status, await answer.text()]).toEqual([206, text]);
  expect(answer.headers.get('content-range')).toBe(described);
  expect(answer.headers.get('content-length')).toBe(String(text.length));
});

test('a range that is not there is refused, one that is not understood is ignored', async () => {
  const { url } = await stored();
  expect((await read(url(), 'bytes=10-12')).status).toBe(400);
  for (const range of ['bytes=0-1,3-4', 'lines=1-2', 'bytes=-'])
    expect([range, await (await read(url(), range)).text()]).toEqual([range, '0123456789']);
});

test('an address that is over, was changed, or whose project is deleted opens nothing', async () => {
  const { url, projectId } = await stored();
  const working = url();
  expect((await read(url(15 * 60_000))).status).toBe(404);
  expect((await read(working.replace(/.$/, (end) => (end === 'A' ? 'Q' : 'A')))).status).toBe(404);
  expect((await read(working)).status).toBe(200);
  await service.delete(`/projects/${projectId}`);
  expect((await read(working)).status).toBe(404);
});
