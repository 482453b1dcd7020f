import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as entries from '../../platform/database/queries/registry-entries.ts';
import * as sources from '../../platform/database/queries/registry-sources.ts';
import { searchFor } from '../../registry/search-terms.ts';
import { pageBy } from '../base/paging.ts';
import type { Verb } from '../context/verb.ts';
import { commandsAllowed, presentEntry } from './present.ts';

export const searchRegistryDirectory: Verb<'searchRegistryDirectory'> = async (context, asked) => {
  const { db } = context;
  const { q = '', source = 'all', rowType = null, endpointKind = null, verifiedTier = null } = asked;
  const commands = await commandsAllowed(context);
  const connectableOnly = asked.connectableOnly === 'true';
  const filters = {
    source: source === 'all' ? null : source,
    rowType,
    endpointKind,
    verifiedTier,
    connectableOnly,
    commands,
  };
  const words = searchFor(q);
  // Contains the filters only; whether commands are allowed may change between two pages.
  const scope = ['directory', words ?? null, source, rowType, endpointKind, verifiedTier, connectableOnly];
  const present = (row: entries.EntryRow) => presentEntry(row, commands);
  if (q.trim() !== '' && words === undefined) return { items: [] };
  if (words === undefined)
    return pageBy(context, asked, {
      scope,
      placeOf: ({ serverName, id }: entries.EntryRow) => [serverName, id] as const,
      fetch: (after, most) => {
        const [afterName, afterId] = after ?? ['', ''];
        return db.rows(entries.list, { ...filters, afterName, afterId, most });
      },
      present,
    });
  return pageBy(context, asked, {
    scope,
    placeOf: ({ rank, serverName, id }: entries.RankedEntry) => [rank, serverName, id] as const,
    fetch: (after, most) => {
      const [afterRank, afterName, afterId] = after ?? [null, '', ''];
      return db.rows(entries.search, { ...filters, words, afterRank, afterName, afterId, most });
    },
    present,
  });
};

export const getRegistryDirectoryServer: Verb<'getRegistryDirectoryServer'> = async (context, asked) => {
  const { db } = context;
  const { idOrName, source } = asked;
  const row =
    source === undefined
      ? await findEntry(db, idOrName)
      : await db.row(entries.findNamed, { serverName: idOrName, source: source === 'all' ? null : source });
  if (!row) throw noSuchEntry();
  return presentEntry(row, await commandsAllowed(context));
};

export const listRegistryDirectorySources: Verb<'listRegistryDirectorySources'> = (context, page) =>
  pageBy(context, page, {
    scope: ['directory sources'],
    placeOf: ({ source }: sources.SourceRow) => [source] as const,
    fetch: (after, most) => context.db.rows(sources.list, { after: after?.[0] ?? '', most }),
    present: presentSource,
  });

function presentSource(row: sources.SourceRow) {
  const { source, lastSyncedAt, liveCount, upstreamFetchedAt, lastError } = row;
  return {
    source,
    ...(lastSyncedAt !== null && { lastSyncedAt }),
    liveCount,
    ...(upstreamFetchedAt !== null && { upstreamFetchedAt }),
    ...(lastError !== null && { lastError }),
  };
}

/** Finds an entry by ID or name. */
export async function findEntry(db: Db, idOrName: string): Promise<entries.EntryRow | undefined> {
  return /^[0-9a-f]{32}$/.test(idOrName)
    ? db.row(entries.find, { id: idOrName })
    : db.row(entries.findNamed, { serverName: idOrName, source: null });
}

export function noSuchEntry(): Refusal {
  return new Refusal(
    'NOT_FOUND',
    'No such server in the directory. Send its ID, or its exact name in the directory',
  );
}
