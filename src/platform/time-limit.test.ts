import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { timeLimit } from './time-limit.ts';

test('a limit that was put together with another signal comes, whatever was cleared up meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const clearUp = runInNewContext('gc') as () => void;
  const lasting = new AbortController();
  const waiting = Array.from({ length: 200 }, () => {
    const either = AbortSignal.any([lasting.signal, timeLimit(50)]);
    return new Promise((resolve) => either.addEventListener('abort', () => resolve(either.reason.name)));
  });
  clearUp();
  await new Promise((resolve) => setTimeout(resolve, 20));
  clearUp();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['TimeoutError']));
});
