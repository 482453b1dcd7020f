import { bigint, flag, float, orNull, type RowOf, table, text, texts, time } from '../columns.ts';
import { query } from '../query.ts';

const sources = table('registry_sources', {
  source: text,
  location: text,
  etag: orNull(text),
  updatedSince: orNull(time),
  pass: bigint,
  fullAt: orNull(time),
  cursor: orNull(text),
  beganAt: orNull(time),
  readingFull: flag,
  attemptedAt: orNull(time),
  lastSyncedAt: orNull(time),
  upstreamFetchedAt: orNull(time),
  liveCount: bigint,
  skipped: bigint,
  lastError: orNull(text),
});
export type SourceRow = RowOf<typeof sources.columns>;

export const list = query(
  'registry-sources.list',
  `select ${sources.all()} from registry_sources where source > :after order by source limit :most`,
  { after: text, most: bigint },
  sources.columns,
  { index: 'registry_sources_pkey' },
);
export const find = query(
  'registry-sources.find',
  `select ${sources.all()} from registry_sources where source = :source`,
  { source: text },
  sources.columns,
);
/** Adds a source. If its location changed, the next sync starts over; its entries stay until then. */
export const name = query(
  'registry-sources.name',
  `insert into registry_sources as s (source, location) values (:source, :location)
   on conflict (source) do update set location = excluded.location, etag = null, updated_since = null, full_at = null,
     cursor = null, began_at = null, attempted_at = null
   where s.location <> excluded.location`,
  { source: text, location: text },
);
/** Deletes all sources but these, with their entries. */
export const removeOthers = query(
  'registry-sources.remove-others',
  'delete from registry_sources where not source = any(:sources)',
  { sources: texts },
);
/** Sources that were not queried for `every` milliseconds. */
export const due = query(
  'registry-sources.due',
  `select source from registry_sources
   where attempted_at is null or attempted_at < now() - :every * interval '1 millisecond' order by source`,
  { every: float },
  { source: text },
);
/** Begins a synchronization, either full or of changes only. */
export const begin = query(
  'registry-sources.begin',
  `update registry_sources set cursor = null, began_at = :beganAt, reading_full = :full, skipped = 0,
     pass = pass + case when :full then 1 else 0 end
   where source = :source returning ${sources.all()}`,
  { source: text, beganAt: time, full: flag },
  sources.columns,
);
export const attempt = query(
  'registry-sources.attempt',
  'update registry_sources set attempted_at = :at where source = :source',
  { source: text, at: time },
);
/** Stores the cursor after a page. */
export const saveCursor = query(
  'registry-sources.save-cursor',
  `update registry_sources set cursor = :cursor, skipped = skipped + :skipped, upstream_fetched_at = :at
   where source = :source`,
  { source: text, cursor: orNull(text), skipped: bigint, at: time },
);
/**
 * Ends a synchronization. If `moves` is set, the next one reads changes since this one began; otherwise since the same
 * time as before.
 */
export const finish = query(
  'registry-sources.finish',
  `update registry_sources s set cursor = null, began_at = null, updated_since = case when :moves then s.began_at else s.updated_since end, etag = :etag,
     full_at = case when s.reading_full then :at else s.full_at end, last_synced_at = :at, upstream_fetched_at = :at,
     last_error = null, live_count = (select count(*) from registry_entries e where e.source = s.source)
   where source = :source`,
  { source: text, etag: orNull(text), moves: flag, at: time },
);
/** Records that the source has no changes. */
export const unchanged = query(
  'registry-sources.unchanged',
  `update registry_sources set last_synced_at = :at, upstream_fetched_at = :at, last_error = null, cursor = null,
     began_at = null
   where source = :source`,
  { source: text, at: time },
);
export const fail = query(
  'registry-sources.fail',
  'update registry_sources set last_error = :error where source = :source',
  { source: text, error: text },
);
/** Discards a cursor that the source rejected. */
export const clearCursor = query(
  'registry-sources.clear-cursor',
  'update registry_sources set cursor = null, began_at = null where source = :source',
  { source: text },
);
