import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../contract/errors.ts';
import type { Visit } from '../../domain/context/context.ts';
import type { Credential, SessionCredential } from '../../domain/identity/authenticate.ts';
import { isOwnHost, originOf } from '../common/origin.ts';

/** Seconds that a browser keeps the session cookie: the longest time that the service lets a session last. */
const sessionAge = 90 * 86_400;
/** Seconds for which a browser is known after a sign-in. */
const deviceAge = 180 * 86_400;
/** Seconds to sign in at the provider. */
const stateAge = 600;
const maxUserAgentLength = 300;

/** Settings for requests of console pages. */
export interface BrowserOptions {
  publicUrl: string | undefined;
  /** Whether browsers use TLS, terminated by a proxy or by the service. */
  secure: boolean;
}

/**
 * Credential of an API request: an API key, or the session of a console page. A session cookie alone is not accepted,
 * because cross-site requests can carry it: see `isOwnPage`.
 */
export function apiCredential(request: FastifyRequest, options: BrowserOptions): Credential {
  const { authorization } = request.headers;
  const bearer = { kind: 'bearer', authorization } as const;
  // A proxy may have requested a password and forward its Authorization header.
  if (authorization !== undefined && /^bearer(?: |$)/i.test(authorization)) return bearer;
  const token = cookieOf(request, cookieNames(options).session);
  if (isOwnPage(request, options)) return sessionOf(request, token);
  if (token === undefined || request.method === 'GET') return bearer;
  throw foreignPage(options);
}

/** Credential of a console operation. Cross-site pages are rejected, so they cannot sign users in. */
export function consoleCredential(request: FastifyRequest, options: BrowserOptions): Credential {
  if (/^bearer +sk_/i.test(request.headers.authorization ?? ''))
    throw new Refusal('FORBIDDEN', 'The console is for people. API keys use the API below /api/v1');
  if (isOwnPage(request, options)) return sessionOf(request, cookieOf(request, cookieNames(options).session));
  if (request.method === 'GET') return sessionOf(request, undefined);
  throw foreignPage(options);
}

/** Credential of a visit operation: the token of the visit or, to enter, the session of a signed-in user. */
export function visitCredential(request: FastifyRequest, options: BrowserOptions): Credential {
  const token = /^bearer +(guest_[\w-]{1,200}) *$/i.exec(request.headers.authorization ?? '')?.[1];
  return token === undefined ? consoleCredential(request, options) : { kind: 'grant', token };
}

function sessionOf({ headers }: FastifyRequest, token: string | undefined): SessionCredential {
  const chosen = headers['drydock-organization'];
  if (chosen !== undefined && !/^[\w-]{1,128}$/.test(String(chosen)))
    throw new Refusal('NOT_FOUND', 'No such organization');
  return { kind: 'session', token, organizationId: chosen as string | undefined };
}

/**
 * Whether a request comes from a page of this service. Cross-site requests carry cookies but cannot set this header,
 * and browsers send their origin. A foreign host name that resolves to this machine is rejected.
 */
function isOwnPage(request: FastifyRequest, { publicUrl }: BrowserOptions): boolean {
  if (publicUrl === undefined && !isOwnHost(request)) return false;
  const { origin, 'sec-fetch-site': site, 'x-drydock-console': mark } = request.headers;
  if (mark !== '1' || (site !== undefined && site !== 'same-origin')) return false;
  if (origin === undefined) return true;
  if (publicUrl !== undefined) return origin === new URL(publicUrl).origin;
  // Behind an unconfigured proxy, the origin can be https.
  return origin.replace(/^https?:/, '') === originOf(request, publicUrl).replace(/^https?:/, '');
}

function foreignPage({ publicUrl }: BrowserOptions): Refusal {
  const where =
    publicUrl === undefined
      ? 'a page of this console. Open it by an address of this machine, or set DRYDOCK_PUBLIC_URL to the one that people type'
      : `the console at ${publicUrl}, so it was not done`;
  return new Refusal('FORBIDDEN', `This request does not come from ${where}`, {
    details: { reason: 'CSRF' },
  });
}

/** With TLS, the prefix `__Host-` prevents other hosts and network attackers from setting the cookie. */
function cookieNames({ secure }: BrowserOptions) {
  const prefix = secure ? '__Host-' : '';
  return {
    session: `${prefix}drydock_session`,
    state: `${prefix}drydock_oidc`,
    device: `${prefix}drydock_device`,
    secure,
  };
}

/** The first well-formed cookie of that name: other services on this host can set cookies too. */
function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [, found, value] = /^\s*([^=]+?)\s*=\s*([\w-]{1,4000})\s*$/.exec(pair) ?? [];
    if (found === name) return value;
  }
  return undefined;
}

/** The address of the client, or `unknown` after it has disconnected. */
function addressOf(request: FastifyRequest): string {
  const ip: string | undefined = request.ip;
  return ip?.replace(/^::ffff:/, '') ?? 'unknown';
}

export function visitOf(request: FastifyRequest, reply: FastifyReply, options: BrowserOptions): Visit {
  const names = cookieNames(options);
  const keep = (name: string, value: string | undefined, age: number): void => {
    const parts = [
      `${name}=${value ?? ''}`,
      'Path=/',
      'HttpOnly',
      'SameSite=Lax',
      `Max-Age=${value === undefined ? 0 : age}`,
      ...(names.secure ? ['Secure'] : []),
    ];
    void reply.header('set-cookie', parts.join('; '));
  };
  return {
    address: addressOf(request),
    userAgent: request.headers['user-agent']?.replaceAll(/[^\x20-\x7e]/g, '').slice(0, maxUserAgentLength),
    keepSession: (token) => keep(names.session, token, sessionAge),
    keepState: (text) => keep(names.state, text, stateAge),
    state: () => cookieOf(request, names.state),
    keepDevice: (text) => keep(names.device, text, deviceAge),
    device: () => cookieOf(request, names.device),
  };
}
