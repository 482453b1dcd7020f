import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../platform/canonical.ts';
import { byColumn } from '../../../platform/database/columns.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as entries from '../../../platform/database/queries/registry-entries.ts';
import type { SourceRow } from '../../../platform/database/queries/registry-sources.ts';
import { storableJson } from '../../../platform/json/storable.ts';
import { directoryRow } from '../../../registry/directory-row.ts';
import { ownName, wordsOf } from '../../../registry/search-terms.ts';
import type { Listed } from '../../../registry/server-json.ts';

/** Deterministic ID of a server in a source. */
function entryId(source: string, serverName: string): string {
  return createHash('sha256').update(`${source}\0${serverName}`).digest('hex').slice(0, 32);
}

/** Stores the servers of a page, and removes those marked deleted. */
export async function storeListed(
  db: Db,
  { source, pass }: Pick<SourceRow, 'source' | 'pass'>,
  listed: readonly Listed[],
): Promise<void> {
  const live = new Map<string, entries.WrittenEntry>();
  const gone: string[] = [];
  for (const one of listed) {
    // Only the latest version of a server is stored.
    if (one.official?.isLatest === false) continue;
    const id = entryId(source, one.server.name);
    if (one.official?.status === 'deleted') {
      gone.push(id);
      live.delete(id);
    } else live.set(id, writtenOf(id, source, one));
  }
  if (gone.length > 0) await db.run(entries.remove, { ids: gone });
  if (live.size > 0) await db.run(entries.write, { ...byColumn([...live.values()]), pass });
}

function writtenOf(id: string, source: string, one: Listed): entries.WrittenEntry {
  const row = directoryRow(one, source === 'bundled');
  return {
    id,
    source,
    ...row,
    remoteUrlOptions: JSON.stringify(row.remoteUrlOptions),
    command: row.command === null ? null : JSON.stringify(row.command),
    contentHash: createHash('sha256').update(canonicalJson(one.raw)).digest('hex'),
    raw: storableJson(one.raw),
    nameWords: wordsOf(ownName(row.serverName)).join(' '),
    titleWords: wordsOf(row.displayName).join(' '),
    descriptionWords: wordsOf(row.description).join(' '),
  };
}
