import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { freePort } from './support/free-port.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService | undefined;
afterAll(() => dispose(service));

test('a valid key is told to come again while a new installation starts, and never that it is wrong', async () => {
  const port = await freePort();
  const key = `sk_${'a'.repeat(43)}`;
  const starting = startTestService({
    worker: false,
    env: { DRYDOCK_PORT: String(port), DRYDOCK_BOOTSTRAP_KEY: key },
  });
  const seen: { status: number; retryAfter: string | null; ready: number }[] = [];
  while (seen.at(-1)?.status !== 200) {
    const at = `http://127.0.0.1:${port}`;
    const answer = await fetch(`${at}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } }).catch(
      // The service is not listening yet.
      () => nextTurn(undefined),
    );
    if (!answer) continue;
    await answer.arrayBuffer();
    const ready = (await fetch(`${at}/readyz`)).status;
    seen.push({ status: answer.status, retryAfter: answer.headers.get('retry-after'), ready });
  }
  service = await starting;
  expect(seen.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  expect(seen.some(({ status }) => status === 503)).toBe(true);
  for (const { status, retryAfter } of seen) expect(retryAfter).toBe(status === 503 ? '1' : null);
});
