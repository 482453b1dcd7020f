import { expect, test } from 'vitest';
import { networkFailure } from './failures.ts';

const errors: [title: string, error: Error, notSent: boolean][] = [
  ['a refused connection', failed('ECONNREFUSED', 'connect'), true],
  ['a connection that timed out', failed('ETIMEDOUT', 'connect'), true],
  ['several addresses that timed out', Object.assign(new AggregateError([]), { code: 'ETIMEDOUT' }), true],
  ['an unreachable network', failed('ENETUNREACH', 'connect'), true],
  ['a response that timed out', failed('ETIMEDOUT', 'read'), false],
  ['a route lost after the request', failed('EHOSTUNREACH', 'read'), false],
];

test.each(errors)('%s: whether the server can have received the request', (_title, error, notSent) => {
  const failure = networkFailure(new TypeError('fetch failed', { cause: error }), 'example.com');
  expect(failure?.facts.notSent).toBe(notSent);
});

function failed(code: string, syscall: string): Error {
  return Object.assign(new Error(code), { code, syscall });
}
