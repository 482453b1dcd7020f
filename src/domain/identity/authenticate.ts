import { Refusal } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Db } from '../../platform/database/database.ts';
import { type CallerRow, findCaller } from '../../platform/database/queries/callers.ts';
import type { Actor } from '../context.ts';
import { hashApiKey } from './api-key.ts';

/** Charges a request to a key, or to another budget of its owner; throws when there is nothing left. */
export type Charge = (keyId: string, budget?: Operation['budget']) => void;

/**
 * The account a bearer acts as. The order matters to callers: an orphaned key is told so, but still pays
 * for asking; an unknown one has no bucket to pay from.
 */
export async function authenticate(
  db: Db,
  authorization: string | undefined,
  charge: Charge,
  path: { projectId?: string | undefined; serverId?: string | undefined } = {},
  budget?: Operation['budget'],
): Promise<Actor> {
  const token = bearerOf(authorization);
  if (token.startsWith('guest_')) throw new Refusal('UNAUTHORIZED', 'Guests cannot access this endpoint');
  const caller =
    token.startsWith('sk_') && token.length <= 256
      ? await findCaller(db, hashApiKey(token), path)
      : undefined;
  if (!caller || caller.key.revoked) throw new Refusal('UNAUTHORIZED', 'Invalid API key');
  charge(caller.key.keyId, budget);
  return actorOf(caller);
}

function bearerOf(authorization: string | undefined): string {
  const token = /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1];
  if (!token)
    throw new Refusal('UNAUTHORIZED', 'Bearer token required: send the header Authorization: Bearer sk_…');
  return token;
}

function actorOf({ key, project, server }: CallerRow): Actor {
  if (key.userId === null)
    throw new Refusal('UNAUTHORIZED', 'Unknown user: the owner of this key is gone', {
      details: { reason: 'ORPHANED_KEY' },
    });
  if (key.organizationId === null || key.role === null)
    throw new Refusal(
      'UNAUTHORIZED',
      'This key is no longer bound to an organization. Ask the operator for a new one',
      { details: { reason: 'ORPHANED_KEY' } },
    );
  return {
    keyId: key.keyId,
    user: {
      id: key.userId,
      email: key.email,
      name: key.userName,
      imageUrl: key.imageUrl,
      createdAt: key.userCreatedAt,
      updatedAt: key.userUpdatedAt,
    },
    organization: { id: key.organizationId, plan: key.plan },
    role: key.role,
    path: { project, server },
  };
}
