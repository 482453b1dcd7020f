import fc from 'fast-check';
import { expect, test } from 'vitest';
import { kindOf, refusalOfUrl } from './address-guard.ts';

test.each([
  ['8.8.8.8', 'public'],
  ['2606:4700::1111', 'public'],
  ['127.0.0.1', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::127.0.0.1', 'loopback'],
  ['2002:7f00:1::', 'loopback'],
  ['10.1.2.3', 'private'],
  ['172.31.255.255', 'private'],
  ['172.32.0.0', 'public'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'private'],
  ['fd12::1', 'private'],
  ['169.254.1.1', 'link-local'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['169.254.169.254', 'metadata'],
  ['::ffff:169.254.169.254', 'metadata'],
  ['64:ff9b::a9fe:a9fe', 'metadata'],
  ['fd00:ec2::254', 'metadata'],
  ['100.100.100.200', 'metadata'],
  ['0.0.0.0', 'reserved'],
  ['::', 'reserved'],
  ['224.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['ff02::1', 'reserved'],
])('%s is %s', (address, kind) => {
  expect(kindOf(address)).toBe(kind);
});

test('an IPv4 address is what it is, however IPv6 carries it', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      const turned = `${(((a << 8) | b) ^ 0xffff).toString(16)}:${(((c << 8) | d) ^ 0xffff).toString(16)}`;
      const forms = [
        `::ffff:${address}`,
        `::ffff:${hex}`,
        `64:ff9b::${hex}`,
        `2002:${hex}::`,
        `2001:0:1:1:1:1:${turned}`,
      ];
      for (const form of forms) expect(`${form} ${kindOf(form)}`).toBe(`${form} ${kindOf(address)}`);
    }),
    { numRuns: 2000 },
  );
});

const exposed = { local: false, networks: [] };
const local = { local: true, networks: [] };

test.each([
  'http://169.254.169.254/latest',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://169.254.43518/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://169.254.169.254./',
  'http://①⑥⑨.254.169.254/',
  'http://0/',
  'http://[fe80::1]/',
])('%s is refused even where local targets are allowed', (url) => {
  expect(refusalOfUrl(url, local)).toMatch(/is never contacted$/);
});

test.each([
  'http://localhost:3000/',
  'http://LOCALHOST./',
  'http://a.localhost/',
  'http://127.1/',
  'http://10.0.0.1/',
  'http://[::1]/',
  'http://[fd00::1]/',
])('%s is refused by an exposed service, which says what the operator can do', (url) => {
  expect(refusalOfUrl(url, local)).toBeUndefined();
  expect(refusalOfUrl(url, exposed)).toContain('DRYDOCK_ALLOWED_NETWORKS');
});

test('a named network opens itself and nothing else', () => {
  const some = { local: false, networks: ['10.1.0.0/16', 'fd00:1::/32'] };
  expect(refusalOfUrl('http://10.1.2.3/', some)).toBeUndefined();
  expect(refusalOfUrl('http://[fd00:1::9]/', some)).toBeUndefined();
  expect(refusalOfUrl('http://10.2.2.3/', some)).toBeDefined();
  expect(refusalOfUrl('http://127.0.0.1/', some)).toBeDefined();
  expect(refusalOfUrl('http://169.254.169.254/', { local: false, networks: ['0.0.0.0/0'] })).toBeDefined();
  expect(refusalOfUrl('https://example.com/', exposed)).toBeUndefined();
});
