import { Refusal } from '../../contract/errors.ts';
import type { Operations } from '../../contract/index.ts';
import type { InputOf } from '../../contract/operation.ts';
import { violates } from '../../platform/database/database.ts';
import { nameKey } from '../../platform/database/name-key.ts';
import * as cards from '../../platform/database/queries/registry-cards.ts';
import { newId } from '../../platform/ids.ts';
import { pageById } from '../base/paging.ts';
import { conflict } from '../base/refusals.ts';
import { given } from '../base/server-secrets.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { checkAddress } from '../servers/rules.ts';
import { presentCard } from './present.ts';

/** All cards must fit on the first page of a list. */
const maxCards = 1000;

export const listOrganizationRegistryServers: Verb<'listOrganizationRegistryServers'> = (
  context,
  { organizationId, ...page },
) => {
  const fetch = (after: string, most: number) => context.db.rows(cards.list, { organizationId, after, most });
  return pageById(context, ['registry cards', organizationId], page, fetch, presentCard);
};

export const listRegistryServers: Verb<'listRegistryServers'> = (context, { scope, ...page }) => {
  const { id: organizationId } = context.actor.organization;
  const fetch = async (after: string, most: number) =>
    scope === 'global' ? [] : context.db.rows(cards.list, { organizationId, after, most });
  return pageById(context, ['registry cards', organizationId, scope], page, fetch, presentCard);
};

type Body = InputOf<Operations['createOrganizationRegistryServer']>['body'];

export const createOrganizationRegistryServer: Verb<'createOrganizationRegistryServer'> = async (
  context,
  { organizationId, body },
) => {
  await checkAddress(context, body.transport.url, 'transport.url');
  const { name, displayName = null, description = null, category = null, tags = [], publisher = null } = body;
  return context.db
    .transaction(async (db) => {
      await db.row(cards.lockAdditions, { organizationId });
      if ((await db.one(cards.full, { organizationId, most: maxCards })).full)
        throw new Refusal('CONFLICT', `The organization has ${maxCards} cards. Delete one of them`, {
          details: { code: 'TOO_MANY_CARDS' },
        });
      const card = await db.one(cards.insert, {
        id: newId('rgs', context.clock()),
        organizationId,
        name,
        nameKey: nameKey(name),
        displayName,
        description,
        category,
        tags,
        publisher,
        status: 'active',
        transport: transportOf(body.transport),
      });
      await audit(db, context, 'registry-card.create', card.id);
      return presentCard(card);
    })
    .catch(refuseTakenName(name));
};

export const updateOrganizationRegistryServer: Verb<'updateOrganizationRegistryServer'> = async (
  context,
  { organizationId, registryServerId: id, body },
) => {
  const { transport, ...plain } = body;
  if (transport) await checkAddress(context, transport.url, 'transport.url');
  return context.db
    .transaction(async (db) => {
      const before = await db.row(cards.lock, { organizationId, id });
      if (!before) throw noSuchCard();
      const after = { ...before, ...given(plain), ...(transport && { transport: transportOf(transport) }) };
      const card = await db.one(cards.update, { ...after, nameKey: nameKey(after.name) });
      await audit(db, context, 'registry-card.update', id);
      return presentCard(card);
    })
    .catch(refuseTakenName(body.name ?? ''));
};

export const deleteOrganizationRegistryServer: Verb<'deleteOrganizationRegistryServer'> = (
  context,
  { organizationId, registryServerId: id },
) =>
  context.db.transaction(async (db) => {
    if (!(await db.row(cards.remove, { organizationId, id }))) throw noSuchCard();
    await audit(db, context, 'registry-card.delete', id);
    return { id, deleted: true };
  });

function transportOf({ transportType: _, ...transport }: Body['transport']): cards.CardTransport {
  return { url: transport.url, ...given(transport) };
}

export function noSuchCard(): Refusal {
  return new Refusal('NOT_FOUND', 'No such card in this organization');
}

function refuseTakenName(name: string): (error: unknown) => never {
  return (error) => {
    if (!violates(error, 'registry_cards_name')) throw error;
    throw conflict(
      `A card named ${JSON.stringify(name)} already exists in this organization. Names are case-insensitive`,
      'NAME_TAKEN',
      { name },
    );
  };
}
