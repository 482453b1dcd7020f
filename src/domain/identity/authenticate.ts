import { Refusal } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Db } from '../../platform/database/database.ts';
import {
  type CallerIdentity,
  type CallerPath,
  type CallerRow,
  findCaller,
} from '../../platform/database/queries/callers.ts';
import type { Actor } from '../context.ts';
import { hashApiKey } from './api-key.ts';

/** How somebody shows who they are: an API key, or an account that is acted for without one. */
export type Credential =
  | { kind: 'bearer'; authorization: string | undefined }
  | { kind: 'account'; organizationId: string; userId: string };

/** Charges a request to a key, or to another budget of its owner; throws when there is nothing left. */
export type Charge = (keyId: string, budget?: Operation['budget']) => void;

export interface Identified extends Pick<CallerRow, 'project' | 'projectClosed' | 'server'> {
  actor: Actor;
}

/**
 * The account that a credential stands for, and what the path names. The order matters to callers: an orphaned key is
 * told so, but still pays for asking; an unknown one has no bucket to pay from.
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
  if (!caller) throw new Refusal('UNAUTHORIZED', 'Invalid API key');
  const { project, projectClosed, server } = caller;
  if (caller.key) charge(caller.key.id, budget);
  return { actor: actorOf(caller), project, projectClosed, server };
}

function identityOf(credential: Credential): CallerIdentity | undefined {
  if (credential.kind === 'account') return credential;
  const token = bearerOf(credential.authorization);
  if (token.startsWith('guest_')) throw new Refusal('UNAUTHORIZED', 'Guests cannot access this endpoint');
  return token.startsWith('sk_') && token.length <= 256 ? { keyHash: hashApiKey(token) } : undefined;
}

function bearerOf(authorization: string | undefined): string {
  const token = /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1];
  if (!token)
    throw new Refusal('UNAUTHORIZED', 'Bearer token required: send the header Authorization: Bearer sk_…');
  return token;
}

function actorOf({ key, user, organization }: CallerRow): Actor {
  if (!user)
    throw new Refusal('UNAUTHORIZED', 'Unknown user: the owner of this key is gone', {
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
