import { bigint, orNull, table, text, texts } from '../columns.ts';
import { query } from '../query.ts';

const blobs = table('blobs', {
  id: text,
  organizationId: text,
  projectId: orNull(text),
  contentType: text,
  size: bigint,
  sha256: text,
});

export const find = query(
  'blobs.find',
  `select ${blobs.all()} from blobs where id = :id and project_id = :projectId`,
  { id: text, projectId: text },
  blobs.columns,
);
export const insert = query('blobs.insert', blobs.insert(), blobs.columns);

/** Files whose row is gone. An hour of grace: a backup that began before the deletion still finds the file. */
export const garbage = query(
  'blobs.garbage',
  `select blob_id as id from blob_garbage where since < now() - interval '1 hour' order by since limit 1000`,
  {},
  { id: text },
  { index: 'blob_garbage_since' },
);
/** A file that nobody refers to yet. */
export const noteGarbage = query('blobs.note-garbage', 'insert into blob_garbage (blob_id) values (:id)', {
  id: text,
});
export const forgetGarbage = query(
  'blobs.forget-garbage',
  'delete from blob_garbage where blob_id = any(:ids)',
  { ids: texts },
);
