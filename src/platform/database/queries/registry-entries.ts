import {
  bigint,
  flag,
  float,
  json,
  jsonText,
  manyOf,
  orNull,
  type RowOf,
  table,
  text,
  texts,
  time,
} from '../columns.ts';
import { query } from '../query.ts';

const shown = {
  id: text,
  source: text,
  serverName: text,
  displayName: text,
  description: text,
  rowType: text,
  verifiedTier: text,
  authPosture: text,
  endpointKind: orNull(text),
  unavailableReason: orNull(text),
  remoteUrl: orNull(text),
  remoteUrlOptions: json<string[]>(),
  remoteUrlTemplate: orNull(text),
  remoteUrlHint: orNull(text),
  command: orNull(json<string[]>()),
  transport: text,
  status: text,
  contentHash: text,
};
const entries = table('registry_entries', shown, { raw: jsonText, pass: bigint, updatedAt: time });
export type EntryRow = RowOf<typeof entries.columns>;

/** A null filter matches everything. `commands`: packages can be installed here. */
const filters = {
  source: orNull(text),
  rowType: orNull(text),
  endpointKind: orNull(text),
  verifiedTier: orNull(text),
  connectableOnly: flag,
  commands: flag,
};
const passes = `(:source::text is null or source = :source) and (:rowType::text is null or row_type = :rowType)
     and (:endpointKind::text is null or endpoint_kind = :endpointKind)
     and (:verifiedTier::text is null or verified_tier = :verifiedTier)
     and (not :connectableOnly or endpoint_kind <> 'package' or (endpoint_kind is not null and :commands))`;

export const list = query(
  'registry-entries.list',
  `select ${entries.all()} from registry_entries
   where (server_name, id) > (:afterName, :afterId) and ${passes} order by server_name, id limit :most`,
  { ...filters, afterName: text, afterId: text, most: bigint },
  entries.columns,
  { index: 'registry_entries_name' },
);
const ranked = { ...entries.columns, rank: float };
export type RankedEntry = RowOf<typeof ranked>;
/**
 * Best match first. Words in the name weigh more than words in the description. The words are parsed once, not for each
 * entry.
 */
export const search = query(
  'registry-entries.search',
  `with asked as materialized (select to_tsquery('simple', :words) as words)
   select * from (
     select ${entries.all()}, ts_rank(search, (select words from asked))::double precision as rank
     from registry_entries where search @@ (select words from asked) and ${passes}) found
   where :afterRank::double precision is null or rank < :afterRank
     or (rank = :afterRank and ("serverName", id) > (:afterName, :afterId))
   order by rank desc, "serverName", id limit :most`,
  { ...filters, words: text, afterRank: orNull(float), afterName: text, afterId: text, most: bigint },
  ranked,
  { index: 'registry_entries_search', sorts: true },
);

export const find = query(
  'registry-entries.find',
  `select ${entries.all()} from registry_entries where id = :id`,
  { id: text },
  entries.columns,
);
/** The entry of a server name, in one source or in all. Synced sources take precedence over the bundled one. */
export const findNamed = query(
  'registry-entries.find-named',
  `select ${entries.all()} from registry_entries
   where server_name = :serverName and (:source::text is null or source = :source)
   order by source = 'bundled', source limit 1`,
  { serverName: text, source: orNull(text) },
  entries.columns,
);

const written = manyOf({
  ...entries.columns,
  remoteUrlOptions: jsonText,
  command: orNull(jsonText),
  raw: jsonText,
  nameWords: text,
  titleWords: text,
  descriptionWords: text,
});
export type WrittenEntry = RowOf<typeof written.row>;
const columns = `id, source, server_name, display_name, description, row_type, verified_tier, auth_posture,
     endpoint_kind, unavailable_reason, remote_url, remote_url_options, remote_url_template, remote_url_hint, command,
     transport, status, content_hash, raw`;
/** Upserts entries and stamps them with this pass. `updated_at` changes only if the content hash differs. */
export const write = query(
  'registry-entries.write',
  `insert into registry_entries as e (${columns}, search, pass)
   select ${columns}, setweight(to_tsvector('simple', name_words), 'A')
     || setweight(to_tsvector('simple', title_words), 'A')
     || setweight(to_tsvector('simple', description_words), 'C'), :pass
   from ${written.from('w')}
   on conflict (id) do update set display_name = excluded.display_name, description = excluded.description,
     row_type = excluded.row_type, verified_tier = excluded.verified_tier, auth_posture = excluded.auth_posture,
     endpoint_kind = excluded.endpoint_kind, unavailable_reason = excluded.unavailable_reason,
     remote_url = excluded.remote_url, remote_url_options = excluded.remote_url_options,
     remote_url_template = excluded.remote_url_template, remote_url_hint = excluded.remote_url_hint,
     command = excluded.command, transport = excluded.transport, status = excluded.status,
     content_hash = excluded.content_hash, raw = excluded.raw, search = excluded.search, pass = excluded.pass,
     updated_at = case when e.content_hash = excluded.content_hash then e.updated_at else now() end`,
  { ...written.takes, pass: bigint },
);
export const remove = query('registry-entries.delete', 'delete from registry_entries where id = any(:ids)', {
  ids: texts,
});
/** Deletes entries of a source beyond the limit, those from the earliest passes first. */
export const removeBeyond = query(
  'registry-entries.delete-beyond',
  `delete from registry_entries where id in (
     select id from registry_entries where source = :source order by pass desc, id offset :most)`,
  { source: text, most: bigint },
);
/** Deletes entries that a full synchronization did not find. */
export const removeUnmet = query(
  'registry-entries.delete-unmet',
  'delete from registry_entries where source = :source and pass < :pass',
  { source: text, pass: bigint },
);
