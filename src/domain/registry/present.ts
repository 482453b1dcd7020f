import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { CardRow } from '../../platform/database/queries/registry-cards.ts';
import type { EntryRow } from '../../platform/database/queries/registry-entries.ts';
import { regexOf } from '../../registry/address-template.ts';
import type { Services } from '../context/context.ts';

const noCommands = 'package only: stdio servers are not allowed on this installation';

/** Whether packages can be installed here at all. */
export async function commandsAllowed({ trust, db }: Pick<Services, 'trust' | 'db'>): Promise<boolean> {
  return (await trust.commandsRefused(db)) === undefined;
}

export function presentEntry(
  row: EntryRow,
  commands: boolean,
): OutputOf<Operations['getRegistryDirectoryServer']> {
  const closed = row.endpointKind === 'package' && !commands;
  const unavailable = closed ? noCommands : row.unavailableReason;
  return {
    id: row.id,
    source: row.source,
    serverName: row.serverName,
    displayName: row.displayName,
    ...(row.description !== '' && { description: row.description }),
    rowType: row.rowType,
    verifiedTier: row.verifiedTier,
    authPosture: row.authPosture,
    ...(unavailable !== null && { unavailableReason: unavailable }),
    ...(row.endpointKind !== null && !closed && { endpointKind: row.endpointKind }),
    ...(row.remoteUrl !== null && { remoteUrl: row.remoteUrl }),
    ...(row.remoteUrlOptions.length > 0 && { remoteUrlOptions: row.remoteUrlOptions }),
    ...(row.remoteUrlTemplate !== null && { remoteUrlRegex: regexOf(row.remoteUrlTemplate) }),
    ...(row.remoteUrlHint !== null && { remoteUrlHint: row.remoteUrlHint }),
    ...(row.command !== null && { command: row.command }),
    latestContentHash: row.contentHash,
  };
}

export function presentCard(row: CardRow): OutputOf<Operations['createOrganizationRegistryServer']> {
  const { url, useOAuth = false, oauthScopes = [], clientId } = row.transport;
  return {
    id: row.id,
    scope: 'organization',
    name: row.name,
    ...(row.displayName !== null && { displayName: row.displayName }),
    ...(row.description !== null && { description: row.description }),
    ...(row.category !== null && { category: row.category }),
    tags: row.tags,
    ...(row.publisher !== null && { publisher: row.publisher }),
    status: row.status,
    updatedAt: row.updatedAt,
    transport: { transportType: 'http', url, useOAuth, hasOAuthConfig: clientId !== undefined, oauthScopes },
  };
}
