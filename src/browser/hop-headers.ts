/** Hop-by-hop headers, which a proxy must not forward. */
const hops = [
  'connection',
  'proxy-connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'proxy-authenticate',
  'proxy-authorization',
];

/** Removes hop-by-hop headers, those named by `Connection`, and `besides`, from a flat list of names and values. */
export function withoutHopHeaders(raw: readonly string[], besides: readonly string[] = []): string[] {
  const pairs = raw.flatMap((name, n): [string, string][] => (n % 2 === 0 ? [[name, raw[n + 1] ?? '']] : []));
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((one) => one.trim().toLowerCase()));
  const left = new Set([...hops, ...besides, ...named]);
  return pairs.filter(([name]) => !left.has(name.toLowerCase())).flat();
}
