import { Refusal } from '../../contract/errors.ts';
import * as keys from '../../platform/database/queries/keys.ts';
import { newId } from '../../platform/ids.ts';
import { audit } from '../audit.ts';
import type { Context } from '../context.ts';
import { hashApiKey, hintOfApiKey, newApiKey } from '../identity/api-key.ts';
import { pageBy } from '../paging.ts';
import type { Verb } from '../verb.ts';

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

/** It acts as whoever makes it, with no more than they may do. */
export const createKey: Verb<'createKey'> = async (context, { organizationId, body: { name } }) => {
  const { db, actor, clock } = context;
  const id = newId('key', clock());
  const key = newApiKey();
  const hint = hintOfApiKey(key);
  const { createdAt } = await db.transaction(async (trx) => {
    await audit(trx, context, 'key.create', id);
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
    if ((await trx.run(keys.revokeIn, { organizationId, userId, id })) === 0)
      throw new Refusal('NOT_FOUND', 'No working key of that id that you may revoke');
    await audit(trx, context, 'key.revoke', id);
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
