import { Refusal } from '../../contract/errors.ts';
import * as keys from '../../platform/database/queries/keys.ts';
import * as people from '../../platform/database/queries/people.ts';
import { newId } from '../../platform/ids.ts';
import { pageBy } from '../base/paging.ts';
import { conflict } from '../base/refusals.ts';
import { audit } from '../context/audit.ts';
import type { Context } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { hashApiKey, hintOfApiKey, newApiKey } from '../identity/api-key.ts';

/** Maximum number of active keys per person and organization. */
const maxKeys = 100;

export const listKeys: Verb<'listKeys'> = async (context, { organizationId, whose, ...page }) => {
  const userId = whose === 'all' && administers(context) ? null : context.actor.user.id;
  return pageBy(context, page, {
    scope: ['keys', organizationId, userId],
    placeOf: ({ id }: keys.KeyPageRow) => [id] as const,
    fetch: (before, most) =>
      context.db.rows(keys.page, { organizationId, userId, before: before?.[0] ?? null, most }),
    present: presentKey,
  });
};

/** The key acts as its creator, with the creator's permissions. */
export const createKey: Verb<'createKey'> = async (context, { organizationId, body: { name } }) => {
  const { db, actor, clock } = context;
  const id = newId('key', clock());
  const key = newApiKey();
  const hint = hintOfApiKey(key);
  const { createdAt } = await db.transaction(async (trx) => {
    await trx.row(people.hold, { userId: actor.user.id });
    const { count } = await trx.one(keys.countOf, { organizationId, userId: actor.user.id });
    if (count >= maxKeys)
      throw conflict(
        `You have reached the limit of ${maxKeys} API keys in this organization. Revoke unused keys`,
        'TOO_MANY_KEYS',
      );
    await audit(trx, context, 'key.create', id, { name, hint });
    return trx.one(keys.insert, {
      id,
      hash: hashApiKey(key),
      hint,
      name,
      userId: actor.user.id,
      organizationId,
    });
  });
  const { email, name: userName } = actor.user;
  return {
    ...{ id, name, hint, key, createdAt, lastUsedAt: null, revokedAt: null },
    user: { id: actor.user.id, email, name: userName },
  };
};

export const revokeKey: Verb<'revokeKey'> = async (context, { organizationId, keyId: id }) => {
  const userId = administers(context) ? null : context.actor.user.id;
  await context.db.transaction(async (trx) => {
    const revoked = await trx.row(keys.revokeIn, { organizationId, userId, id });
    if (!revoked) throw new Refusal('NOT_FOUND', 'No active key with this ID that you can revoke');
    await audit(trx, context, 'key.revoke', id, revoked);
  });
  return { id, revoked: true };
};

export function administers({ actor }: Pick<Context, 'actor'>): boolean {
  return actor.role !== 'member';
}

function presentKey({ userId, email, userName, ...key }: keys.KeyPageRow) {
  const user = userId === null ? null : { id: userId, email: email ?? '', name: userName ?? '' };
  return { ...key, user };
}
