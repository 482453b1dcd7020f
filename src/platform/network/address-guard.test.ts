import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusalOf, refusalOfUrl } from './address-guard.ts';

const exposed = { local: false, networks: [] };
const local = { local: true, networks: [] };
/** The most permissive policy. */
const everything = { local: true, networks: ['0.0.0.0/0', '::/0'] };

/**
 * The special-purpose address registries of IANA, and the address space around them: whether a network is globally
 * reachable, whether an operator can allow it, and the source. The longest network that contains an address applies.
 * `n/a` in the registry counts as no.
 */
const registry: [network: string, reachable: 'yes' | 'no' | 'open', source: string][] = [
  ['0.0.0.0/0', 'yes', 'RFC 791'],
  ['0.0.0.0/8', 'no', 'RFC 791, this network'],
  ['10.0.0.0/8', 'open', 'RFC 1918, private use'],
  ['100.64.0.0/10', 'open', 'RFC 6598, shared address space'],
  ['100.100.100.200/32', 'no', 'Alibaba Cloud, metadata'],
  ['127.0.0.0/8', 'open', 'RFC 1122, loopback'],
  ['168.63.129.16/32', 'no', 'Azure, WireServer'],
  ['169.254.0.0/16', 'no', 'RFC 3927, link local'],
  ['172.16.0.0/12', 'open', 'RFC 1918, private use'],
  ['192.0.0.0/24', 'no', 'RFC 6890, IETF protocol assignments'],
  ['192.0.0.0/29', 'no', 'RFC 7335, service continuity'],
  ['192.0.0.8/32', 'no', 'RFC 7600, dummy address'],
  ['192.0.0.9/32', 'yes', 'RFC 7723, port control anycast'],
  ['192.0.0.10/32', 'yes', 'RFC 8155, relay anycast'],
  ['192.0.0.170/32', 'no', 'RFC 8880, NAT64 discovery'],
  ['192.0.0.171/32', 'no', 'RFC 8880, NAT64 discovery'],
  ['192.0.2.0/24', 'no', 'RFC 5737, documentation'],
  ['192.31.196.0/24', 'yes', 'RFC 7535, AS112'],
  ['192.52.193.0/24', 'yes', 'RFC 7450, AMT'],
  ['192.88.99.0/24', 'no', 'RFC 7526, 6to4 relay anycast, withdrawn'],
  ['192.88.99.2/32', 'no', 'RFC 6751, 6a44 relay anycast'],
  ['192.168.0.0/16', 'open', 'RFC 1918, private use'],
  ['192.175.48.0/24', 'yes', 'RFC 7534, AS112'],
  ['198.18.0.0/15', 'open', 'RFC 2544, benchmarking'],
  ['198.51.100.0/24', 'no', 'RFC 5737, documentation'],
  ['203.0.113.0/24', 'no', 'RFC 5737, documentation'],
  ['224.0.0.0/4', 'no', 'RFC 5771, multicast'],
  ['240.0.0.0/4', 'no', 'RFC 1112, reserved'],
  ['255.255.255.255/32', 'no', 'RFC 8190, limited broadcast'],
  ['::/0', 'no', 'RFC 4291, not allocated'],
  ['::/128', 'no', 'RFC 4291, unspecified'],
  ['::1/128', 'open', 'RFC 4291, loopback'],
  ['64:ff9b:1::/48', 'no', 'RFC 8215, local translation'],
  ['100::/64', 'no', 'RFC 6666, discard'],
  ['100:0:0:1::/64', 'no', 'RFC 9780, dummy prefix'],
  ['2000::/3', 'yes', 'RFC 4291, global unicast'],
  ['2001::/23', 'no', 'RFC 2928, IETF protocol assignments'],
  ['2001:1::1/128', 'yes', 'RFC 7723, port control anycast'],
  ['2001:1::2/128', 'yes', 'RFC 8155, relay anycast'],
  ['2001:1::3/128', 'yes', 'RFC 9665, service registration anycast'],
  ['2001:2::/48', 'no', 'RFC 5180, benchmarking'],
  ['2001:3::/32', 'yes', 'RFC 7450, AMT'],
  ['2001:4:112::/48', 'yes', 'RFC 7535, AS112'],
  ['2001:10::/28', 'no', 'RFC 4843, ORCHID, withdrawn'],
  ['2001:20::/28', 'yes', 'RFC 7343, ORCHIDv2'],
  ['2001:30::/28', 'yes', 'RFC 9374, drone identification'],
  ['2001:db8::/32', 'no', 'RFC 3849, documentation'],
  ['2620:4f:8000::/48', 'yes', 'RFC 7534, AS112'],
  ['3fff::/20', 'no', 'RFC 9637, documentation'],
  ['5f00::/16', 'no', 'RFC 9602, segment routing'],
  ['fc00::/7', 'open', 'RFC 4193, unique local'],
  ['fd00:42::42/128', 'no', 'Scaleway, metadata'],
  ['fd00:100::100:200/128', 'no', 'Alibaba Cloud, metadata'],
  ['fd00:a9fe:a9fe::1/128', 'no', 'Akamai, metadata'],
  ['fd00:c1::a9fe:a9fe/128', 'no', 'Oracle Cloud, metadata'],
  ['fd00:ec2::/32', 'no', 'AWS, metadata and credentials'],
  ['fd20:ce::254/128', 'no', 'Google Cloud, metadata'],
  ['fe80::/10', 'no', 'RFC 4291, link local'],
  ['fec0::/10', 'open', 'RFC 3879, site local, withdrawn'],
  ['ff00::/8', 'no', 'RFC 4291, multicast'],
];

