import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { visitOf } from './browser.ts';

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['2001:db8::1', '2001:db8::1'],
  // Whoever has hung up has no address any more, whatever the types say.
  [undefined, 'unknown'],
])('a visit from %s', (ip, address) => {
  const request = { ip, headers: {} } as unknown as FastifyRequest;
  expect(visitOf(request, {} as FastifyReply, { publicUrl: undefined, secure: false }).address).toBe(address);
});
