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
/** For signed URLs: their token already proves access, so the project is not compared. */
export const findSigned = query(
  'blobs.find-signed',
  `select ${blobs.all('b')} from blobs b join projects p on p.id = b.project_id
   where b.id = :id and p.deleted_at is null`,
  { id: text },
  blobs.columns,
);
export const insert = query('blobs.insert', blobs.insert(), blobs.columns);

export const digests = query(
  'blobs.digests',
  'select id, sha256 from blobs where id = any(:ids) and project_id = :projectId',
  { ids: texts, projectId: text },
  { id: text, sha256: text },
);

/** Adds an artifact that is deleted after a day unless a run references it. */
export const insertArtifact = query(
  'blobs.insert-artifact',
  `insert into blobs (id, organization_id, project_id, content_type, size, sha256, unused_since)
   values (:id, :organizationId, :projectId, :contentType, :size, :sha256, now())`,
  blobs.columns,
);
/**
 * Records that a run references these artifacts. Other blobs, such as traces, and those of other projects are ignored.
 */
export const refer = query(
  'blobs.refer',
  `with used as (
     update blobs b set unused_since = null where b.id = any(:ids) and b.project_id = :projectId
       and (b.unused_since is not null or exists (select from eval_artifact_refs r where r.blob_id = b.id))
     returning b.id)
   insert into eval_artifact_refs (run_id, blob_id) select :runId, id from used on conflict do nothing`,
  { ids: texts, projectId: text, runId: text },
);
/**
 * Deletes artifacts that no run has referenced for a day. The condition is repeated, because a run may reference one
 * before it is locked.
 */
export const removeUnused = query(
  'blobs.remove-unused',
  `delete from blobs where unused_since < now() - interval '1 day' and id = any(array(
     select id from blobs where unused_since < now() - interval '1 day' order by unused_since limit 1000))
   returning id`,
  {},
  { id: text },
);

/**
 * Files whose row was deleted more than an hour ago. Until then, a backup that began before the deletion can read them.
 */
export const garbage = query(
  'blobs.garbage',
  `select blob_id as id from blob_garbage where since < now() - interval '1 hour' order by since limit 1000`,
  {},
  { id: text },
  { index: 'blob_garbage_since' },
);
/** Records a file that no row references yet. */
export const noteGarbage = query('blobs.note-garbage', 'insert into blob_garbage (blob_id) values (:id)', {
  id: text,
});
export const forgetGarbage = query(
  'blobs.forget-garbage',
  'delete from blob_garbage where blob_id = any(:ids)',
  { ids: texts },
);