/** Excluded from the table, because the embedded IPv4 address decides. */
const carriers = ['::ffff:0:0/96', '64:ff9b::/96', '2001::/32', '2002::/16'];

interface Network {
  first: bigint;
  last: bigint;
  bits: number;
  family: number;
}

function networkOf(text: string): Network {
  const [address, bits] = text.split('/') as [string, string];
  const family = isIP(address);
  const size = 1n << BigInt((family === 4 ? 32 : 128) - Number(bits));
  const first = numberOf(address);
  return { first, last: first + size - 1n, bits: Number(bits), family };
}

function numberOf(address: string): bigint {
  if (isIP(address) === 4)
    return address.split('.').reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
  const [head = '', tail = ''] = address.split('::');
  const words = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const zeros = new Array<string>(8 - words(head).length - words(tail).length).fill('0');
  const all = address.includes('::') ? [...words(head), ...zeros, ...words(tail)] : words(address);
  return all.reduce((number, word) => (number << 16n) | BigInt(`0x${word}`), 0n);
}

function written(number: bigint, family: number): string {
  const [count, width] = family === 4 ? [4, 8n] : [8, 16n];
  const parts = Array.from(
    { length: count },
    (_, i) => (number >> (BigInt(count - 1 - i) * width)) & ((1n << width) - 1n),
  );
  return family === 4 ? parts.join('.') : parts.map((part) => part.toString(16)).join(':');
}

const table = registry
  .map(([network, reachable]) => ({ ...networkOf(network), reachable }))
  .sort((a, b) => b.bits - a.bits);
const carrying = carriers.map(networkOf);

function holds({ first, last, family }: Network, number: bigint, as: number): boolean {
  return family === as && number >= first && number <= last;
}

function expected(number: bigint, family: number): 'yes' | 'no' | 'open' {
  return table.find((network) => holds(network, number, family))?.reachable ?? 'no';
}

/** The decision of the guard, in the terms of the table. */
function judged(address: string): 'yes' | 'no' | 'open' {
  if (refusalOf(address, exposed) === undefined) return 'yes';
  return refusalOf(address, local) === undefined ? 'open' : 'no';
}

/** ISATAP interface identifiers embed an IPv4 address too. */
function isIsatap(number: bigint): boolean {
  return ((number >> 32n) & 0xfcffffffn) === 0x00005efen;
}

