import { withoutCredit } from '../../tunnels/wire.ts';

/** Relative to the origin: `/tunnels/SLUG/mcp` is the server; clients connect to `/tunnels/connect`. */
export const tunnelsPath = '/tunnels';
export const connectPath = `${tunnelsPath}/connect`;
const serverPath = '/mcp';

export function addressOfTunnel(origin: string, slug: string): string {
  return `${origin}${tunnelsPath}/${slug}${serverPath}`;
}

/**
 * Maps a public URL to the path sent to the tunnel client. Clients of the first protocol serve the path with the
 * server ID and need the secret in it, since they write URLs for others; current clients see neither. Well-known URLs
 * have the tunnel's path at their end.
 */
export function pathBehind(
  { pathname, search }: Pick<URL, 'pathname' | 'search'>,
  { slug, serverId, protocol }: { slug: string; serverId: string; protocol: string },
): string {
  const inside = pathname.replace(`${tunnelsPath}/${slug}`, '') || '/';
  const first = protocol === withoutCredit;
  const path =
    first && (inside === serverPath || inside.startsWith(`${serverPath}/`))
      ? `/api/mcp/adapter-http/${serverId}${inside.slice(serverPath.length)}`
      : inside;
  if (first || search === '') return `${path}${search}`;
  const left = search
    .slice(1)
    .split('&')
    .filter((part) => !/^k(?:=|$)/.test(part));
  return left.length === 0 ? path : `${path}?${left.join('&')}`;
}
