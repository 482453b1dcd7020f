import { isIP } from 'node:net';
import type { LiveServerRow } from '../../../platform/database/queries/servers.ts';
import { refusalOfUrl } from '../../../platform/network/address-guard.ts';
import { hideQuery } from '../../../platform/network/hide-query.ts';
import type { EndpointFacts } from '../../../readiness/evidence.ts';

/** Host names that resolve in private networks only. */
const localNames = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa|invalid)$/;
/** Host names of tunnel services, whose addresses are temporary. */
const lentNames =
  /(?:^|\.)(?:ngrok\.(?:app|dev|io)|ngrok-free\.(?:app|dev)|trycloudflare\.com|loca\.lt|localtunnel\.me|serveo\.net|localhost\.run|lhr\.life|devtunnels\.ms|pinggy\.link)$/;
const credentialNames = /token|key|secret|password|auth|signature|^sig$|credential/i;

/** Facts from the URL alone, without network access. */
export function endpointFacts({
  url: saved,
  tunnelSlug,
}: Pick<LiveServerRow, 'url' | 'tunnelSlug'>): EndpointFacts {
  const url = new URL(saved ?? '');
  const host = url.hostname.replace(/\.$/, '');
  const notPublic = whyNotPublic(url, host);
  const inQuery = [...url.searchParams.keys()].filter((name) => credentialNames.test(name));
  const userInfo = url.username !== '' || url.password !== '';
  return {
    url: shownUrl(url),
    secure: url.protocol === 'https:',
    host,
    ...(notPublic !== undefined && { notPublic }),
    credentials: [...(userInfo ? ['user info'] : []), ...new Set(inQuery)].slice(0, 20),
    tunnel: tunnelSlug !== null,
  };
}

/** Removes credentials and other secrets from a URL. */
export function shownUrl(address: string | URL): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return hideQuery(url.href);
}

function whyNotPublic(url: URL, host: string): string | undefined {
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0)
    return refusalOfUrl(url.href, { local: false, networks: [] }) === undefined
      ? undefined
      : `${host} is not a public address`;
  if (!host.includes('.') || localNames.test(host)) return `${host} is a name of a local network`;
  return lentNames.test(host) ? `${host} is an address that a tunnel service lends` : undefined;
}
