import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';

const hour = 3_600_000;

export const createRegistryGuestToken: Verb<'createRegistryGuestToken'> = (
  context,
  { organizationId, body: { hours } },
) =>
  context.db.transaction(async (db) => {
    // Tokens store their expiry in whole seconds.
    const expiresAt = Math.floor((context.clock() + hours * hour) / 1000) * 1000;
    await audit(db, context, 'registry.guest-token', organizationId);
    return { token: context.guestTokens.make(organizationId, expiresAt), expiresAt };
  });
