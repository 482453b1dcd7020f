import { z } from 'zod';

/** Of one kind. */
const mostDomains = 100;

/** A host or all below one, with or without scheme and port. Nothing that ends a source or a directive in a header. */
const source =
  /^(?:(?:https?|wss?):\/\/)?(?:\*\.)?[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?)*(?::\d{1,5})?\/?$/i;

/** Where a widget may go, by what for. */
export interface WidgetCsp {
  connectDomains: string[];
  resourceDomains: string[];
  frameDomains: string[];
  baseUriDomains: string[];
}

export function isCspSource(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 300 && source.test(value);
}

const Domains = z.array(z.unknown()).max(1_000);

/** What a server declares, without whatever is no domain. Both spellings are in use. */
export function widgetCsp(declared: unknown): WidgetCsp {
  const given = z.record(z.string(), z.unknown()).safeParse(declared).data ?? {};
  const of = (name: string, other: string): string[] => {
    const domains = Domains.safeParse(given[name] ?? given[other]).data ?? [];
    const valid = domains.filter(isCspSource);
    return valid.slice(0, mostDomains).map((domain) => domain.replace(/\/$/, ''));
  };
  return {
    connectDomains: of('connectDomains', 'connect_domains'),
    resourceDomains: of('resourceDomains', 'resource_domains'),
    frameDomains: of('frameDomains', 'frame_domains'),
    baseUriDomains: of('baseUriDomains', 'base_uri_domains'),
  };
}

/**
 * The header that the HTML of a widget is served with: what is not declared is denied. `own` is the place that it was
 * served from, where nobody else is.
 */
export function cspHeader(
  { connectDomains, resourceDomains, frameDomains, baseUriDomains }: WidgetCsp,
  own: "'self'" | '' = "'self'",
): string {
  const or = (domains: readonly string[], none = "'none'"): string =>
    domains.length > 0 ? domains.join(' ') : none;
  const resources = resourceDomains.join(' ');
  return [
    "default-src 'none'",
    `script-src ${own} 'unsafe-inline' ${resources}`,
    `style-src ${own} 'unsafe-inline' ${resources}`,
    `img-src ${own} data: blob: ${resources}`,
    `font-src ${own} data: ${resources}`,
    `media-src ${own} data: blob: ${resources}`,
    `worker-src ${own} blob: ${resources}`,
    `connect-src ${or(connectDomains)}`,
    `frame-src ${or(frameDomains)}`,
    `base-uri ${or(baseUriDomains, own || "'none'")}`,
    "form-action 'none'",
    "object-src 'none'",
  ]
    .map((directive) => directive.replaceAll(/ +/g, ' ').trim())
    .join('; ');
}

/** The same for the guard, which knows origins of http and https. */
export function originsOf({ connectDomains, resourceDomains, frameDomains }: WidgetCsp): string[] {
  const all = [...connectDomains, ...resourceDomains, ...frameDomains];
  const origins = all.map((domain) => domain.replace(/^ws(s?):/i, 'http$1:'));
  // A port that no port can be makes no origin.
  return [...new Set(origins)].filter((origin) => {
    const url = `${origin.includes('://') ? '' : 'https://'}${origin}`.replace('*.', '');
    return URL.canParse(url);
  });
}
