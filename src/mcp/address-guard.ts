import { BlockList, isIP } from 'node:net';

/**
 * Where a target may be. Link-local, metadata and other addresses that no MCP server lives at are refused
 * always; loopback and private ones only if the operator, or listening on loopback, allows them.
 */
export interface AddressPolicy {
  local: boolean;
  /** Networks allowed besides, as `10.1.0.0/16` or `fd00::/8`. */
  networks: readonly string[];
}

type Kind = 'public' | 'loopback' | 'private' | 'link-local' | 'metadata' | 'reserved';

const ranges: [Kind, string[]][] = [
  [
    'metadata',
    [
      '169.254.169.254/32',
      '169.254.170.2/32',
      '100.100.100.200/32',
      '192.0.0.192/32',
      'fd00:ec2::254/128',
      'fd20:ce::254/128',
    ],
  ],
  ['link-local', ['169.254.0.0/16', 'fe80::/10']],
  ['loopback', ['127.0.0.0/8', '::1/128']],
  [
    'private',
    [
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '100.64.0.0/10',
      '198.18.0.0/15',
      'fc00::/7',
      'fec0::/10',
    ],
  ],
  [
    'reserved',
    [
      '0.0.0.0/8',
      '192.0.0.0/24',
      '192.0.2.0/24',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '224.0.0.0/3',
      '::/128',
      '100::/64',
      '2001:db8::/32',
      'ff00::/8',
    ],
  ],
];

const lists = ranges.map(([kind, networks]) => [kind, listOf(networks)] as const);

/** IPv6 networks that carry an IPv4 address, and where in the eight words its two are. */
const carriers: { list: BlockList; word: number; inverted?: boolean }[] = [
  { list: listOf(['::ffff:0:0/96', '::/96', '64:ff9b::/96', '::ffff:0:0:0/96']), word: 6 },
  { list: listOf(['2002::/16']), word: 1 },
  // Teredo hides the client's address by turning its bits over.
  { list: listOf(['2001::/32']), word: 6, inverted: true },
];

export function kindOf(address: string): Kind {
  const plain = address.replace(/%.*$/, '');
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  const named = lists.find(([, list]) => list.check(plain, family));
  if (named) return named[0];
  const carried = family === 'ipv6' ? carriedBy(plain) : undefined;
  return carried === undefined ? 'public' : kindOf(carried);
}

/** Why a target at this address is refused; undefined when it is not. */
export function refusalOf(address: string, policy: AddressPolicy): string | undefined {
  const kind = kindOf(address);
  if (kind === 'public') return undefined;
  if (kind === 'loopback' || kind === 'private') {
    if (policy.local || listOf(policy.networks).check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'))
      return undefined;
    return `${address} is a ${kind} address. The operator can allow it with DRYDOCK_ALLOWED_NETWORKS`;
  }
  return `${address} is a ${kind} address and is never contacted`;
}

/** The same for a URL whose host is an address or stands for one. Other names say nothing until they are looked up. */
export function refusalOfUrl(url: string, policy: AddressPolicy): string | undefined {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return refusalOf(host, policy);
  return host === 'localhost' || host.endsWith('.localhost') ? refusalOf('127.0.0.1', policy) : undefined;
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, bits] = network.split('/') as [string, string];
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

function carriedBy(address: string): string | undefined {
  const carrier = carriers.find(({ list }) => list.check(address, 'ipv6'));
  if (!carrier) return undefined;
  const words = wordsOf(address).slice(carrier.word, carrier.word + 2);
  const bytes = words.flatMap((word) => [word >> 8, word & 0xff]);
  return bytes.map((byte) => (carrier.inverted ? byte ^ 0xff : byte)).join('.');
}

/** The eight 16-bit words of an IPv6 address; URL writes it in the one canonical form. */
function wordsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = '', after] = canonical.split('::');
  const parse = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
  const head = parse(before);
  const tail = after === undefined ? [] : parse(after);
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}
