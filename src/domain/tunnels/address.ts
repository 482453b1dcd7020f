import { withoutCredit } from '../../tunnels/wire.ts';

/** Below the origin: `/tunnels/SLUG/mcp` is the server, and clients connect to `/tunnels/connect`. */
export const tunnelsPath = '/tunnels';
export const connectPath = `${tunnelsPath}/connect`;
const serverPath = '/mcp';

export function addressOfTunnel(origin: string, slug: string): string {
  return `${origin}${tunnelsPath}/${slug}${serverPath}`;
}

/**
 * What the client of a tunnel is asked for. Clients of the first protocol serve at a path with the id of the server in
 * it, and write addresses for others to use, for which they want to see the secret; ours see neither. Well-known
 * places have the path of the tunnel at their end.
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
