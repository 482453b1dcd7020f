import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../contract/errors.ts';
import type { Visit } from '../../domain/context.ts';
import type { Credential, SessionCredential } from '../../domain/identity/authenticate.ts';
import { isOwnHost, originOf } from './origin.ts';

/** Seconds. The service decides when a session is over; the browser need not keep the cookie for longer than it can last. */
const sessionAge = 90 * 86_400;
/** Seconds that a browser is known for after somebody has signed in with it. */
const deviceAge = 180 * 86_400;
/** Seconds that somebody has at a provider to sign in. */
const stateAge = 600;
const longestAgent = 300;

/** What of a request only a page of the console sends. */
export interface BrowserOptions {
  publicUrl: string | undefined;
  /** Whether browsers reach the service over TLS, which a proxy or the service itself speaks. */
  secure: boolean;
}

/**
 * Who asks for an operation of the API: the bearer of a key, or a page of the console on behalf of whoever is signed in.
 * A cookie alone counts for nothing, since pages of others can have it sent: see `isOwnPage`.
 */
export function apiCredential(request: FastifyRequest, options: BrowserOptions): Credential {
  const { authorization } = request.headers;
  const bearer = { kind: 'bearer', authorization } as const;
  // A proxy in front may have asked for a password, whose header it passes on.
  if (authorization !== undefined && /^bearer(?: |$)/i.test(authorization)) return bearer;
  const token = cookieOf(request, cookieNames(options).session);
  if (isOwnPage(request, options)) return sessionOf(request, token);
  if (token === undefined || request.method === 'GET') return bearer;
  throw foreignPage(options);
}

/** The same for what only people do. A page of others cannot sign anybody in here either. */
export function consoleCredential(request: FastifyRequest, options: BrowserOptions): Credential {
  if (/^bearer +sk_/i.test(request.headers.authorization ?? ''))
    throw new Refusal('FORBIDDEN', 'The console is for people. API keys use the API below /api/v1');
  if (isOwnPage(request, options)) return sessionOf(request, cookieOf(request, cookieNames(options).session));
  if (request.method === 'GET') return sessionOf(request, undefined);
  throw foreignPage(options);
}

/** The same for those who came by the link of a study: they show what let them in, or, to get in, who is signed in. */
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
 * Pages of others can make a browser send requests with its cookies, but none with this header; and browsers say where a
 * request comes from, if they say it. A name that somebody else pointed at this machine is not ours.
 */
function isOwnPage(request: FastifyRequest, { publicUrl }: BrowserOptions): boolean {
  if (publicUrl === undefined && !isOwnHost(request)) return false;
  const { origin, 'sec-fetch-site': site, 'x-drydock-console': mark } = request.headers;
  if (mark !== '1' || (site !== undefined && site !== 'same-origin')) return false;
  if (origin === undefined) return true;
  if (publicUrl !== undefined) return origin === new URL(publicUrl).origin;
  // Behind a proxy that nobody told us about it may be https.
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

/** `__Host-`: no other host, and nobody on the way, can set it. Browsers refuse that without TLS. */
function cookieNames({ secure }: BrowserOptions) {
  const prefix = secure ? '__Host-' : '';
  return {
    session: `${prefix}drydock_session`,
    state: `${prefix}drydock_oidc`,
    device: `${prefix}drydock_device`,
    secure,
  };
}

/** The first of that name which can be one of ours: others on this host may set what they like. */
function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [, found, value] = /^\s*([^=]+?)\s*=\s*([\w-]{1,4000})\s*$/.exec(pair) ?? [];
    if (found === name) return value;
  }
  return undefined;
}

/** Of somebody who has hung up there is none. */
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
    userAgent: request.headers['user-agent']?.replaceAll(/[^\x20-\x7e]/g, '').slice(0, longestAgent),
    keepSession: (token) => keep(names.session, token, sessionAge),
    keepState: (text) => keep(names.state, text, stateAge),
    state: () => cookieOf(request, names.state),
    keepDevice: (text) => keep(names.device, text, deviceAge),
    device: () => cookieOf(request, names.device),
  };
}
