import { Refusal } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Db } from '../../platform/database/database.ts';
import {
  type CallerIdentity,
  type CallerPath,
  type CallerRow,
  findCaller,
} from '../../platform/database/queries/callers.ts';
import * as organizations from '../../platform/database/queries/organizations.ts';
import { hashToken } from '../../platform/secrets/tokens.ts';
import type { Actor, Person, Services } from '../context/context.ts';
import { hashApiKey } from './api-key.ts';

/** Credential of a request: an API key, a session cookie, a study grant, or an account acted for without one. */
export type Credential =
  | { kind: 'bearer'; authorization: string | undefined }
  | SessionCredential
  /** From a visitor admitted to a study. */
  | { kind: 'grant'; token: string }
  | { kind: 'account'; organizationId: string; userId: string };

export interface SessionCredential {
  kind: 'session';
  /** Undefined without a valid cookie. */
  token: string | undefined;
  /** The organization the request is about, for users with several. */
  organizationId: string | undefined;
}

/** Charges a request to a budget of the payer, such as a key or session; throws when that budget is used up. */
export type Charge = (
  payerId: string,
  budget?: Operation['budget'] | 'console' | 'visits' | 'guests',
) => void;

/** A use of a session, for recording. */
export interface SessionUse {
  id: string;
  organizationId: string | undefined;
}

export interface Identified extends Pick<CallerRow, 'project' | 'projectClosed' | 'server'> {
  actor: Actor;
  /** To be recorded, unless that was done recently. */
  use?: SessionUse | undefined;
}

/**
 * Finds the account of a credential, and the resources in the path. Order: an orphaned key is charged before it is
 * refused; an unknown key has no bucket to charge.
 */
export async function authenticate(
  db: Db,
  credential: Credential,
  path: CallerPath,
  charge: Charge,
  budget?: Operation['budget'],
): Promise<Identified> {
  const identity = identityOf(credential);
  const caller = identity && (await findCaller(db, identity, path));
  if (!caller)
    throw credential.kind === 'session' ? signedOut() : new Refusal('UNAUTHORIZED', 'Invalid API key');
  const { project, projectClosed, server } = caller;
  pay(caller, charge, budget);
  const actor = caller.session ? memberOf(caller, credential) : actorOf(caller);
  return { actor, project, projectClosed, server, use: useOf(caller) };
}

/** The signed-in user, in an organization or not. */
export async function authenticatePerson(
  db: Db,
  credential: Credential,
  charge: Charge,
): Promise<{ person: Person; use: SessionUse | undefined } | undefined> {
  const identity = credential.kind === 'session' ? identityOf(credential) : undefined;
  const caller = identity && (await findCaller(db, identity, {}));
  if (!caller?.session || !caller.user) return undefined;
  pay(caller, charge);
  const { id: sessionId, operator } = caller.session;
  return { person: { sessionId, user: caller.user, operator }, use: useOf(caller) };
}

export function signedOut(): Refusal {
  return new Refusal('UNAUTHORIZED', 'You are not signed in, or your session has ended', {
    details: { reason: 'SIGNED_OUT' },
  });
}

function pay({ key, session }: CallerRow, charge: Charge, budget?: Operation['budget']): void {
  if (key) charge(key.id, budget);
  else if (session) charge(session.id, budget ?? 'console');
}

function useOf({ session, organization }: CallerRow): SessionUse | undefined {
  if (!session) return undefined;
  const organizationId = organization?.role ? organization.id : undefined;
  const same = organizationId === undefined || organizationId === session.organizationId;
  if (same && !session.stale) return undefined;
  return { id: session.id, organizationId };
}

function identityOf(credential: Credential): CallerIdentity | undefined {
  if (credential.kind === 'account') return credential;
  if (credential.kind === 'session') {
    const { token, organizationId } = credential;
    return token === undefined
      ? undefined
      : { sessionHash: hashToken(token), chosenId: organizationId ?? null };
  }
  if (credential.kind === 'grant') return undefined;
  const token = bearerOf(credential.authorization);
  if (isGuestToken(token)) throw new Refusal('UNAUTHORIZED', 'Guests cannot access this endpoint');
  return token.startsWith('sk_') && token.length <= 256 ? { keyHash: hashApiKey(token) } : undefined;
}

/** Tokens of directory guests and study visitors; never an API key. */
function isGuestToken(token: string): boolean {
  return token.startsWith('guest_');
}

/** Admits a guest token of the server directory; returns false if the credential is no guest token. */
export async function admitDirectoryGuest(
  { db, guestTokens, clock }: Pick<Services, 'db' | 'guestTokens' | 'clock'>,
  credential: Credential,
  charge: Charge,
): Promise<boolean> {
  const token = credential.kind === 'bearer' ? bearerOf(credential.authorization) : '';
  if (!isGuestToken(token)) return false;
  const guest = guestTokens.read(token);
  if (!guest)
    throw new Refusal(
      'UNAUTHORIZED',
      'This guest token is not valid for the directory. Create one with: drydock registry guest-token',
    );
  charge(guest.id, 'guests');
  if (guest.expiresAt <= clock())
    throw new Refusal(
      'UNAUTHORIZED',
      'This guest token has expired. Create a new one with: drydock registry guest-token',
    );
  if (!(await db.row(organizations.find, { id: guest.organizationId })))
    throw new Refusal('UNAUTHORIZED', 'The organization of this guest token no longer exists');
  return true;
}

function bearerOf(authorization: string | undefined): string {
  const token = /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1];
  if (!token)
    throw new Refusal('UNAUTHORIZED', 'Bearer token required: send the header Authorization: Bearer sk_…');
  return token;
}

function actorOf({ key, user, organization }: CallerRow): Actor {
  if (!user)
    throw new Refusal('UNAUTHORIZED', 'Unknown user: the owner of this key no longer exists', {
      details: { reason: 'ORPHANED_KEY' },
    });
  if (!organization || organization.role === null)
    throw new Refusal(
      'UNAUTHORIZED',
      'This key is no longer bound to an organization. Ask the operator for a new one',
      { details: { reason: 'ORPHANED_KEY' } },
    );
  const { id, plan, role } = organization;
  return { keyId: key?.id, user, organization: { id, plan }, role };
}

/** A session may name an organization the user does not belong to. */
function memberOf(caller: CallerRow, credential: Credential): Actor {
  const { session, user, organization } = caller;
  if (!session || !user) throw signedOut();
  if (organization && organization.role !== null) {
    const { id, plan, role } = organization;
    return { keyId: undefined, sessionId: session.id, user, organization: { id, plan }, role };
  }
  if (credential.kind === 'session' && credential.organizationId !== undefined)
    throw new Refusal('NOT_FOUND', 'No such organization');
  throw new Refusal(
    'UNAUTHORIZED',
    'You do not belong to an organization. Ask an administrator to invite you',
    {
      details: { reason: 'NO_ORGANIZATION' },
    },
  );
}