describe('the registries', () => {
  test.each(registry)('%s: %s (%s), at both ends and just outside', (network) => {
    const { first, last, family } = networkOf(network);
    const highest = (1n << (family === 4 ? 32n : 128n)) - 1n;
    for (const number of [first, last, first - 1n, last + 1n]) {
      if (number < 0n || number > highest) continue;
      if (carrying.some((carrier) => holds(carrier, number, family))) continue;
      const address = written(number, family);
      expect(`${address} ${judged(address)}`).toBe(`${address} ${expected(number, family)}`);
    }
  });

  test('decide about every address', () => {
    const four = fc.bigInt(0n, (1n << 32n) - 1n).map((number) => ({ number, family: 4 }));
    const six = fc
      .tuple(
        fc.constantFrom(...table.filter((network) => network.family === 6)),
        fc.bigInt(0n, (1n << 128n) - 1n),
      )
      .map(([{ first, last }, number]) => ({ number: first + (number % (last - first + 1n)), family: 6 }));
    fc.assert(
      fc.property(fc.oneof(four, six), ({ number, family }) => {
        fc.pre(!carrying.some((carrier) => holds(carrier, number, family)));
        fc.pre(family === 4 || !isIsatap(number));
        const address = written(number, family);
        expect(`${address} ${judged(address)}`).toBe(`${address} ${expected(number, family)}`);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('IPv4 in IPv6', () => {
  const ipv4 = fc.oneof(
    fc.bigInt(0n, (1n << 32n) - 1n),
    // Special addresses are rare, so they are generated explicitly.
    fc
      .tuple(
        fc.constantFrom(...table.filter((network) => network.family === 4 && network.bits > 0)),
        fc.nat(),
      )
      .map(([{ first, last }, offset]) => first + (BigInt(offset) % (last - first + 1n))),
  );
  const words = (number: bigint): string =>
    `${(number >> 16n).toString(16)}:${(number & 0xffffn).toString(16)}`;

  test('is judged by the IPv4 address, whatever carries it', () => {
    fc.assert(
      fc.property(ipv4, fc.nat(0xffff), (number, noise) => {
        const any = noise.toString(16);
        const forms = [
          `::ffff:${written(number, 4)}`,
          `::ffff:${words(number)}`,
          `64:ff9b::${words(number)}`,
          `2002:${words(number)}::${any}`,
          // Teredo with the server 8.8.8.8.
          `2001:0:808:808:${any}:${any}:${words(number ^ 0xffffffffn)}`,
          `2606:4700:${any}:1:0:5efe:${words(number)}`,
          `2606:4700:${any}:1:200:5efe:${words(number)}`,
        ];
        for (const form of forms)
          expect(`${form} ${judged(form)}`).toBe(`${form} ${judged(written(number, 4))}`);
      }),
      { numRuns: 2000 },
    );
  });

  test('makes nothing reachable that its carrier does not, and both addresses of a Teredo client count', () => {
    fc.assert(
      fc.property(ipv4, (number) => {
        const forms = [
          `64:ff9b:1::${words(number)}`,
          `::${words(number)}`,
          `::ffff:0:${words(number)}`,
          `2001:db8::5efe:${words(number)}`,
          `fe80::5efe:${words(number)}`,
        ];
        // `::1` is the loopback address itself, not an embedded one.
        for (const form of forms.filter((one) => one !== '::0:1'))
          expect(`${form} ${judged(form)}`).toBe(`${form} no`);
        // Teredo with a client at 8.8.8.8, so that the server address decides.
        const teredo = `2001:0:${words(number)}:0:0:f7f7:f7f7`;
        expect(`${teredo} ${judged(teredo)}`).toBe(`${teredo} ${judged(written(number, 4))}`);
        // ISATAP in a private network: both the network and the embedded address must be allowed.
        const inside = judged(`fd12::5efe:${words(number)}`);
        expect(inside).toBe(judged(written(number, 4)) === 'no' ? 'no' : 'open');
      }),
      { numRuns: 1000 },
    );
  });

  test('says what it stands for', () => {
    expect(refusalOf('2606:4700::200:5efe:10.0.0.1', exposed)).toBe(
      '2606:4700::200:5efe:10.0.0.1 stands for 10.0.0.1, which is a private address. The operator can allow it with DRYDOCK_ALLOWED_NETWORKS',
    );
  });

  test('is allowed by the network of the IPv4 address', () => {
    const some = { local: false, networks: ['10.1.0.0/16'] };
    for (const address of [
      '::ffff:10.1.2.3',
      '64:ff9b::a01:203',
      '2002:a01:203::1',
      '2606:4700::5efe:a01:203',
    ])
      expect(refusalOf(address, some)).toBeUndefined();
    expect(refusalOf('2002:a02:203::1', some)).toBeDefined();
  });
});

test.each([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '169.254.42.42',
  '169.254.0.23',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
  'fd00:a9fe:a9fe::1',
  'fd00:100::100:200',
  'fd20:ce::254',
  'fe80::a9fe:a9fe',
  'fe80::a9fe:a9fe%eth0',
  '::ffff:168.63.129.16',
  '64:ff9b::6464:64c8',
  '2002:a83f:8110::1',
  'fd12::5efe:a83f:8110',
])('the metadata service %s is refused whatever the operator names', (address) => {
  expect(refusalOf(address, everything)).toMatch(/is a metadata address and is never contacted$/);
});

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
  'http://[::7f00:1]/',
  'http://192.88.99.1/',
  'http://[64:ff9b:1::a00:1]/',
])('%s is refused even where local targets are allowed', (url) => {
  expect(refusalOfUrl(url, everything)).toMatch(/is never contacted$/);
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
  expect(refusalOf('fd00:1::9%eth0', some)).toBeUndefined();
  expect(refusalOfUrl('http://10.2.2.3/', some)).toBeDefined();
  expect(refusalOfUrl('http://127.0.0.1/', some)).toBeDefined();
  expect(refusalOfUrl('https://example.com/', exposed)).toBeUndefined();
  expect(refusalOf('example.com', everything)).toBe('example.com is not an address');
});
