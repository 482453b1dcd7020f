import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { visitOf } from './browser.ts';

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['2001:db8::1', '2001:db8::1'],
  // The address is undefined after the client disconnected, contrary to its type.
  [undefined, 'unknown'],
])('a visit from %s', (ip, address) => {
  const request = { ip, headers: {} } as unknown as FastifyRequest;
  expect(visitOf(request, {} as FastifyReply, { publicUrl: undefined, secure: false }).address).toBe(address);
});
