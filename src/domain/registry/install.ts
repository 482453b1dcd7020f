import { Refusal } from '../../contract/errors.ts';
import * as cards from '../../platform/database/queries/registry-cards.ts';
import * as connections from '../../platform/database/queries/registry-connections.ts';
import type { EntryRow } from '../../platform/database/queries/registry-entries.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { fits, isHttpUrl } from '../../registry/address-template.ts';
import { conflict } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { removeServer } from '../servers/rows.ts';
import { refuseManaged } from '../servers/rules.ts';
import { noSuchCard } from './cards.ts';
import { findEntry, noSuchEntry } from './directory.ts';
import { install, type ServerAddress } from './save.ts';

export const installRegistryDirectoryServer: Verb<'installRegistryDirectoryServer'> = (
  context,
  { body: { catalogServerId, endpointUrl, expectedContentHash } },
) =>
  writeInProject(context, async (db) => {
    const entry = await findEntry(db, catalogServerId);
    if (!entry) throw noSuchEntry();
    if (expectedContentHash !== undefined && expectedContentHash !== entry.contentHash)
      throw conflict(
        'The directory entry has changed. Reload it and send the new latestContentHash',
        'CONTENT_CHANGED',
        { latestContentHash: entry.contentHash },
      );
    return install(context, db, {
      origin: { kind: 'catalog', id: entry.id },
      name: entry.displayName,
      place: placeIn(entry, endpointUrl),
      endpointKind: entry.endpointKind ?? '',
      alsoAt: (url) => offers(entry, url),
    });
  });

/** The address or command to install. */
function placeIn(entry: EntryRow, endpointUrl: string | undefined): ServerAddress {
  const { endpointKind, remoteUrl, command, unavailableReason } = entry;
  if (endpointKind === null)
    throw new Refusal('VALIDATION_ERROR', `This server cannot be installed here: ${unavailableReason}`, {
      details: { code: 'NOT_INSTALLABLE' },
    });
  if (endpointKind === 'package') {
    if (endpointUrl !== undefined) throw wrongUrl('This is a package, which has no URL. Omit it');
    return { command: command ?? [] };
  }
  if (endpointKind === 'fixed') {
    if (endpointUrl !== undefined && endpointUrl !== remoteUrl)
      throw wrongUrl(`This server has one URL, ${remoteUrl}. Omit it`);
    return { url: remoteUrl ?? '' };
  }
  const choice =
    endpointKind === 'options'
      ? `Choose one of ${entry.remoteUrlOptions.join(', ')}`
      : `Fill in ${entry.remoteUrlHint}`;
  if (endpointUrl === undefined) throw wrongUrl(`Required for this server. ${choice}`);
  if (!offers(entry, endpointUrl)) throw wrongUrl(`Not a URL of this server. ${choice}`);
  return { url: endpointUrl };
}

function offers({ remoteUrlOptions, remoteUrlTemplate }: EntryRow, url: string): boolean {
  if (remoteUrlTemplate === null) return remoteUrlOptions.includes(url);
  return isHttpUrl(url) && fits(remoteUrlTemplate, url);
}

function wrongUrl(message: string): Refusal {
  return new Refusal('VALIDATION_ERROR', `endpointUrl: ${message}`, { details: { code: 'ENDPOINT_URL' } });
}

export const installRegistryServer: Verb<'installRegistryServer'> = (
  context,
  { body: { registryServerId: id, expectedUpdatedAt } },
) =>
  writeInProject(context, async (db) => {
    const card = await db.row(cards.find, { organizationId: context.actor.organization.id, id });
    if (!card) throw noSuchCard();
    const { updatedAt, status, transport } = card;
    if (expectedUpdatedAt !== undefined && expectedUpdatedAt !== updatedAt)
      throw conflict('The card has changed. Reload it and send the new updatedAt', 'CARD_CHANGED', {
        updatedAt,
      });
    if (status !== 'active')
      throw new Refusal('VALIDATION_ERROR', 'This card is deprecated and can no longer be installed', {
        details: { code: 'NOT_INSTALLABLE' },
      });
    const { url, ...settings } = transport;
    return install(context, db, {
      origin: { kind: 'registry', id },
      name: card.name,
      place: { url },
      endpointKind: 'fixed',
      settings,
      alsoAt: () => false,
    });
  });

export const uninstallRegistryServer: Verb<'uninstallRegistryServer'> = (context, { registryServerId: id }) =>
  writeInProject(context, async (db) => {
    const projectId = context.project.id;
    // A deleted card can still be uninstalled.
    const connection = await db.row(connections.find, { projectId, originId: id });
    if (connection?.kind !== 'registry') {
      if (!(await db.row(cards.find, { organizationId: context.actor.organization.id, id })))
        throw noSuchCard();
      await audit(db, context, 'registry.uninstall', id);
      return { deleted: false };
    }
    const server = await db.row(servers.lock, { projectId, id: connection.serverId });
    if (server) {
      await refuseManaged(db, server);
      await removeServer(context, db, server);
    }
    await audit(db, context, 'registry.uninstall', id);
    return { deleted: server !== undefined };
  });
