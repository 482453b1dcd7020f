import { BlockList, isIP } from 'node:net';

/**
 * Allowed target addresses. Globally reachable addresses by the special-purpose registries of IANA (RFC 6890) are
 * always allowed; loopback and private ones only by policy; all others, and cloud metadata services, never.
 */
export interface AddressPolicy {
  /** Whether loopback and private addresses are allowed. */
  local: boolean;
  /** Additional allowed networks, such as `10.1.0.0/16` or `fd00::/8`. */
  networks: readonly string[];
  /** Why local addresses are not allowed, for the error message. */
  because?: string;
}

/** Returns the current policy. Called before each request and connection, so that the policy can change. */
export type PolicySource = () => Promise<AddressPolicy>;

type Kind = 'public' | 'loopback' | 'private' | 'link-local' | 'metadata' | 'reserved';

/** The first range that contains an address determines its kind. An address in none is reserved. */
const ranges: [Kind, string[]][] = [
  [
    // Metadata services, most of which return credentials; some are in networks that an operator may allow.
    'metadata',
    [
      // Nearly all clouds; containers and pods on AWS; Scaleway; Tencent.
      '169.254.169.254/32',
      '169.254.170.2/32',
      '169.254.170.23/32',
      '169.254.42.42/32',
      '169.254.0.23/32',
      // Azure, whose address looks public; Alibaba; Oracle.
      '168.63.129.16/32',
      '100.100.100.200/32',
      '192.0.0.192/32',
      // AWS, Google, Oracle, Scaleway, Akamai, Alibaba, OpenStack.
      'fd00:ec2::/32',
      'fd20:ce::254/128',
      'fd00:c1::a9fe:a9fe/128',
      'fd00:42::42/128',
      'fd00:a9fe:a9fe::1/128',
      'fd00:100::100:200/128',
      'fe80::a9fe:a9fe/128',
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
    // Parts of the reserved networks below that are reachable. Teredo addresses are judged by the embedded addresses.
    'public',
    [
      '192.0.0.9/32',
      '192.0.0.10/32',
      '2001::/32',
      '2001:1::1/128',
      '2001:1::2/128',
      '2001:1::3/128',
      '2001:3::/32',
      '2001:4:112::/48',
      '2001:20::/28',
      '2001:30::/28',
    ],
  ],
  [
    'reserved',
    [
      '0.0.0.0/8',
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.88.99.0/24',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '224.0.0.0/3',
      '2001::/23',
      '2001:db8::/32',
      '3fff::/20',
    ],
  ],
  ['public', ['0.0.0.0/0', '2000::/3']],
];

const lists = ranges.map(([kind, networks]) => [kind, listOf(networks)] as const);

/** IPv6 networks that embed IPv4 addresses, which are judged instead. */
const mapped = listOf(['::ffff:0:0/96', '64:ff9b::/96']);
const sixToFour = listOf(['2002::/16']);
const teredo = listOf(['2001::/32']);

/** Why a target at this address is refused; undefined if it is allowed. */
export function refusalOf(address: string, policy: AddressPolicy): string | undefined {
  const plain = address.replace(/%.*$/, '');
  if (isIP(plain) === 0) return `${address} is not an address`;
  for (const judged of judgedFor(plain)) {
    const problem = problemWith(judged, policy);
    if (problem !== undefined)
      return judged === plain ? `${address} ${problem}` : `${address} stands for ${judged}, which ${problem}`;
  }
  return undefined;
}

/** Why a URL is refused by its host, if that is an address. Other host names are judged after resolution. */
export function refusalOfUrl(url: string, policy: AddressPolicy): string | undefined {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return refusalOf(host, policy);
  return host === 'localhost' || host.endsWith('.localhost') ? refusalOf('127.0.0.1', policy) : undefined;
}

function problemWith(address: string, { local, networks, because }: AddressPolicy): string | undefined {
  const family = familyOf(address);
  const kind = lists.find(([, list]) => list.check(address, family))?.[0] ?? 'reserved';
  if (kind === 'public') return undefined;
  if (kind !== 'loopback' && kind !== 'private') return `is a ${kind} address and is never contacted`;
  if (local || listOf(networks).check(address, family)) return undefined;
  const why = because === undefined ? '' : `, and ${because}`;
  return `is a ${kind} address${why}. The operator can allow it with DRYDOCK_ALLOWED_NETWORKS`;
}

/** All addresses to which a connection may lead; each must be allowed. */
function judgedFor(address: string): string[] {
  if (isIP(address) === 4) return [address];
  const words = wordsOf(address);
  const at = (first: number, mask = 0): string =>
    words
      .slice(first, first + 2)
      .flatMap((word) => [word >> 8, word & 0xff])
      .map((byte) => byte ^ mask)
      .join('.');
  if (mapped.check(address, 'ipv6')) return [at(6)];
  // The client address, which is stored inverted, and the Teredo server.
  if (teredo.check(address, 'ipv6')) return [at(6, 0xff), at(2)];
  const carried = sixToFour.check(address, 'ipv6') ? [at(1)] : [];
  // ISATAP: under any prefix, with two bits that do not matter here.
  if (((words[4] ?? 0) & 0xfcff) === 0 && words[5] === 0x5efe) carried.push(at(6));
  return [...carried, address];
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, bits] = network.split('/') as [string, string];
    list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

/** The eight 16-bit words of an IPv6 address, from the canonical form that URL writes. */
function wordsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = '', after] = canonical.split('::');
  const parse = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
  const head = parse(before);
  const tail = after === undefined ? [] : parse(after);
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}
