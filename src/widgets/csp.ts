import { z } from 'zod';

/** Maximum number of domains of each kind. */
const maxDomains = 100;

/**
 * A host or wildcard, with optional scheme and port, and without characters that would end a source or directive in the
 * header.
 */
const source =
  /^(?:(?:https?|wss?):\/\/)?(?:\*\.)?[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?)*(?::\d{1,5})?\/?$/i;

/** The domains that a widget may use, by purpose. */
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

/** The valid domains that a server declares. Both spellings are in use. */
export function widgetCsp(declared: unknown): WidgetCsp {
  const given = z.record(z.string(), z.unknown()).safeParse(declared).data ?? {};
  const of = (name: string, other: string): string[] => {
    const domains = Domains.safeParse(given[name] ?? given[other]).data ?? [];
    const valid = domains.filter(isCspSource);
    return valid.slice(0, maxDomains).map((domain) => domain.replace(/\/$/, ''));
  };
  return {
    connectDomains: of('connectDomains', 'connect_domains'),
    resourceDomains: of('resourceDomains', 'resource_domains'),
    frameDomains: of('frameDomains', 'frame_domains'),
    baseUriDomains: of('baseUriDomains', 'base_uri_domains'),
  };
}

/**
 * The Content-Security-Policy of a widget: everything undeclared is denied. `own` is the origin that serves the widget.
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

/** The declared origins for the guard, with http and https. */
export function originsOf({ connectDomains, resourceDomains, frameDomains }: WidgetCsp): string[] {
  const all = [...connectDomains, ...resourceDomains, ...frameDomains];
  const origins = all.map((domain) => domain.replace(/^ws(s?):/i, 'http$1:'));
  // An invalid port makes no origin.
  return [...new Set(origins)].filter((origin) => {
    const url = `${origin.includes('://') ? '' : 'https://'}${origin}`.replace('*.', '');
    return URL.canParse(url);
  });
}
