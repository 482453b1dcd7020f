import { expect, test } from 'vitest';
import { guardFor } from './guard.ts';

const publicUrl = 'https://drydock.example.com/below';

test.each([
  // On loopback: names of this machine, and the public host name of a proxy in front.
  ['127.0.0.1', 'localhost:4700', undefined, true],
  ['127.0.0.1', '127.0.0.1', 'http://localhost:3000', true],
  ['::1', '[::1]:4700', 'http://[::1]:4700', true],
  ['127.0.0.1', 'drydock.example.com', 'https://drydock.example.com', true],
  ['127.0.0.1', 'example.com', undefined, false],
  ['127.0.0.1', 'localhost@evil.example.com', undefined, false],
  ['127.0.0.1', '', undefined, false],
  ['127.0.0.1', undefined, undefined, false],
  ['127.0.0.1', 'localhost', 'https://evil.example.com', false],
  ['127.0.0.1', 'localhost', 'http://localhost.evil.example.com', false],
  ['127.0.0.1', 'localhost', 'null', false],
  ['127.0.0.1', 'x@localhost', undefined, false],
  ['127.0.0.1', 'localhost', 'foo://localhost', false],
  // On other addresses: any host name, and pages of the service's own origin.
  ['0.0.0.0', 'anything.internal', undefined, true],
  ['0.0.0.0', 'a.internal', 'https://drydock.example.com', true],
  ['0.0.0.0', 'a.internal', 'http://drydock.example.com', false],
  ['0.0.0.0', 'a.internal', 'https://a.internal', true],
  ['0.0.0.0', 'a.internal', 'https://b.internal', false],
  ['0.0.0.0', 'a.internal', 'http://localhost', false],
])('listening on %s, Host %s with Origin %s: %s', (host, asked, origin, allowed) => {
  const check = () => guardFor({ host, publicUrl })({ host: asked, origin });
  let refused = false;
  try {
    check();
  } catch {
    refused = true;
  }
  expect(refused).toBe(!allowed);
});
