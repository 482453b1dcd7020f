import { expect, test } from 'vitest';
import { DrydockError } from '../../../../client/index.ts';
import { doorText, secondsToWait } from './refusal.ts';

function refused(code: string, details: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const response = new Response('', { status: 400, headers: { 'x-request-id': 'req_1', ...headers } });
  return new DrydockError(response, { code, message: 'What the service said', details });
}

test('a known reason has words of its own, and the next step', () => {
  expect(doorText(refused('NOT_FOUND', { reason: 'USED' }))).toMatchObject({
    happened: 'This link has already been used.',
    next: expect.stringContaining('sign in'),
  });
});

test('what is not known keeps the words of the service and the id of the request', () => {
  expect(doorText(refused('INTERNAL_ERROR'))).toMatchObject({
    happened: 'What the service said.',
    requestId: 'req_1',
  });
});

test('a brake says for how long', () => {
  const brake = refused('RATE_LIMITED', {}, { 'retry-after': '27' });
  expect(doorText(brake).happened).toBe('Too many attempts.');
  expect(doorText(brake).next).toContain('27 s');
  expect(secondsToWait(brake)).toBe(27);
  expect(secondsToWait(refused('UNAUTHORIZED'))).toBe(0);
});
